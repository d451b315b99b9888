import PlumbCore
import PlumbGeometry

/// Transforms shapes of any kind to another CRS.
final class ShapeProjector {
  private let areas: AreaProjector
  private let source: SpatialReference
  private let target: SpatialReference

  /// - Returns: nil if coordinates in both CRSs are equal.
  /// - Throws: if PROJ finds no transformation.
  init?(from source: SpatialReference, to target: SpatialReference, workers: Workers) throws {
    guard let areas = try AreaProjector(from: source, to: target, workers: workers) else {
      return nil
    }
    (self.areas, self.source, self.target) = (areas, source, target)
  }

  /// A one-line warning if the transformation may be less accurate than the CRSs allow; nil otherwise.
  var warning: String? { Transformation.warning(from: source, to: target, area: nil) }

  /// Returns the transformed shapes; nil for a shape that cannot be transformed.
  func project(_ shapes: [Geometry?]) throws -> [Geometry?] {
    var projected = [Geometry?](repeating: nil, count: shapes.count)
    var (polygons, indices): ([Polygon], [Int]) = ([], [])
    for (index, shape) in shapes.enumerated() {
      switch shape {
      case .polygon(let polygon):
        polygons.append(polygon)
        indices.append(index)
      case .envelope(let envelope):
        polygons.append(envelope.polygon)
        indices.append(index)
      case .some(var shape):
        shape.spatialReference = source
        projected[index] = try? GeometryEngine.project(shape, to: target)
      case nil: break
      }
    }
    do throws(GeometryError) {
      for (index, area) in zip(indices, try areas.project(polygons)) {
        projected[index] = .polygon(area)
      }
    } catch {
      for (index, polygon) in zip(indices, polygons) {
        try WorkCancellation.checkCurrent()
        projected[index] = (try? areas.project([polygon]).first).map { .polygon($0) }
      }
    }
    return projected
  }
}
