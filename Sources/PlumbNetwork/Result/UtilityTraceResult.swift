import PlumbCore

/// What a trace found. Elements are in element order: by source id, then by global id as bytes,
/// then by terminal id.
public struct UtilityTraceResult: Sendable {
  /// No element is there twice: a device once for each terminal reached, an edge once.
  public var elements: [TracedElement] = []
  /// What may be found too, but is not certain: whether a path of flow visits it was not decided, or
  /// flow may pass it either way where such flow is left out. In element order; a warning says why.
  public var possible: [TracedElement] = []
  /// One for each function of the configuration, in its order.
  public var functionResults: [TraceFunctionResult] = []
  /// Nil unless it was asked for.
  public var geometry: TracedGeometry?
  /// One line each.
  public var warnings: [String] = []
  /// Whether starts were left out since they are barriers.
  public var startingPointsIgnored = false
  /// Isolation traces only.
  public var isolation: IsolationResult?
  /// Nearest neighbour only: whether as many as wanted were found.
  public var foundAllNearest: Bool?
  /// Shortest path only: the least sum.
  public var pathCost: Double?

  /// False where an isolation leaves a controller uncut.
  public var isSuccess: Bool { isolation?.controllersNotIsolated.isEmpty ?? true }

  /// What to select in one source, and in the layer that shows it.
  public struct Selection: Sendable, Hashable {
    /// The id of the source.
    public var sourceID: Int
    /// Nil where the definition names no layer.
    public var layerID: Int?
    /// In element order; devices once, whatever their terminals.
    public var elements: [NetworkElement]
  }

  /// The elements of each source, by the id of the source.
  public func selections(in network: UtilityNetwork) -> [Selection] {
    var result: [Selection] = []
    for traced in elements {
      let source = network.sourceID(of: traced.element)
      if result.last?.sourceID != source {
        result.append(
          Selection(sourceID: source, layerID: network.layerID(ofSource: source), elements: []))
      }
      if result[result.count - 1].elements.last != traced.element {
        result[result.count - 1].elements.append(traced.element)
      }
    }
    return result
  }
}

extension UtilityTraceResult: CustomStringConvertible {
  /// How much was found, as `113 elements, path cost 12.5`; of an isolation how many barriers to
  /// close and how many elements that isolates, or that controllers are not isolated.
  public var description: String {
    var parts = ["\(elements.count) element\(elements.count == 1 ? "" : "s")"]
    if !possible.isEmpty { parts.append("\(possible.count) possible") }
    if let pathCost { parts.append("path cost \(pathCost)") }
    if let isolation {
      let uncut = isolation.controllersNotIsolated.count
      parts.append(
        uncut > 0
          ? "not isolated from \(uncut) controller\(uncut == 1 ? "" : "s")"
          : "close \(isolation.isolating.count) to isolate \(isolation.isolated.count)")
    }
    return parts.joined(separator: ", ")
  }
}

/// What one function of a trace's configuration gives over the elements of the result.
public struct TraceFunctionResult: Sendable, Hashable {
  /// The function, as the configuration has it.
  public var function: TraceFunction
  /// Nil where no element counts, except for `add` and `count`, which are 0.
  public var value: Double?

  /// A function and what it gave.
  public init(function: TraceFunction, value: Double?) {
    self.function = function
    self.value = value
  }
}

/// The shapes of a result's elements, without a spatial reference.
public struct TracedGeometry: Sendable, Hashable {
  /// The points of junctions; nil for none.
  public var multipoint: Multipoint?
  /// The reached parts of edges; nil for none.
  public var polyline: Polyline?

  /// Shapes of a result.
  public init(multipoint: Multipoint? = nil, polyline: Polyline? = nil) {
    self.multipoint = multipoint
    self.polyline = polyline
  }
}
