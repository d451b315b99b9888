import PlumbCore
import PlumbGeometry

/// Areas, lengths, distances and angles.
///
/// By default, planar measures are in the unit of the CRS, and geodetic measures are in metres.
extension ArcadeFunction {
  static let measures: [ArcadeFunction] = [
    ArcadeFunction("Area", .geometry, 1...2) { call throws(ArcadeFailure) in
      guard let geometry = try call.geometry(0, orPointsOf: true) else { return .number(0) }
      let area = try evaluate { () throws(GeometryError) in try GeometryEngine.area(of: geometry) }
      guard let unit = try call.unit(1) else { return .number(area) }
      let metres = try call.metresOfUnit(
        geometry.spatialReference, unit, instead: "AreaGeodetic")
      return .number(area * metres * metres / unit.squareMetres)
    },
    ArcadeFunction("AreaGeodetic", .geometry, 1...2) { call throws(ArcadeFailure) in
      let unit = try call.unit(1)?.squareMetres ?? 1
      guard let geometry = try call.geometry(0, orPointsOf: true, cost: GeometryCost.relating)
      else { return .number(0) }
      let area = try evaluate { () throws(GeometryError) in
        try GeometryEngine.area(of: geometry, measure: .geodesic())
      }
      return .number(area / unit)
    },
    ArcadeFunction("Length", .geometry, 1...2) { call throws(ArcadeFailure) in
      guard let geometry = try call.geometry(0, orPointsOf: false) else { return .number(0) }
      let length = try evaluate { () throws(GeometryError) in
        try GeometryEngine.length(of: geometry)
      }
      return try .number(planar(length, in: geometry.spatialReference, call, 1, "LengthGeodetic"))
    },
    ArcadeFunction("LengthGeodetic", .geometry, 1...2) { call throws(ArcadeFailure) in
      let unit = try call.unit(1)?.length() ?? 1
      guard let geometry = try call.geometry(0, orPointsOf: false, cost: GeometryCost.relating)
      else { return .number(0) }
      let length = try evaluate { () throws(GeometryError) in
        try GeometryEngine.length(of: geometry, measure: .geodesic())
      }
      return .number(length / unit)
    },
    ArcadeFunction("Distance", .geometry, 2...3) { call throws(ArcadeFailure) in
      guard let (a, b) = try pair(call) else { return .null }
      let distance = try evaluate { () throws(GeometryError) in
        try GeometryEngine.distance(from: a, to: b)
      }
      let reference = a.spatialReference ?? b.spatialReference
      return try .number(planar(distance, in: reference, call, 2, "DistanceGeodetic"))
    },
    ArcadeFunction("DistanceGeodetic", .geometry, 2...3) { call throws(ArcadeFailure) in
      let unit = try call.unit(2)?.length() ?? 1
      guard let (a, b) = try pair(call) else { return .null }
      let distance = try evaluate { () throws(GeometryError) in
        try GeometryEngine.distance(from: a, to: b, measure: .geodesic())
      }
      return .number(distance / unit)
    },
    ArcadeFunction("Angle", .geometry, 2...3) { call throws(ArcadeFailure) in
      try direction(call) { $0 }
    },
    ArcadeFunction("Bearing", .geometry, 2...3) { call throws(ArcadeFailure) in
      // The angle is clockwise from north or, for three points, clockwise around the second point
      // from the first point to the third.
      let isTurn = call.count > 2
      return try direction(call) { isTurn ? -$0 : 90 - $0 }
    },
  ]

  /// Two geometries that are not empty. Arrays of points are lines.
  private static func pair(
    _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> (Geometry, Geometry)? {
    guard let a = try call.geometry(0, orPointsOf: false, cost: GeometryCost.relating),
      let b = try call.geometry(1, orPointsOf: false, cost: GeometryCost.relating), !a.isEmpty,
      !b.isEmpty
    else { return nil }
    return (a, b)
  }

  private static func planar(
    _ length: Double, in reference: SpatialReference?, _ call: borrowing ArcadeArguments,
    _ position: Int, _ instead: String
  ) throws(ArcadeFailure) -> Double {
    guard let unit = try call.unit(position) else { return length }
    let metres = try unit.length()
    return try length * call.metresOfUnit(reference, unit, instead: instead) / metres
  }

  /// The direction from the first point to the second, or the angle around the second point from
  /// the first to the third, in degrees. `turned` converts the angle, which is counter-clockwise
  /// from east. The result is from 0 to below 360, and is 0 if points are equal.
  private static func direction(
    _ call: borrowing ArcadeArguments, _ turned: (Double) -> Double
  ) throws(ArcadeFailure) -> ArcadeValue {
    var points: [Point] = []
    for index in 0..<call.count {
      guard let point = try call.point(index) else { return .null }
      let reference = points.first?.spatialReference
      if let reference, let source = point.spatialReference, source != reference {
        let projected = try evaluate { () throws(GeometryError) in
          try GeometryEngine.project(.point(point), to: reference)
        }
        guard case .point(let location) = projected else { return .null }
        points.append(location)
      } else {
        points.append(point)
      }
    }
    guard points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
      throw ArcadeFailure("a coordinate is not a finite number")
    }
    func angle(_ a: Point, _ b: Point) -> Double? {
      guard a.x != b.x || a.y != b.y else { return nil }
      // The coordinates are halved, so that the difference cannot overflow.
      return degrees(b.x / 2 - a.x / 2, b.y / 2 - a.y / 2)
    }
    let result: Double
    if points.count == 3 {
      guard let first = angle(points[1], points[0]), let second = angle(points[1], points[2])
      else { return .number(0) }
      result = turned(second - first)
    } else {
      guard let angle = angle(points[0], points[1]) else { return .number(0) }
      result = turned(angle)
    }
    let whole = result - 360 * (result / 360).rounded(.down)
    return .number(whole >= 360 || whole == 0 ? 0 : whole)
  }
}
