import PlumbCore

extension UtilityNetwork {
  /// Returns the pieces into which the network is divided if every valve is closed.
  ///
  /// Flow directions are ignored, and all elements except valves conduct, including closed devices, one-way
  /// edges and unconnected terminals. A piece may have no junction or no edge. Structures and assemblies
  /// are not part of a piece.
  ///
  /// - Parameters:
  ///   - condition: the condition that makes elements valves; nil for none.
  ///   - scope: the elements to which the condition applies.
  ///   - locations: additional valves, also along edges.
  ///   - inoperable: elements that are not valves, overriding the condition and the locations.
  /// - Throws: an error if the condition or a location is invalid.
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
