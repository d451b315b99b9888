import PlumbCore

/// The result of a trace. Elements are in element order: by source id, then by global id as bytes, then
/// by terminal id.
public struct UtilityTraceResult: Sendable {
  /// The elements without duplicates: a device is listed once for each reached terminal, an edge once.
  public var elements: [TracedElement] = []
  /// Elements that may belong to the result, in element order. Either it could not be determined
  /// whether a path of flow visits an element, or flow may pass the element in either direction and
  /// the configuration excludes indeterminate flow. A warning states the reason.
  public var possible: [TracedElement] = []
  /// The results of the configuration's functions, in the same order.
  public var functionResults: [TraceFunctionResult] = []
  /// The shapes of the elements; nil if the shapes were not requested.
  public var geometry: TracedGeometry?
  /// The warnings, one line each.
  public var warnings: [String] = []
  /// Whether starts that are barriers were ignored.
  public var startingPointsIgnored = false
  /// The result of an isolation trace; nil for other traces.
  public var isolation: IsolationResult?
  /// For nearest neighbour traces, whether the requested number of elements was found; nil for other traces.
  public var foundAllNearest: Bool?
  /// For shortest path traces, the sum of the network attribute along the path; nil for other traces.
  public var pathCost: Double?

  /// Whether the trace succeeded: false if an isolation cannot cut the start off from a controller.
  public var isSuccess: Bool { isolation?.controllersNotIsolated.isEmpty ?? true }

  /// The elements to select in one source and in its layer.
  public struct Selection: Sendable, Hashable {
    /// The id of the source.
    public var sourceID: Int
    /// The id of the layer; nil if the definition has none.
    public var layerID: Int?
    /// The elements in element order; each device is listed once, even if several of its terminals are
    /// reached.
    public var elements: [NetworkElement]
  }

  /// Returns the elements of each source, by the id of the source.
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
  /// The size of the result, such as `113 elements, path cost 12.5`. For an isolation, the numbers
  /// of barriers to close and of isolated elements follow, or a note that controllers are not
  /// isolated.
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

/// The value of one function of a trace's configuration over the elements of the result.
public struct TraceFunctionResult: Sendable, Hashable {
  /// The function of the configuration.
  public var function: TraceFunction
  /// The value; nil if no element counts, except for `add` and `count`, whose value is then 0.
  public var value: Double?

  /// Creates a function result.
  public init(function: TraceFunction, value: Double?) {
    self.function = function
    self.value = value
  }
}

/// The shapes of a result's elements, without a CRS.
public struct TracedGeometry: Sendable, Hashable {
  /// The points of junctions; nil for none.
  public var multipoint: Multipoint?
  /// The reached parts of edges; nil for none.
  public var polyline: Polyline?

  /// Creates the shapes of a result.
  public init(multipoint: Multipoint? = nil, polyline: Polyline? = nil) {
    self.multipoint = multipoint
    self.polyline = polyline
  }
}
