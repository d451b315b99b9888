import PlumbCore
import PlumbGeometry
import PlumbLayers

/// Shapes of a result to draw over a map, with a symbol and a legend entry for each kind of shape.
public struct Overlay: Sendable {
  /// The title in the legend.
  public var title: String
  /// The CRS of the shapes; nil for the view's CRS.
  public var reference: SpatialReference?
  /// The kinds of shapes, in the order of the legend.
  public private(set) var kinds: [(label: String, symbol: Symbol)] = []
  /// The shapes with the indexes of their kinds, the bottom shape first.
  public private(set) var shapes: [(geometry: Geometry, kind: Int)] = []
  /// The warning that shapes were omitted because there are too many for a picture; nil if no shape was
  /// omitted.
  public var warning: String? {
    isTruncated
      ? "the picture shows only the first part of \(title.printable): too many shapes" : nil
  }
  private var isTruncated = false
  private var numbers: [String: Int] = [:]
  private var vertexCount = 0
  /// The maximum number of vertices, which take several hundred megabytes.
  private static let vertexLimit = 8_000_000

  /// Creates an overlay without shapes.
  public init(_ title: String, reference: SpatialReference?) {
    (self.title, self.reference) = (title, reference)
  }

  /// Adds a shape.
  ///
  /// - Parameters:
  ///   - geometry: the shape in the overlay's CRS.
  ///   - label: the label of the shape's kind.
  ///   - symbol: returns the symbol for the index of a new kind; called for the first shape of the kind.
  public mutating func add(
    _ geometry: Geometry, as label: String, _ symbol: (_ number: Int) -> Symbol
  ) {
    vertexCount += geometry.vertices.count
    guard vertexCount <= Self.vertexLimit else {
      isTruncated = true
      return
    }
    let kind = numbers[label] ?? kinds.count
    if kind == kinds.count {
      numbers[label] = kind
      kinds.append((label, symbol(kind)))
    }
    shapes.append((geometry, kind))
  }

  /// The extent of all shapes; nil if there are no shapes.
  public var extent: Envelope? {
    var joined = JoinedExtent(in: reference)
    for shape in shapes { joined.add(shape.geometry) }
    return joined.envelope
  }
}
