import PlumbCore

extension GeometryEngine {
  /// The geometries in one spatial reference: the first that is known; members without one are
  /// assumed to be in it. An envelope that the transformation rotates or shears becomes the polygon
  /// of its corners.
  ///
  /// - Throws: `GeometryError` with the member's index if one cannot be projected.
  static func inCommonReference(
    _ geometries: [Geometry]
  ) throws(GeometryError) -> (geometries: [Geometry], reference: SpatialReference?) {
    guard
      let reference = geometries.lazy.compactMap(\.spatialReference).first
    else { return (geometries, nil) }
    var result = geometries
    var transformations: [SpatialReference: Transformation] = [:]
    for index in result.indices {
      guard let own = result[index].spatialReference else {
        result[index].spatialReference = reference
        continue
      }
      // Usually all have the same reference; then nothing is copied.
      guard own != reference else { continue }
      do throws(GeometryError) {
        let transformation: Transformation
        if let known = transformations[own] {
          transformation = known
        } else {
          transformation = try Transformation(from: own, to: reference)
          transformations[own] = transformation
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
