import Plumb
import PlumbGeometry

/// Splits shapes that cross 180 degrees, as GeoJSON requires.
enum Antimeridian {
  /// Returns a shape in degrees, cut at 180 degrees. A shape that does not cross 180 degrees or
  /// cannot be cut is returned unchanged.
  static func split(_ shape: Geometry) -> Geometry {
    let box = shape.envelope
    guard box.xMin < -180 || box.xMax > 180, box.xMax - box.xMin <= 720, box.xMin.magnitude < 1e4
    else { return shape }
    switch shape {
    case .point, .multipoint:
      return shape.mapped { SIMD2(turned($0.x), $0.y) }
    case .polyline, .polygon, .envelope: break
    }
    var parts: [Geometry] = []
    let first = ((box.xMin + 180) / 360).rounded(.down)
    let last = ((box.xMax + 180) / 360).rounded(.up)
    for turn in Int(first)..<max(Int(first) + 1, Int(last)) {
      let shift = Double(turn) * 360
      let window = Envelope(xMin: shift - 180, yMin: -90, xMax: shift + 180, yMax: 90)
      do {
        guard let part = try GeometryEngine.intersection(shape, .polygon(window.polygon)),
          part.dimension == shape.dimension, !part.isEmpty
        else { continue }
        parts.append(part.mapped { SIMD2($0.x - shift, $0.y) })
      } catch {
        // If cutting fails, the whole shape is returned, so that no part of the shape is lost.
        return shape
      }
    }
    guard !parts.isEmpty, let union = try? GeometryEngine.union(parts) else { return shape }
    return union
  }

  private static func turned(_ x: Double) -> Double {
    x.magnitude <= 180 ? x : x.remainder(dividingBy: 360)
  }
}
