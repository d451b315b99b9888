import PlumbCore
import PlumbGeometry
import PlumbLayers

/// Shapes that are drawn over a map: a result, with a symbol and a legend's line for each kind.
public struct Overlay: Sendable {
  /// What it is called.
  public var title: String
  /// What the shapes are in; nil for the view's own reference.
  public var reference: SpatialReference?
  /// The kinds of shapes, in a legend's order.
  public private(set) var kinds: [(label: String, symbol: Symbol)] = []
  /// The shapes with their kinds, the lowest first.
  public private(set) var shapes: [(geometry: Geometry, kind: Int)] = []
  /// That shapes were left out, as they are too many for a picture; nil where all are there.
  public var warning: String? {
    isCut ? "the picture shows only the first part of \(title.printable): all is too much" : nil
  }
  private var isCut = false
  private var numbers: [String: Int] = [:]
  private var vertexCount = 0
  /// So many vertices take some hundred megabytes.
  private static let vertexLimit = 8_000_000

  /// One without shapes.
  public init(_ title: String, reference: SpatialReference?) {
    (self.title, self.reference) = (title, reference)
  }

  /// Adds a shape.
  ///
  /// - Parameters:
  ///   - geometry: in the overlay's reference.
  ///   - label: its kind.
  ///   - symbol: the kind's, with the number of kinds before it; asked for the first of a kind.
  public mutating func add(
    _ geometry: Geometry, as label: String, _ symbol: (_ number: Int) -> Symbol
  ) {
    vertexCount += geometry.vertices.count
    guard vertexCount <= Self.vertexLimit else {
      isCut = true
      return
    }
    let kind = numbers[label] ?? kinds.count
    if kind == kinds.count {
      numbers[label] = kind
      kinds.append((label, symbol(kind)))
    }
    shapes.append((geometry, kind))
  }

  /// Round all shapes; nil without any.
  public var extent: Envelope? {
    var whole = JoinedExtent(in: reference)
    for shape in shapes { whole.add(shape.geometry) }
    return whole.envelope
  }
}
