import PlumbCore
import PlumbGeometry

/// The geometry functions, which call `GeometryEngine`.
///
/// Features can be used instead of their geometries. For null, and for features without a geometry,
/// area and length are 0, no relation is true except `Disjoint`, and other results are null.
/// Geometries in different CRSs are projected to the CRS of the first geometry. A geometry without
/// a CRS is assumed to be in the CRS of the other geometry.
extension ArcadeFunction {
  static let geometries: [ArcadeFunction] =
    makers + measures + relations + shapes + points

  /// Calls the engine, and converts its errors to `ArcadeFailure`.
  static func evaluate<Answer>(
    _ question: () throws(GeometryError) -> Answer
  ) throws(ArcadeFailure) -> Answer {
    do throws(GeometryError) {
      return try question()
    } catch {
      throw ArcadeFailure(error.message)
    }
  }

  /// The cost of geometry operations, in steps per vertex.
  enum GeometryCost {
    static let reading = 1
    static let relating = 16
    static let overlaying = 64
    static let buffering = 256
  }
}

extension ArcadeValue {
  init(_ geometry: Geometry?) { self = geometry.map { .geometry($0) } ?? .null }
}

extension ArcadeArguments {
  /// The geometry of a value; nil for null and for a feature without a geometry.
  func geometry(of value: ArcadeValue) throws(ArcadeFailure) -> Geometry? {
    switch value {
    case .geometry(let geometry): return geometry
    case .feature(let feature): return feature.geometry
    case .null: return nil
    default:
      throw ArcadeFailure("expected a geometry or a feature instead of \(value.typeName)")
    }
  }

  /// The geometry at a position. Spends `cost` steps per vertex.
  func geometry(
    _ position: Int, cost: Int = ArcadeFunction.GeometryCost.reading
  ) throws(ArcadeFailure) -> Geometry? {
    guard let geometry = try geometry(of: self[position]) else { return nil }
    try spend(on: geometry, cost: cost)
    return geometry
  }

  /// A geometry, or the line or ring through an array of points.
  ///
  /// - Parameter isRing: whether the points form a ring.
  func geometry(
    _ position: Int, orPointsOf isRing: Bool, cost: Int = ArcadeFunction.GeometryCost.reading
  ) throws(ArcadeFailure) -> Geometry? {
    guard case .array(let array) = self[position] else { return try geometry(position, cost: cost) }
    var vertices = ArcadeVertices()
    try vertices.append(pathOf: array, self)
    let list = vertices.list
    let reference = vertices.reference
    try spend(steps: list.count, times: cost)
    return isRing
      ? .polygon(Polygon(list, spatialReference: reference))
      : .polyline(Polyline(list, spatialReference: reference))
  }

  /// A point; nil for null.
  func point(_ position: Int) throws(ArcadeFailure) -> Point? {
    guard let geometry = try geometry(position) else { return nil }
    guard case .point(let point) = geometry else {
      throw ArcadeFailure("value \(position + 1) of the call must be a point")
    }
    return point.isEmpty ? nil : point
  }

  func spend(on geometry: Geometry, cost: Int) throws(ArcadeFailure) {
    try spend(steps: geometry.vertices.count + 8, times: cost)
  }

  /// Charges the budget for the size of a new geometry, and returns the geometry as a value.
  func keep(_ geometry: Geometry?) throws(ArcadeFailure) -> ArcadeValue {
    guard let geometry else { return .null }
    let count = geometry.vertices.count
    try context.spend(steps: count, bytes: count * 32 + 64)
    return .geometry(geometry)
  }

  private func spend(steps: Int, times cost: Int) throws(ArcadeFailure) {
    let (product, isTooMuch) = steps.multipliedReportingOverflow(by: cost)
    try context.spend(steps: isTooMuch ? .max : product, bytes: 0)
  }
}
