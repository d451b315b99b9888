import PlumbCore

extension UtilityNetwork {
  /// Returns the pieces of the network if every valve is closed.
  ///
  /// Flow directions are ignored, and everything except valves conducts: closed devices, one-way edges
  /// and unjoined terminals. A piece may have no junction or no edge. Structures and assemblies are in
  /// no piece.
  ///
  /// - Parameters:
  ///   - condition: elements that pass it are valves; nil for none.
  ///   - scope: the elements to which the condition applies.
  ///   - locations: additional valves, also along edges.
  ///   - inoperable: elements that are not valves, overriding the condition and the locations.
  /// - Throws: the error in the condition or a location.
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
