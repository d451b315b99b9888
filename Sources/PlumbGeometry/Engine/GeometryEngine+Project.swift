import PlumbCore

extension GeometryEngine {
  /// Projects each geometry to another CRS, vertex by vertex; z and m are unchanged. An envelope
  /// becomes the bounding box of its transformed sides, each divided into 32 pieces; a pole inside
  /// the envelope is not taken into account.
  ///
  /// A geometry whose CRS is equivalent to the target keeps its exact coordinates.
  ///
  /// - Parameters:
  ///   - geometries: the geometries, each in its own CRS.
  ///   - reference: the target CRS.
  ///   - operation: nil for PROJ's best operation for each point; otherwise a code such as
  ///     `EPSG:1173`, a transformation's name or a PROJ pipeline
  ///     (`Transformation.init(from:to:operation:)`).
  ///   - workers: the threads that share the work.
  /// - Returns: the projected geometries in the same order.
  /// - Throws: `GeometryError` with the member's index for a geometry without a CRS, for a point
  ///   that cannot be transformed, and if there is no operation between the CRSs.
  public static func project(
    _ geometries: [Geometry], to reference: SpatialReference, operation: String? = nil,
    workers: Workers = Workers()
  ) throws(GeometryError) -> [Geometry] {
    try workers.mapMembers(
      geometries.count, grain: 256, state: Projector(to: reference, operation: operation)
    ) { (projector, index) throws(GeometryError) in
      try projector.project(geometries[index])
    }
  }

  /// Projects one geometry to another CRS.
  public static func project(
    _ geometry: Geometry, to reference: SpatialReference, operation: String? = nil
  ) throws(GeometryError) -> Geometry {
    try Projector(to: reference, operation: operation).project(geometry)
  }
}

/// The transformations of one worker to one CRS.
private final class Projector {
  private let target: SpatialReference
  private let operation: String?
  /// The transformations by source CRS; a nil value means that no transformation is needed.
  private var transformations: [SpatialReference: Transformation?] = [:]

  init(to target: SpatialReference, operation: String?) {
    (self.target, self.operation) = (target, operation)
  }

  func project(_ geometry: Geometry) throws(GeometryError) -> Geometry {
    guard let source = geometry.spatialReference else {
      throw GeometryError("it has no spatial reference to project from")
    }
    guard let transformation = try transformation(from: source) else {
      // Coordinates must be finite even if they are not transformed.
      if !geometry.isEmpty { try GeometryEngine.checkFinite(geometry.vertices.xy) }
      var result = geometry
      result.spatialReference = target
      return result
    }
    return try transformation.project(geometry, to: target)
  }

  private func transformation(
    from source: SpatialReference
  ) throws(GeometryError) -> Transformation? {
    if let known = transformations[source] { return known }
    let result: Transformation?
    if let operation {
      result = try Transformation(from: source, to: target, operation: operation)
    } else if source.isEquivalent(to: target) {
      result = nil
    } else {
      result = try Transformation(from: source, to: target)
    }
    transformations[source] = .some(result)
    return result
  }
}
