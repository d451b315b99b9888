/// The points at which one trace cuts edges: its starts and barriers along edges. The graph is not
/// changed. Cuts are nodes that are numbered after the graph's nodes. The parts between cuts are
/// spans that are numbered after the graph's spans.
struct EdgeCuts {
  struct Part {
    var edge: UInt32
    var from: Double
    var to: Double
    var nodes: SIMD2<UInt32>
  }

  /// An arc from a cut to a neighbouring node or cut. `span` is the number of the part between them.
  struct CutArc {
    var target: UInt32
    var span: UInt32
    var flow: UInt32
  }

  private(set) var parts: [Part] = []
  /// The arcs of the cuts, two per cut.
  private(set) var arcs: [CutArc] = []
  /// The parts of each cut span.
  private(set) var partsOfSpan: [UInt32: Range<Int>] = [:]
  /// The edge and fraction of each cut.
  private(set) var points: [(edge: UInt32, fraction: Double)] = []
  /// A bit mask in which bit `span % 64` is set for each cut span. A span whose bit is not set is not
  /// cut, so that most spans need no lookup.
  private(set) var filter: UInt64 = 0

  var isEmpty: Bool { points.isEmpty }

  /// - Parameter cuts: edges and fractions, in any order, possibly with duplicates.
  init(_ cuts: [(edge: UInt32, fraction: Double)], _ graph: NetworkGraph) {
    let sorted = cuts.sorted { $0.edge != $1.edge ? $0.edge < $1.edge : $0.fraction < $1.fraction }
    var bySpan: [(span: Int, nodes: [Int])] = []
    for cut in sorted where points.last.map({ $0 != cut }) ?? true {
      points.append(cut)
      let spans =
        unsafe Int(
          graph.spanStarts.base[Int(cut.edge)])..<Int(graph.spanStarts.base[Int(cut.edge) + 1])
      let span =
        spans.first { unsafe graph.spanEnds.base[$0] >= cut.fraction } ?? spans.upperBound - 1
      if bySpan.last?.span == span {
        bySpan[bySpan.count - 1].nodes.append(points.count - 1)
      } else {
        bySpan.append((span, [points.count - 1]))
      }
    }
    arcs = Array(repeating: CutArc(target: 0, span: 0, flow: 0), count: points.count * 2)
    for (span, cuts) in bySpan {
      let ends = unsafe graph.spanNodes.base[span]
      let first = parts.count
      partsOfSpan[UInt32(span)] = first..<first + cuts.count + 1
      filter |= 1 << UInt64(span & 63)
      let nodes = [ends.x] + cuts.map { UInt32(graph.nodeCount + $0) } + [ends.y]
      let bounds =
        unsafe [graph.spanStart(span)] + cuts.map { points[$0].fraction }
        + [graph.spanEnds.base[span]]
      for index in 0...cuts.count {
        unsafe parts.append(
          Part(
            edge: graph.spanEdges.base[span], from: bounds[index], to: bounds[index + 1],
            nodes: SIMD2(nodes[index], nodes[index + 1])))
      }
      let flow = Self.flow(span, graph)
      for (index, cut) in cuts.enumerated() {
        let part = UInt32(graph.spanCount + first + index)
        arcs[cut * 2] = CutArc(target: nodes[index], span: part, flow: Self.reversed(flow))
        arcs[cut * 2 + 1] = CutArc(target: nodes[index + 2], span: part + 1, flow: flow)
      }
    }
  }

  private static func reversed(_ flow: UInt32) -> UInt32 { (flow & 1) << 1 | flow >> 1 }

  /// Returns the permitted flow of a span, relative to its first node.
  private static func flow(_ span: Int, _ graph: NetworkGraph) -> UInt32 {
    for arc in unsafe graph.arcRange(Int(graph.spanNodes.base[span].x)) {
      let arc = unsafe graph.arcs.base[arc]
      if arc.isSpan, Int(arc.span) == span, arc.isAtFrom { return arc.flow }
    }
    return 0
  }

  /// Returns the number of the cut at a point; nil if there is none.
  func cut(_ edge: UInt32, _ fraction: Double) -> Int? {
    points.firstIndex { $0.edge == edge && $0.fraction == fraction }
  }
}
