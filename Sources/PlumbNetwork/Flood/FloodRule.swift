/// The options of a flood.
struct FloodRule {
  /// The mark to set on reached elements.
  var mark: UInt32
  /// The flow that a step must permit: `Arc.outBit`, `Arc.inBit`, or either.
  var flow: UInt32 = Arc.outBit | Arc.inBit
  /// Whether steps that permit no flow are also taken, so that only barriers at locations stop the
  /// flood.
  var isBlind = false
  /// Whether filter barriers stop the flood.
  var stopsAtFilters = false
  /// Nodes and spans with any of these marks stop the flood.
  var stopMarks: UInt32 = 0
  /// The mark that a node needs to be reached; 0 if all nodes may be reached.
  var within: UInt32 = 0
  /// Excludes flow back through a cut vertex toward the controllers; nil to permit all flow.
  var outward: OutwardFlow?
  /// Whether the elements at the starts are open in both directions, even if they permit flow in
  /// only one direction.
  var opensStart = false
  /// The function barriers, whose running values may stop the flood.
  var functions: [BoundFunctionBarrier] = []
}

/// The nodes and spans reached by a flood.
struct ReachableSet {
  /// The reached nodes; the top bit is set for nodes that were not crossed.
  var nodes: [UInt32] = []
  /// The spans that were reached but not crossed.
  var stoppedSpans: [UInt32] = []

  static let stopped: UInt32 = 1 << 31
}
