/// The options of a flood.
struct FloodRule {
  /// The mark to set on reached elements.
  var mark: UInt32
  /// The flow that a step must permit: `Arc.outBit`, `Arc.inBit`, or either.
  var flow: UInt32 = Arc.outBit | Arc.inBit
  /// Whether steps that permit no flow are taken too, and only locations stop.
  var isBlind = false
  /// Whether filter barriers stop.
  var stopsAtFilters = false
  /// Nodes and spans with any of these marks stop.
  var stopMarks: UInt32 = 0
  /// Nodes without this mark are not reached; 0 for none such.
  var within: UInt32 = 0
  /// Excludes flow back through a cut vertex toward the controllers; nil to permit all flow.
  var outward: OutwardFlow?
  /// Whether the elements at the starts are open in both directions, whatever flow they permit.
  var opensOwn = false
  /// Functions whose running value stops the flood.
  var functions: [BoundFunctionBarrier] = []
}

/// The nodes and spans reached by a flood.
struct Reach {
  /// The reached nodes; the top bit is set for those not crossed.
  var nodes: [UInt32] = []
  /// Spans reached but not crossed.
  var stoppedSpans: [UInt32] = []

  static let stopped: UInt32 = 1 << 31
}
