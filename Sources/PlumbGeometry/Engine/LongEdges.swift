import PlumbCore

/// Counts areas in degrees with an edge over more than half of the longitudes: one that was meant to
/// cross 180 degrees holds what lies on the other side of the Earth instead.
package struct LongEdges: Sendable, Hashable {
  /// Areas with such an edge.
  package private(set) var count = 0
  /// What is said of the first of them, which it names.
  package private(set) var first: String?
  /// The period of x; nil where x is not a longitude.
  private let period: Double?

  /// - Parameter reference: of the areas; nil where it is not known.
  package init(in reference: SpatialReference?) { period = reference?.period }

  /// Looks at a shape; points and lines have no such edges.
  ///
  /// - Parameter name: what the shape is called, as `feature 3`.
  package mutating func add(_ shape: Geometry?, _ name: @autoclosure () -> String) {
    guard let shape, let reason = reason(of: shape) else { return }
    count += 1
    if first == nil { first = "\(name()): \(reason)" }
  }

  /// What is said of an area with such an edge; nil for others.
  ///
  /// An edge along all longitudes, as the world's own, is not one, nor is one at a pole.
  package func reason(of shape: Geometry) -> String? {
    guard let period, case .polygon(let area) = shape else { return nil }
    let (least, most) = (period / 2 * (1 + 1e-12), period * (1 - 1e-12))
    let pole = period / 4 * (1 - 1e-12)
    let vertices = area.vertices.xy
    for ring in area.rings where ring.count > 1 {
      for index in ring.dropLast() {
        let (a, b) = (vertices[index], vertices[index + 1])
        let width = (b.x - a.x).magnitude
        guard width > least, width < most, min(a.y.magnitude, b.y.magnitude) < pole else {
          continue
        }
        let degrees = (width / period * 36000).rounded() / 100
        return "a ring has an edge over \(degrees)° of longitude, from \(a.x), \(a.y) to \(b.x), "
          + "\(b.y): to cross 180°, write longitudes beyond it or cut the area there"
      }
    }
    return nil
  }

  /// One line for people; nil when there are none.
  package var warning: String? {
    first.map { count == 1 ? $0 : "\(count) areas go the long way round; the first is \($0)" }
  }
}
