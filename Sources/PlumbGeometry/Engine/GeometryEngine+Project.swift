import PlumbCore

extension GeometryEngine {
  /// Each geometry in another spatial reference, vertex by vertex; z and m stay as they are, an
  /// envelope becomes the window round its transformed sides, each cut in 32 (which does not reach
  /// a pole within it).
  ///
  /// A geometry whose reference is equivalent already keeps its coordinates to the bit.
  ///
  /// - Parameters:
  ///   - geometries: in their order; each has a reference of its own.
  ///   - reference: what all of them are to be in.
  ///   - operation: nil takes PROJ's best for each point; else a code as `EPSG:1173`, a
  ///     transformation's name or a PROJ pipeline (`Transformation.init(from:to:operation:)`).
  ///   - workers: the threads that share the work.
  /// - Returns: as many geometries in the same order.
  /// - Throws: `GeometryError` that names the member: without a reference, with a point that has no
  ///   counterpart, or with no operation between the references.
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

  /// One geometry in another spatial reference.
  public static func project(
    _ geometry: Geometry, to reference: SpatialReference, operation: String? = nil
  ) throws(GeometryError) -> Geometry {
    try Projector(to: reference, operation: operation).project(geometry)
  }
}

/// The transformations of one worker to one reference.
private final class Projector {
  private let target: SpatialReference
  private let operation: String?
  /// By source; nil for one that needs none.
  private var transformations: [SpatialReference: Transformation?] = [:]

  init(to target: SpatialReference, operation: String?) {
    (self.target, self.operation) = (target, operation)
  }

  func project(_ geometry: Geometry) throws(GeometryError) -> Geometry {
    guard let source = geometry.spatialReference else {
      throw GeometryError("it has no spatial reference to project from")
    }
    guard let transformation = try transformation(from: source) else {
      // What stays to the bit obeys the same rule: a point has finite coordinates.
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
