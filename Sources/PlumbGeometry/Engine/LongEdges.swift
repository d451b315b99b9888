import PlumbCore

/// Counts areas in degrees with an edge that spans more than 180 degrees of longitude. Such an edge
/// was probably meant to cross 180 degrees, but the area covers the other side of the Earth
/// instead.
package struct LongEdges: Sendable, Hashable {
  /// The number of areas with such an edge.
  package private(set) var count = 0
  /// The message for the first of these areas, including its name.
  package private(set) var first: String?
  /// The period of x; nil if x is not a longitude.
  private let period: Double?

  /// - Parameter reference: the CRS of the areas; nil if unknown.
  package init(in reference: SpatialReference?) { period = reference?.period }

  /// Checks a shape; points and lines are ignored.
  ///
  /// - Parameter name: the shape's name in messages, such as `feature 3`.
  package mutating func add(_ shape: Geometry?, _ name: @autoclosure () -> String) {
    guard let shape, let reason = reason(of: shape) else { return }
    count += 1
    if first == nil { first = "\(name()): \(reason)" }
  }

  /// The message for an area with such an edge; nil for other shapes.
  ///
  /// An edge across all longitudes, such as an edge of a polygon of the whole world, is accepted.
  /// An edge at a pole is also accepted.
  package func reason(of shape: Geometry) -> String? {
    guard let period, case .polygon(let area) = shape else { return nil }
    let (minimum, maximum) = (period / 2 * (1 + 1e-12), period * (1 - 1e-12))
    let pole = period / 4 * (1 - 1e-12)
    let vertices = area.vertices.xy
    for ring in area.rings where ring.count > 1 {
      for index in ring.dropLast() {
        let (a, b) = (vertices[index], vertices[index + 1])
        let width = (b.x - a.x).magnitude
        guard width > minimum, width < maximum, min(a.y.magnitude, b.y.magnitude) < pole else {
          continue
        }
        let degrees = (width / period * 36000).rounded() / 100
        return "a ring has an edge over \(degrees)° of longitude, from \(a.x), \(a.y) to \(b.x), "
          + "\(b.y): to cross 180°, write longitudes beyond it or cut the area there"
      }
    }
    return nil
  }

  /// A one-line warning for the user; nil if there are no such areas.
  package var warning: String? {
    first.map { count == 1 ? $0 : "\(count) areas have very long edges; the first is \($0)" }
  }
}
