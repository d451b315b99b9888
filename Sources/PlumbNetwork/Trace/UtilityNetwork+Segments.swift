import PlumbCore

extension UtilityNetwork {
  /// The pieces into which closing every valve cuts the network.
  ///
  /// Flow may run any way and through everything but valves: closed devices, one-way edges and
  /// paths of terminals that do not join all conduct. A piece without a junction, or without an
  /// edge, is one too. Structures and assemblies are in no piece.
  ///
  /// - Parameters:
  ///   - condition: what elements are valves; nil for none.
  ///   - scope: which elements the condition is asked of.
  ///   - locations: more valves, also along edges.
  ///   - inoperable: elements that are not valves, whatever the condition and the locations say.
  /// - Throws: what is wrong with the condition or a location.
  /// - Complexity: O(elements).
  public func segments(
    filterBarriers condition: TraceCondition?, scope: TraversabilityScope = .junctionsAndEdges,
    locations: [TraceLocation] = [], inoperable: [NetworkElement] = []
  ) throws(NetworkError) -> IsolationSegments {
    for location in locations { try check(location, isStart: false) }
    for element in inoperable { try check(TraceLocation(element), isStart: false) }
    let cuts = EdgeCuts(
      locations.compactMap { location in
        guard isEdge(location.element), let fraction = location.fractionAlongEdge else {
          return nil
        }
        return (location.element.index - UInt32(junctionCount), fraction)
      }, graph)
    return try withScratch(extra: cuts.points.count) { scratch throws(NetworkError) in
      let barriers = try Barriers(
        TraceView(self, cuts, isOpen: false), scratch, valves: condition, scope, locations,
        inoperable: inoperable)
      var pieces = SegmentPieces(barriers)
      return pieces.segments()
    }
  }
}
