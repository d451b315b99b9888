/// The pieces of a network when every valve is closed; flow directions are ignored.
///
/// Adjacent valves without an edge between them do not form a piece. Pieces are in the order of their
/// first element.
public struct IsolationSegments: Sendable {
  /// The end of each piece in the list of junctions; the next two properties are the ends in the lists of
  /// edges and valves.
  var junctionEnds: [Int] = []
  var edgeEnds: [Int] = []
  var valveEnds: [Int] = []
  package var junctions: [NetworkElement] = []
  package var edges: [NetworkElement] = []
  package var valves: [TraceLocation] = []

  package init() {}

  /// The number of pieces.
  public var count: Int { junctionEnds.count }

  /// The junctions of a piece in element order, without valves.
  public func junctions(of segment: Int) -> ArraySlice<NetworkElement> {
    junctions[(segment == 0 ? 0 : junctionEnds[segment - 1])..<junctionEnds[segment]]
  }

  /// The edges that are completely or partly in a piece, in element order.
  public func edges(of segment: Int) -> ArraySlice<NetworkElement> {
    edges[(segment == 0 ? 0 : edgeEnds[segment - 1])..<edgeEnds[segment]]
  }

  /// The valves that bound a piece, in element order, including valves with the piece on all sides.
  public func valves(of segment: Int) -> ArraySlice<TraceLocation> {
    valves[(segment == 0 ? 0 : valveEnds[segment - 1])..<valveEnds[segment]]
  }
}
