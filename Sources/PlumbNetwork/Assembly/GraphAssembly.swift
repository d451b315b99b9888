import PlumbCore

/// Builds the graph from a builder's features.
struct GraphAssembly {
  let builder: NetworkBuilder
  let index: ElementIndex
  let names: ElementIdentifiers
  private(set) var nodeStarts: TrivialBuffer<UInt32>
  private(set) var owners: [UInt32] = []
  var links: [GraphLink] = []
  private(set) var spans = SpanList()
  private(set) var pairs = AssociationPairs()
  var faults: AssemblyFaults
  /// The nodes at the ends of edges, two per edge.
  var endNodes: [UInt32]
  /// The connections along edges, between their ends.
  var midSpans: [MidSpan] = []

  struct MidSpan {
    var edge: UInt32
    var fraction: Double
    var node: UInt32
  }

  static let open = UInt32.max

  init(
    _ builder: NetworkBuilder, _ index: ElementIndex, _ names: ElementIdentifiers,
    _ faults: AssemblyFaults
  ) throws(NetworkError) {
    self.builder = builder
    self.faults = faults
    self.index = index
    self.names = names
    let count = builder.junctions.count
    nodeStarts = TrivialBuffer(count: count + 1)
    endNodes = Array(repeating: Self.open, count: builder.edges.count * 2)
    makeNodes()
    try connectNamedEnds()
    try associate()
    if builder.options.connectsByLocation { try connectByLocation() }
    for end in endNodes.indices where endNodes[end] == Self.open {
      if builder.ends[end].terminalID != nil, !faults.isLenient {
        throw NetworkError(
          .badFeature,
          "\(edgeName(end / 2)): its \(end & 1 == 0 ? "first" : "last") end names a terminal, but no "
            + "junction is there")
      }
      endNodes[end] = addNode()
    }
    cutSpans()
    guard owners.count < 1 << 29, spans.edges.count < Int(Arc.inside) else {
      throw NetworkError(.tooLarge, "the network has more than 536,870,909 nodes or spans")
    }
  }

  // MARK: Nodes

  private mutating func makeNodes() {
    owners.reserveCapacity(builder.junctions.count)
    for junction in 0..<builder.junctions.count {
      let first = UInt32(truncatingIfNeeded: owners.count)
      unsafe nodeStarts.base[junction] = first
      let info = builder.catalog.types[Int(builder.junctions.types[junction])]
      for _ in 0..<info.terminalCount { owners.append(UInt32(truncatingIfNeeded: junction)) }
      guard let layout = info.layout, info.terminalCount > 1 else { continue }
      var joined: Set<[Int]> = []
      for pair in layout.paths[Int(builder.paths[junction])] where pair.from != pair.to {
        joined.insert([min(pair.from, pair.to), max(pair.from, pair.to)])
        links.append(
          GraphLink(
            from: first + UInt32(pair.from), to: first + UInt32(pair.to),
            isBackward: !pair.isOneWay, isInside: true))
      }
      // Terminals that the current path does not join have no flow between them, but connected
      // traces pass from one terminal to the other.
      for a in 0..<info.terminalCount {
        for b in a + 1..<max(a + 1, info.terminalCount) where !joined.contains([a, b]) {
          links.append(
            GraphLink(
              from: first + UInt32(a), to: first + UInt32(b), isForward: false, isBackward: false,
              isInside: true))
        }
      }
    }
    unsafe nodeStarts.base[builder.junctions.count] = UInt32(truncatingIfNeeded: owners.count)
  }

  mutating func addNode() -> UInt32 {
    owners.append(NetworkGraph.noJunction)
    return UInt32(truncatingIfNeeded: owners.count - 1)
  }

  func edgeName(_ edge: Int) -> String { names.name(builder.junctions.count + edge) }

  /// Returns the node of a junction at a terminal.
  func node(
    _ junction: Int, _ terminalID: Int?
  ) throws(NetworkError) -> UInt32 {
    let info = builder.catalog.types[Int(builder.junctions.types[junction])]
    if info.layout == nil, terminalID == nil { return unsafe nodeStarts.base[junction] }
    let terminal = try builder.catalog.terminal(
      terminalID, info, builder.junctions.identifiers.text(junction))
    return unsafe nodeStarts.base[junction] + UInt32(terminal)
  }

  // MARK: Connections by name

  private mutating func connectNamedEnds() throws(NetworkError) {
    for (end, record) in builder.ends.enumerated() where record.source >= 0 {
      let id = builder.endNames.text(Int(record.name))
      let source = builder.catalog.sources[Int(record.source)]
      guard let element = index.find(Int(record.source), id, names),
        element < builder.junctions.count
      else {
        throw NetworkError(
          .unknownElement,
          "\(edgeName(end / 2)): its \(end & 1 == 0 ? "first" : "last") end is at "
            + "\(source.name.printable):\(id.printable), which is not a junction of the network")
      }
      do {
        endNodes[end] = try node(element, record.terminalID)
      } catch {
        throw NetworkError(error.kind, "\(edgeName(end / 2)): at its end \(error.message)")
      }
    }
  }

  private func element(_ name: ElementName, _ what: String) throws(NetworkError) -> Int {
    guard let source = builder.catalog.sourceIndex[name.sourceID],
      let element = index.find(source, name.globalID, names)
    else {
      throw NetworkError(
        .unknownElement,
        "a \(what) association names \(name.sourceID):\(name.globalID.printable), which does not exist"
      )
    }
    return element
  }

  private mutating func associate() throws(NetworkError) {
    for (number, association) in builder.associations.enumerated() {
      do throws(NetworkError) {
        try associate(association)
      } catch {
        var fault = error
        fault.association = number
        try faults.note(.association, fault)
      }
    }
  }

  private mutating func associate(_ association: NetworkAssociation) throws(NetworkError) {
    switch association {
    case .containment(let container, let content):
      pairs.containers.append(
        (
          UInt32(try element(content, "containment")),
          UInt32(try element(container, "containment"))
        ))
    case .structuralAttachment(let structure, let attached):
      pairs.structures.append(
        (
          UInt32(try element(attached, "structural attachment")),
          UInt32(try element(structure, "structural attachment"))
        ))
    case .connectivity(let a, let b): try connect(a, b)
    }
  }

  private mutating func connect(
    _ a: AssociationEnd, _ b: AssociationEnd
  ) throws(NetworkError) {
    let (first, second) = (
      try element(a.element, "connectivity"), try element(b.element, "connectivity")
    )
    let junctionCount = builder.junctions.count
    switch (first < junctionCount, second < junctionCount) {
    case (true, true):
      guard a.percentAlong == nil, b.percentAlong == nil else {
        throw NetworkError(
          .badFeature,
          "the association of \(names.name(first)) and \(names.name(second)) gives a point along an "
            + "edge, but both are junctions")
      }
      links.append(
        GraphLink(from: try node(first, a.terminalID), to: try node(second, b.terminalID)))
    case (false, false):
      throw NetworkError(
        .badFeature,
        "\(names.name(first)) and \(names.name(second)) are both edges: an association needs a "
          + "junction")
    case (true, false): try connect(first, a, edge: second - junctionCount, b)
    case (false, true): try connect(second, b, edge: first - junctionCount, a)
    }
  }

  private mutating func connect(
    _ junction: Int, _ end: AssociationEnd, edge: Int, _ edgeEnd: AssociationEnd
  ) throws(NetworkError) {
    guard edgeEnd.terminalID == nil, end.percentAlong == nil, let fraction = edgeEnd.percentAlong,
      fraction >= 0, fraction <= 1
    else {
      throw NetworkError(
        .badFeature,
        "the association of \(names.name(junction)) and \(edgeName(edge)) needs a point along the "
          + "edge, 0 to 1, and allows a terminal only for the junction")
    }
    let node = try node(junction, end.terminalID)
    guard fraction == 0 || fraction == 1 else {
      midSpans.append(MidSpan(edge: UInt32(edge), fraction: fraction, node: node))
      return
    }
    let slot = edge * 2 + Int(fraction)
    if endNodes[slot] == Self.open, builder.ends[slot].terminalID == nil {
      endNodes[slot] = node
    } else if endNodes[slot] != node {
      if endNodes[slot] == Self.open { endNodes[slot] = addNode() }
      links.append(GraphLink(from: node, to: endNodes[slot]))
    }
  }

  // MARK: Spans

  private mutating func cutSpans() {
    let ranks = unsafe index.ranks.base
    let owners = owners
    midSpans.sort { a, b in
      if a.edge != b.edge { return a.edge < b.edge }
      if a.fraction != b.fraction { return a.fraction < b.fraction }
      let (first, second) = unsafe (
        ranks[Int(owners[Int(a.node)])], ranks[Int(owners[Int(b.node)])]
      )
      return first != second ? first < second : a.node < b.node
    }
    let count = builder.edges.count + midSpans.count
    spans.starts.reserveCapacity(builder.edges.count + 1)
    spans.edges.reserveCapacity(count)
    spans.ends.reserveCapacity(count)
    spans.nodes.reserveCapacity(count)
    spans.flows = builder.flows
    var next = 0
    for edge in 0..<builder.edges.count {
      var node = endNodes[edge * 2]
      while next < midSpans.count, midSpans[next].edge == edge {
        let cut = midSpans[next]
        next += 1
        // A duplicate connection is ignored.
        if next > 1, midSpans[next - 2].edge == cut.edge, midSpans[next - 2].node == cut.node,
          midSpans[next - 2].fraction == cut.fraction
        {
          continue
        }
        addSpan(edge, node, cut.node, cut.fraction)
        node = cut.node
      }
      addSpan(edge, node, endNodes[edge * 2 + 1], 1)
      spans.starts.append(UInt32(truncatingIfNeeded: spans.edges.count))
    }
  }

  private mutating func addSpan(_ edge: Int, _ from: UInt32, _ to: UInt32, _ end: Double) {
    spans.edges.append(UInt32(truncatingIfNeeded: edge))
    spans.nodes.append(SIMD2(from, to))
    spans.ends.append(end)
  }
}

/// The associations that do not conduct flow, as pairs of element numbers. The contained or
/// attached element is the first element of a pair.
struct AssociationPairs: Sendable {
  var containers: [(UInt32, UInt32)] = []
  var structures: [(UInt32, UInt32)] = []
}
