/// The pieces into which closing every valve cuts a network, flow either way.
///
/// What only one valve after another is without an edge between is not a piece. Pieces are in the
/// order of their first element.
public struct IsolationSegments: Sendable {
  /// Of each piece: where its junctions end in `junctions`, and the like.
  package var junctionEnds: [Int] = []
  package var edgeEnds: [Int] = []
  package var valveEnds: [Int] = []
  package var junctions: [NetworkElement] = []
  package var edges: [NetworkElement] = []
  package var valves: [TraceLocation] = []

  package init() {}

  /// How many pieces there are.
  public var count: Int { junctionEnds.count }

  /// The junctions of a piece in element order; valves are none of them.
  public func junctions(of segment: Int) -> ArraySlice<NetworkElement> {
    junctions[(segment == 0 ? 0 : junctionEnds[segment - 1])..<junctionEnds[segment]]
  }

  /// The edges of which some part is in a piece, in element order.
  public func edges(of segment: Int) -> ArraySlice<NetworkElement> {
    edges[(segment == 0 ? 0 : edgeEnds[segment - 1])..<edgeEnds[segment]]
  }

  /// The valves that bound a piece, in element order; one with the piece on all its sides too.
  public func valves(of segment: Int) -> ArraySlice<TraceLocation> {
    valves[(segment == 0 ? 0 : valveEnds[segment - 1])..<valveEnds[segment]]
  }
}
