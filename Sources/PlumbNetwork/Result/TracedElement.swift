/// An element of a result: a junction, a terminal of a device, or the reached parts of an edge.
///
/// Results may contain millions of elements, so rarely used properties are stored separately.
public struct TracedElement: Sendable {
  /// The feature.
  public var element: NetworkElement
  private var shape: Shape
  /// The remaining properties if the shape is `other`; otherwise nil.
  private var detail: Detail?

  private enum Shape: UInt8 {
    /// An element without a terminal and with the positions 0 and 0.
    case point
    /// An element without a terminal and with the positions 0 and 1.
    case wholeEdge
    case other
  }

  private final class Detail: Sendable {
    let terminalID: Int?
    let positionFrom: Double
    let positionTo: Double
    let parts: [ClosedRange<Double>]?

    init(
      terminalID: Int?, positionFrom: Double, positionTo: Double, parts: [ClosedRange<Double>]?
    ) {
      self.terminalID = terminalID
      self.positionFrom = positionFrom
      self.positionTo = positionTo
      self.parts = parts
    }
  }

  /// Creates a reached element, with the terminal of a device or the positions along an edge: 0 and 1 for a
  /// whole edge.
  public init(
    element: NetworkElement, terminalID: Int? = nil, positionFrom: Double = 0,
    positionTo: Double = 0, parts: [ClosedRange<Double>]? = nil
  ) {
    self.element = element
    if terminalID == nil, parts == nil, positionFrom == 0, positionTo == 0 || positionTo == 1 {
      shape = positionTo == 0 ? .point : .wholeEdge
    } else {
      shape = .other
      detail = Detail(
        terminalID: terminalID, positionFrom: positionFrom, positionTo: positionTo, parts: parts)
    }
  }

  /// The id of the reached terminal of a device; nil for elements without terminals.
  public var terminalID: Int? { detail?.terminalID }
  /// For edges, the first reached position, as a fraction from 0 at the first vertex to 1; 0 for junctions.
  public var positionFrom: Double { detail?.positionFrom ?? 0 }
  /// For edges, the last reached position, as a fraction; 0 for junctions.
  public var positionTo: Double { detail?.positionTo ?? (shape == .wholeEdge ? 1 : 0) }
  /// For edges that are reached in several separate parts, the parts in ascending order; otherwise nil.
  public var parts: [ClosedRange<Double>]? { detail?.parts }

  /// The reached parts of an edge in ascending order.
  public var ranges: [ClosedRange<Double>] { parts ?? [positionFrom...positionTo] }
}

extension TracedElement: Hashable {
  public static func == (a: Self, b: Self) -> Bool {
    a.element == b.element && a.shape == b.shape && a.terminalID == b.terminalID
      && a.positionFrom == b.positionFrom && a.positionTo == b.positionTo && a.parts == b.parts
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(element)
    hasher.combine(terminalID)
    hasher.combine(positionTo)
  }
}
