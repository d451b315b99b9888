/// The marks of the nodes and spans of a result. The lists contain all nodes and spans that were ever marked,
/// even if their mark was cleared later.
struct ResultMarks {
  let nodes: Marks
  let spans: Marks
  /// The mark to set.
  let mark: UInt32
  private(set) var touchedNodes: [UInt32] = []
  private(set) var touchedSpans: [UInt32] = []

  init(_ flood: Flood, mark: UInt32 = Mark.result) {
    self.mark = mark
    nodes = flood.nodes
    spans = flood.spans
  }

  mutating func insert(node: UInt32) {
    if nodes.set(Int(node), mark) { touchedNodes.append(node) }
  }

  mutating func insert(span: Int) {
    if spans.set(span, mark) { touchedSpans.append(UInt32(span)) }
  }

  /// Adds the nodes and spans that a flood reached, including barriers if `keepsBarriers` is true.
  mutating func insert(
    _ reachable: ReachableSet, _ rule: FloodRule, of flood: Flood, keepsBarriers: Bool
  ) {
    for node in reachable.nodes {
      let item = node & ~ReachableSet.stopped
      if node & ReachableSet.stopped != 0, !keepsBarriers,
        !flood.barriers.isStoppingController(Int(item)), !flood.view.hasTerminals(Int(item))
      {
        continue
      }
      insert(node: item)
    }
    flood.crossedSpans(reachable, rule) { insert(span: $0) }
    for span in reachable.stoppedSpans where keepsBarriers { insert(span: Int(span)) }
  }
}
