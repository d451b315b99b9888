import PlumbCore
import PlumbGeometry

/// The functions of geometries, over `GeometryEngine`.
///
/// A feature stands for its geometry everywhere. Nothing is asked of null, or of a feature without
/// a geometry: its area and length are 0, no relation holds but `Disjoint`, and the other answers
/// are null. Geometries of two spatial references are brought to the first one's; one without
/// counts as being in the other's.
extension ArcadeFunction {
  static let geometries: [ArcadeFunction] =
    makers + measures + relations + shapes + points

  /// A question to the engine, whose errors become those of Arcade.
  static func ask<Answer>(
    _ question: () throws(GeometryError) -> Answer
  ) throws(ArcadeFailure) -> Answer {
    do throws(GeometryError) {
      return try question()
    } catch {
      throw ArcadeFailure(error.message)
    }
  }

  /// Steps that the work on a geometry counts as, a vertex.
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
  /// The geometry of a value; nil for null and for a feature without one.
  func geometry(of value: ArcadeValue) throws(ArcadeFailure) -> Geometry? {
    switch value {
    case .geometry(let geometry): return geometry
    case .feature(let feature): return feature.geometry
    case .null: return nil
    default:
      throw ArcadeFailure("a geometry or a feature should stand where \(value.typeName) does")
    }
  }

  /// The geometry at a position, its vertices taken from the budget so many times.
  func geometry(
    _ position: Int, cost: Int = ArcadeFunction.GeometryCost.reading
  ) throws(ArcadeFailure) -> Geometry? {
    guard let geometry = try geometry(of: self[position]) else { return nil }
    try spend(on: geometry, cost: cost)
    return geometry
  }

  /// A geometry, or the line or ring through an array of points.
  ///
  /// - Parameter isRing: whether the points bound an area.
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

  /// Takes what a new geometry holds from the budget.
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
