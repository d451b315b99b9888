import PlumbCore
import PlumbGeometry

/// Functions that derive geometries from other geometries. Empty results are null, except for
/// buffers.
extension ArcadeFunction {
  static let shapes: [ArcadeFunction] = [
    ArcadeFunction("Buffer", .geometry, 2...3) { call throws(ArcadeFailure) in
      guard let geometry = try call.geometry(0, cost: GeometryCost.buffering) else { return .null }
      let distance = try call.planarLength(
        1, unit: 2, geometry.spatialReference, "the distance", instead: "BufferGeodetic")
      return try buffer(geometry, distance, .planar(), call)
    },
    ArcadeFunction("BufferGeodetic", .geometry, 2...3) { call throws(ArcadeFailure) in
      guard let geometry = try call.geometry(0, cost: GeometryCost.buffering) else { return .null }
      let distance = try call.metres(1, unit: 2, "the distance")
      return try buffer(
        geometry, distance, .geodesic(GeodesicBufferOptions(vertexLimit: vertexLimit)), call)
    },
    ArcadeFunction("Centroid", .geometry, 1...1) { call throws(ArcadeFailure) in
      guard let geometry = try call.geometry(0, orPointsOf: true, cost: GeometryCost.relating)
      else { return .null }
      let centre = try evaluate { () throws(GeometryError) in
        try GeometryEngine.centroid(of: geometry)
      }
      return centre.isEmpty ? .null : .geometry(.point(centre))
    },
    ArcadeFunction("Clip", .geometry, 2...2) { call throws(ArcadeFailure) in
      let window = try call.geometry(1)
      guard let geometry = try call.geometry(0, cost: GeometryCost.overlaying), let window else {
        return .null
      }
      guard case .envelope(let envelope) = window else {
        throw ArcadeFailure("Clip takes an extent as its second value")
      }
      return try call.keep(
        evaluate { () throws(GeometryError) in try GeometryEngine.clip(geometry, to: envelope) })
    },
    ArcadeFunction("ConvexHull", .geometry, 1...Int.max) { call throws(ArcadeFailure) in
      let members = try members(call)
      return try call.keep(
        evaluate { () throws(GeometryError) in try GeometryEngine.convexHull(of: members) })
    },
    ArcadeFunction("Densify", .geometry, 2...3) { call throws(ArcadeFailure) in
      guard let geometry = try call.geometry(0) else { return .null }
      let length = try call.planarLength(
        1, unit: 2, geometry.spatialReference, "the longest segment", instead: "DensifyGeodetic")
      return try densified(geometry, length, .planar, call)
    },
    ArcadeFunction("DensifyGeodetic", .geometry, 2...3) { call throws(ArcadeFailure) in
      let length = try call.metres(1, unit: 2, "the longest segment")
      guard let geometry = try call.geometry(0, cost: GeometryCost.relating) else { return .null }
      return try densified(geometry, length, .geodesic(), call)
    },
    overlay("Difference") { (a, b) throws(GeometryError) in try GeometryEngine.difference(a, b) },
    overlay("Intersection") { (a, b) throws(GeometryError) in
      try GeometryEngine.intersection(a, b)
    },
    overlay("SymmetricDifference") { (a, b) throws(GeometryError) in
      try GeometryEngine.symmetricDifference(a, b)
    },
    ArcadeFunction("Union", .geometry, 1...Int.max) { call throws(ArcadeFailure) in
      let members = try members(call)
      return try call.keep(
        evaluate { () throws(GeometryError) in
          try GeometryEngine.union(members, workers: Workers(count: 1))
        })
    },
    ArcadeFunction("Generalize", .geometry, 2...4) { call throws(ArcadeFailure) in
      guard var geometry = try call.geometry(0, cost: GeometryCost.relating) else { return .null }
      if case .envelope(let envelope) = geometry { geometry = .polygon(envelope.polygon) }
      let deviation = try call.planarLength(
        1, unit: 3, geometry.spatialReference, "the greatest deviation", instead: "no unit")
      let removes = call.flag(2)
      return try call.keep(
        evaluate { () throws(GeometryError) in
          try GeometryEngine.generalize(
            geometry, maxDeviation: deviation, removesDegenerateParts: removes)
        })
    },
    ArcadeFunction("Simplify", .geometry, 1...1) { call throws(ArcadeFailure) in
      guard let geometry = try call.geometry(0, cost: GeometryCost.overlaying) else {
        return .null
      }
      return try call.keep(
        evaluate { () throws(GeometryError) in try GeometryEngine.simplify(geometry) })
    },
  ]

  /// The maximum number of vertices in a result.
  private static let vertexLimit = 1_000_000

  private static func overlay(
    _ name: String,
    _ operation: @escaping @Sendable (Geometry, Geometry) throws(GeometryError) -> Geometry?
  ) -> ArcadeFunction {
    ArcadeFunction(name, .geometry, 2...2) { call throws(ArcadeFailure) in
      guard let a = try call.geometry(0, cost: GeometryCost.overlaying),
        let b = try call.geometry(1, cost: GeometryCost.overlaying)
      else { return .null }
      return try call.keep(evaluate { () throws(GeometryError) in try operation(a, b) })
    }
  }

  private static func buffer(
    _ geometry: Geometry, _ distance: Double, _ method: BufferMethod,
    _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> ArcadeValue {
    let polygons = try evaluate { () throws(GeometryError) in
      try GeometryEngine.buffer(
        around: [geometry], distances: [distance], method: method, workers: Workers(count: 1))
    }
    return try call.keep(polygons.first.map { .polygon($0) })
  }

  private static func densified(
    _ geometry: Geometry, _ length: Double, _ measure: Measure, _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> ArcadeValue {
    guard length > 0 else {
      throw ArcadeFailure("the longest segment must be above 0, not \(length)")
    }
    let totalLength = try evaluate { () throws(GeometryError) in
      try GeometryEngine.length(of: geometry, measure: measure)
    }
    let vertexCount = Double(geometry.vertices.count)
    let count = totalLength / length + vertexCount
    guard count <= Double(vertexLimit) else {
      throw ArcadeFailure(
        "segments of at most \(length) need more than \(vertexLimit) vertices")
    }
    try call.context.spend(steps: Int(count), bytes: Int(count) * 32)
    return try call.keep(
      evaluate { () throws(GeometryError) in
        try GeometryEngine.densify(geometry, maxSegmentLength: length, measure: measure)
      })
  }

  /// The geometries in the array that is the only argument, or in all arguments, without nulls.
  private static func members(
    _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> [Geometry] {
    var values = call.values
    if case .array(let array) = call[0], call.count == 1 { values = array.elements }
    var members: [Geometry] = []
    for value in values {
      guard let geometry = try call.geometry(of: value) else { continue }
      try call.spend(on: geometry, cost: GeometryCost.overlaying)
      members.append(geometry)
    }
    return members
  }
}
