import PlumbCore

/// Nodes and the arcs between them, in compressed row storage.
///
/// A node is a junction, a terminal of a device, or a point where edges meet without a junction. An
/// edge is cut at its mid-span connections into spans, each between two nodes.
final class NetworkGraph: Sendable {
  static let noJunction = UInt32.max

  let nodeCount: Int
  let spanCount: Int
  /// The first node of each junction, followed by the number of nodes of all junctions.
  let nodeStarts: TrivialBuffer<UInt32>
  /// The junction of each node, or `noJunction`.
  let nodeOwners: TrivialBuffer<UInt32>
  let nodeInfo: TrivialBuffer<NodeInfo>
  /// The first span of each edge, followed by the number of spans.
  let spanStarts: TrivialBuffer<UInt32>
  let spanEdges: TrivialBuffer<UInt32>
  /// The fraction of the edge at which each span ends.
  let spanEnds: TrivialBuffer<Double>
  /// The from and to node of each span.
  let spanNodes: TrivialBuffer<SIMD2<UInt32>>
  let arcStarts: TrivialBuffer<UInt32>
  let arcs: TrivialBuffer<Arc>
  /// Whether every arc permits flow in both directions.
  let isUndirected: Bool

  init(
    nodeStarts: TrivialBuffer<UInt32>, nodeOwners: [UInt32], nodeInfo: [NodeInfo], spans: SpanList,
    links: [GraphLink]
  ) {
    nodeCount = nodeOwners.count
    spanCount = spans.edges.count
    self.nodeStarts = nodeStarts
    self.nodeOwners = TrivialBuffer(nodeOwners)
    self.nodeInfo = TrivialBuffer(nodeInfo)
    spanStarts = TrivialBuffer(spans.starts)
    spanEdges = TrivialBuffer(spans.edges)
    spanEnds = TrivialBuffer(spans.ends)
    spanNodes = TrivialBuffer(spans.nodes)
    let starts = TrivialBuffer<UInt32>(count: nodeCount + 1, zeroed: true)
    for nodes in spans.nodes {
      unsafe starts.base[Int(nodes.x) + 1] += 1
      unsafe starts.base[Int(nodes.y) + 1] += 1
    }
    for link in links {
      unsafe starts.base[Int(link.from) + 1] += 1
      unsafe starts.base[Int(link.to) + 1] += 1
    }
    for node in 0..<nodeCount { unsafe starts.base[node + 1] += starts.base[node] }
    let next = TrivialBuffer<UInt32>(count: nodeCount)
    unsafe next.base.update(from: starts.base, count: nodeCount)
    let arcs = unsafe TrivialBuffer<Arc>(count: Int(starts.base[nodeCount]))
    func add(_ node: UInt32, _ arc: Arc) {
      unsafe arcs.base[Int(next.base[Int(node)])] = arc
      unsafe next.base[Int(node)] += 1
    }
    var isUndirected = true
    for (span, nodes) in spans.nodes.enumerated() {
      let flow = spans.flows[Int(spans.edges[span])]
      let (isForward, isBackward) = (flow != .backward, flow != .forward)
      if flow != .bothWays { isUndirected = false }
      let span = UInt32(truncatingIfNeeded: span)
      add(nodes.x, Arc(nodes.y, span: span, out: isForward, in: isBackward, isAtFrom: true))
      add(nodes.y, Arc(nodes.x, span: span, out: isBackward, in: isForward, isAtFrom: false))
    }
    for link in links {
      let span = link.isInside ? Arc.inside : Arc.association
      if !(link.isForward && link.isBackward) { isUndirected = false }
      add(
        link.from,
        Arc(link.to, span: span, out: link.isForward, in: link.isBackward, isAtFrom: true))
      add(
        link.to,
        Arc(link.from, span: span, out: link.isBackward, in: link.isForward, isAtFrom: false))
    }
    arcStarts = starts
    self.arcs = arcs
    self.isUndirected = isUndirected
  }

  @inline(__always)
  func arcRange(_ node: Int) -> Range<Int> {
    unsafe Int(arcStarts.base[node])..<Int(arcStarts.base[node + 1])
  }

  /// The fraction of the edge at which a span starts.
  func spanStart(_ span: Int) -> Double {
    unsafe Int(spanStarts.base[Int(spanEdges.base[span])]) == span ? 0 : spanEnds.base[span - 1]
  }
}

/// A node's asset type, and whether it starts a subnetwork.
struct NodeInfo: BitwiseCopyable, Sendable {
  /// The index in the catalog; `noType` for a node without a junction.
  var type: UInt16
  var isController: Bool

  static let noType = UInt16.max
  static let nothing = NodeInfo(type: noType, isController: false)
}

/// A directed arc from one node to another.
struct Arc: BitwiseCopyable, Sendable {
  let target: UInt32
  private let link: UInt32

  /// Placeholders for arcs without a span: a connectivity association, and a path inside a device.
  static let association = UInt32(1 << 29 - 1)
  static let inside = UInt32(1 << 29 - 2)
  static let outBit: UInt32 = 1
  static let inBit: UInt32 = 2

  init(_ target: UInt32, span: UInt32, out: Bool, in isIn: Bool, isAtFrom: Bool) {
    self.target = target
    link = span << 3 | (out ? 1 : 0) | (isIn ? 2 : 0) | (isAtFrom ? 4 : 0)
  }

  @inline(__always) var span: UInt32 { link >> 3 }
  @inline(__always) var isSpan: Bool { link >> 3 < Arc.inside }
  /// `outBit` if flow may run to the target, `inBit` if flow may come from the target.
  @inline(__always) var flow: UInt32 { link & 3 }
  /// Whether the arc starts at the first node of the span or of the association.
  @inline(__always) var isAtFrom: Bool { link & 4 != 0 }
}

/// The spans of all edges while a graph is built.
struct SpanList {
  var starts: [UInt32] = [0]
  var edges: [UInt32] = []
  var ends: [Double] = []
  var nodes: [SIMD2<UInt32>] = []
  /// The flow of each edge.
  var flows: [EdgeFlow] = []
}

/// A connection between two nodes without an edge.
struct GraphLink: Sendable {
  var from: UInt32
  var to: UInt32
  var isForward = true
  var isBackward = true
  /// Whether the connection is inside a device.
  var isInside = false
}
