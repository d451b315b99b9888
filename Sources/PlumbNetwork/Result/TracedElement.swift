/// An element of a result: a device at a terminal, or the reached part of an edge.
///
/// Results hold millions: what most elements do not have is kept aside.
public struct TracedElement: Sendable {
  /// The feature.
  public var element: NetworkElement
  private var shape: Shape
  /// Nil unless the shape is `other`.
  private var detail: Detail?

  private enum Shape: UInt8 {
    /// No terminal, positions 0 and 0.
    case point
    /// No terminal, positions 0 and 1.
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

  /// An element that was reached: a device has its terminal, an edge positions, 0 to 1 when whole.
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

  /// Of devices with terminals.
  public var terminalID: Int? { detail?.terminalID }
  /// Edges: the first and the last reached fraction, 0…1 from the first vertex; junctions: 0 and 0.
  public var positionFrom: Double { detail?.positionFrom ?? 0 }
  /// Edges: the last reached fraction; junctions: 0.
  public var positionTo: Double { detail?.positionTo ?? (shape == .wholeEdge ? 1 : 0) }
  /// Edges of which several parts were reached, but not what is between: these parts, ascending.
  public var parts: [ClosedRange<Double>]? { detail?.parts }

  /// The reached parts of an edge, ascending.
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
