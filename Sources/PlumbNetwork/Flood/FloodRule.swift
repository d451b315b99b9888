/// How a flood runs.
struct FloodRule {
  /// Set on what is reached.
  var mark: UInt32
  /// Which flow a step must permit: `Arc.outBit`, `Arc.inBit`, or either.
  var flow: UInt32 = Arc.outBit | Arc.inBit
  /// Whether steps that permit no flow are taken too, and only locations stop.
  var isBlind = false
  /// Whether filter barriers stop.
  var stopsAtFilters = false
  /// Nodes and spans with any of these marks stop.
  var stopMarks: UInt32 = 0
  /// Nodes without this mark are not reached; 0 for none such.
  var within: UInt32 = 0
  /// Leaves out flow back through a cut vertex toward the controllers; nil where flow may run any way.
  var outward: OutwardFlow?
  /// Whether the starts' own elements let flow pass both ways, whichever way they permit.
  var opensOwn = false
  /// Functions whose running value stops.
  var functions: [BoundFunctionBarrier] = []
}

/// What a flood reached.
struct Reach {
  /// Nodes; the top bit is set for those not crossed.
  var nodes: [UInt32] = []
  /// Spans reached and not crossed.
  var stoppedSpans: [UInt32] = []

  static let stopped: UInt32 = 1 << 31
}
