import PlumbCore

extension GeometryEngine {
  /// Transforms all geometries to the first known CRS of the list; members without a CRS are
  /// assumed to be in this CRS. An envelope that the transformation rotates or shears becomes the
  /// polygon of its corners.
  ///
  /// - Throws: `GeometryError` with the member's index if a geometry cannot be projected.
  static func inCommonReference(
    _ geometries: [Geometry]
  ) throws(GeometryError) -> (geometries: [Geometry], reference: SpatialReference?) {
    guard
      let reference = geometries.lazy.compactMap(\.spatialReference).first
    else { return (geometries, nil) }
    var result = geometries
    var transformations: [SpatialReference: Transformation] = [:]
    for index in result.indices {
      guard let source = result[index].spatialReference else {
        result[index].spatialReference = reference
        continue
      }
      // Usually all geometries have the same CRS, and nothing is copied.
      guard source != reference else { continue }
      do throws(GeometryError) {
        let transformation: Transformation
        if let known = transformations[source] {
          transformation = known
        } else {
          transformation = try Transformation(from: source, to: reference)
          transformations[source] = transformation
        }
        if case .envelope(let envelope) = result[index] {
          result[index] = try transformation.projectArea(envelope, to: reference)
        } else {
          result[index] = try transformation.project(result[index], to: reference)
        }
      } catch {
        throw error.of(member: index)
      }
    }
    return (result, reference)
  }
}
