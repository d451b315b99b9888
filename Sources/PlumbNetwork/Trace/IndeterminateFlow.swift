/// Takes out of a result what flow may pass either way.
struct IndeterminateFlow {
  let flood: Flood
  let outward: OutwardFlow

  /// - Parameter starts: nodes that stay.
  /// - Returns: what to say of what was taken out; nil for nothing.
  func drop(_ marks: ResultMarks, keeping starts: [UInt32]) -> String? {
    let (view, nodes, spans) = (flood.view, flood.nodes, flood.spans)
    var dropped: Set<Int> = []
    // They are unmarked last: each is judged with the others there.
    var pending: [UInt32] = []
    let kept = Set(starts)
    for node in marks.touchedNodes where nodes.has(Int(node), Mark.result) {
      var isIndeterminate = false
      view.forEachStep(Int(node)) { step in
        guard nodes.has(step.target, Mark.supplied), nodes.has(Int(node), Mark.supplied),
          outward.isIndeterminate(step, Int(node))
        else { return }
        if step.span >= 0 {
          if flood.barriers.asksSpans, flood.barriers.isBarrier(span: step.span) { return }
          if spans.has(step.span, Mark.result) {
            spans.clear(step.span, Mark.result)
            dropped.insert(view.edge(step.span) + view.network.junctionCount)
          }
        }
        isIndeterminate = true
      }
      if isIndeterminate, !kept.contains(node) {
        pending.append(node)
        if let junction = view.junction(Int(node)) { dropped.insert(junction) }
      }
    }
    for node in pending { nodes.clear(Int(node), Mark.result) }
    if dropped.isEmpty { return nil }
    return
      "\(dropped.count) \(dropped.count == 1 ? "element was" : "elements were") left out: their "
      + "flow is indeterminate"
  }
}
