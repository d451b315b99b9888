import PlumbCore
import PlumbGeometry

/// Planar relations of two geometries.
extension ArcadeFunction {
  static let relations: [ArcadeFunction] = [
    relation("Contains") { (a, b) throws(GeometryError) in try GeometryEngine.contains(a, b) },
    relation("Crosses") { (a, b) throws(GeometryError) in try GeometryEngine.crosses(a, b) },
    relation("Disjoint", ofNull: true) { (a, b) throws(GeometryError) in
      try GeometryEngine.disjoint(a, b)
    },
    relation("EnvelopeIntersects") { (a, b) throws(GeometryError) in
      try GeometryEngine.intersects(.envelope(a.envelope), .envelope(b.envelope))
    },
    ArcadeFunction("Equals", .geometry, 2...2) { call throws(ArcadeFailure) in
      // Values that are not geometries are compared with ==.
      guard call[0].isShape, call[1].isShape else {
        return .boolean(call[0].isEqual(to: call[1]))
      }
      guard let a = try call.geometry(0, cost: GeometryCost.relating),
        let b = try call.geometry(1, cost: GeometryCost.relating)
      else { return .boolean(false) }
      if a.isEmpty || b.isEmpty { return .boolean(a.isEmpty && b.isEmpty) }
      return try .boolean(
        evaluate { () throws(GeometryError) in
          try GeometryEngine.relate(a, b, pattern: "T*F**FFF*")
        })
    },
    relation("Intersects") { (a, b) throws(GeometryError) in try GeometryEngine.intersects(a, b) },
    relation("Overlaps") { (a, b) throws(GeometryError) in try GeometryEngine.overlaps(a, b) },
    relation("Touches") { (a, b) throws(GeometryError) in try GeometryEngine.touches(a, b) },
    relation("Within") { (a, b) throws(GeometryError) in try GeometryEngine.within(a, b) },
    ArcadeFunction("Relate", .geometry, 3...3) { call throws(ArcadeFailure) in
      let pattern = try call.text(2)
      guard let a = try call.geometry(0, cost: GeometryCost.relating),
        let b = try call.geometry(1, cost: GeometryCost.relating)
      else { return .boolean(false) }
      return try .boolean(
        evaluate { () throws(GeometryError) in try GeometryEngine.relate(a, b, pattern: pattern) })
    },
    ArcadeFunction("IsSimple", .geometry, 1...1) { call throws(ArcadeFailure) in
      guard let geometry = try call.geometry(0, cost: GeometryCost.relating) else {
        return .boolean(true)
      }
      return try .boolean(
        evaluate { () throws(GeometryError) in try GeometryEngine.isSimple(geometry) })
    },
    ArcadeFunction("RingIsClockwise", .geometry, 1...1) { call throws(ArcadeFailure) in
      guard case .array(let array) = call[0] else {
        if case .null = call[0] { return .boolean(false) }
        throw ArcadeFailure("RingIsClockwise takes an array of points")
      }
      var vertices = ArcadeVertices()
      try vertices.append(ringOf: array, call)
      let list = vertices.list
      return .boolean(list.orientation(ofRing: 0..<list.count) < 0)
    },
  ]

  private static func relation(
    _ name: String, ofNull nullResult: Bool = false,
    _ question: @escaping @Sendable (Geometry, Geometry) throws(GeometryError) -> Bool
  ) -> ArcadeFunction {
    ArcadeFunction(name, .geometry, 2...2) { call throws(ArcadeFailure) in
      guard let a = try call.geometry(0, cost: GeometryCost.relating),
        let b = try call.geometry(1, cost: GeometryCost.relating)
      else { return .boolean(nullResult) }
      return try .boolean(evaluate { () throws(GeometryError) in try question(a, b) })
    }
  }
}

extension ArcadeValue {
  /// Whether the value is a geometry, or a feature, which may have a geometry.
  fileprivate var isShape: Bool {
    switch self {
    case .geometry, .feature: true
    default: false
    }
  }
}
