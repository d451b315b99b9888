import PlumbCore

extension GraphAssembly {
  /// The junction found at a point.
  private struct Found {
    var junction: Int
    /// Another junction at the same distance; nil if there is none. `junction` comes first in the order of
    /// preference.
    var rival: Int?

    var isAmbiguous: Bool { rival != nil }
  }

  /// Returns the nearest junction within the tolerance. Structures and containers are returned only
  /// if there is no other junction. At equal distance, devices precede other junctions, and then
  /// element order applies.
  private func nearest(_ grid: PointGrid, _ point: SIMD2<Double>) -> Found? {
    var best: (isStructural: Bool, distance: Double)?
    var (first, rival): (Int?, Int?)
    grid.visit(point) { index, distance in
      let isStructural = usage(index).isStructural
      if let best {
        if best.isStructural != isStructural {
          if isStructural { return }
        } else if distance > best.distance || index == first || index == rival {
          return
        } else if distance == best.distance, let known = first {
          if precedes(index, before: known) {
            (first, rival) = (index, known)
          } else if rival.map({ precedes(index, before: $0) }) ?? true {
            rival = index
          }
          return
        }
      }
      best = (isStructural, distance)
      (first, rival) = (index, nil)
    }
    return first.map { Found(junction: $0, rival: rival) }
  }

  private func precedes(_ a: Int, before b: Int) -> Bool {
    let (isDevice, isOther) = (usage(a) == .device, usage(b) == .device)
    let ranks = unsafe index.ranks.base
    return isDevice == isOther ? unsafe ranks[a] < ranks[b] : isDevice
  }

  private func usage(_ junction: Int) -> NetworkSource.Usage {
    builder.catalog.sources[
      builder.catalog.types[Int(builder.junctions.types[junction])].source
    ].usage
  }

  private func ambiguity(_ edge: Int, _ found: Found, _ positionText: String) -> NetworkError {
    let pair = [found.junction, found.rival ?? found.junction].sorted()
    return NetworkError(
      .ambiguousConnection,
      "\(edgeName(edge)): \(positionText) at both \(names.name(pair[0])) and \(names.name(pair[1])): name one"
    )
  }

  /// Returns the node of the junction at an edge's end; nil if the end is already connected, or
  /// cannot be connected.
  private mutating func node(
    of edge: Int, _ slot: Int, at junction: Int
  ) throws(NetworkError) -> UInt32? {
    var terminal = builder.ends[slot].terminalID
    // In Esri data, the terminal id 1 denotes the only connection of a feature without terminals.
    let type = builder.catalog.types[Int(builder.junctions.types[junction])]
    if type.layout == nil, terminal == 1 { terminal = nil }
    do {
      return try node(junction, terminal)
    } catch {
      if error.kind == .terminalMissing, endNodes[slot] != Self.open { return nil }
      try faults.note(
        .unconnected, NetworkError(error.kind, "\(edgeName(edge)): at its end \(error.message)"))
      return type.layout == nil ? try node(junction, nil) : nil
    }
  }

  // MARK: Connections by location

  mutating func connectByLocation() throws(NetworkError) {
    let tolerance = builder.options.tolerance
    // An association may have connected an end to a node other than the node at the end's location.
    // In this case, the end is connected to both nodes.
    let points = TrivialBuffer(builder.points)
    let grid = unsafe PointGrid(UnsafeBufferPointer(points.pointer), tolerance: tolerance)
    var loose: [UInt32] = []
    var loosePoints: [SIMD2<Double>] = []
    for edge in 0..<builder.edges.count {
      let first = edge == 0 ? 0 : Int(builder.vertexEnds[edge - 1])
      let last = Int(builder.vertexEnds[edge]) - 1
      guard last > first else { continue }
      for side in 0..<2 where builder.ends[edge * 2 + side].source < 0 {
        let slot = edge * 2 + side
        let point = builder.vertices[side == 0 ? first : last]
        let positionText = { "its \(side == 0 ? "first" : "last") end is" }
        if let found = nearest(grid, point) {
          if found.isAmbiguous {
            if endNodes[slot] != Self.open { continue }
            try faults.note(.ambiguous, ambiguity(edge, found, positionText()))
          }
          guard let node = try node(of: edge, slot, at: found.junction) else { continue }
          if endNodes[slot] == Self.open {
            endNodes[slot] = node
          } else if endNodes[slot] != node {
            links.append(GraphLink(from: endNodes[slot], to: node))
          }
        } else if builder.ends[slot].terminalID == nil || faults.isLenient {
          if builder.ends[slot].terminalID ?? 1 != 1, endNodes[slot] == Self.open {
            try faults.note(
              .unconnected,
              NetworkError(
                .badFeature,
                "\(edgeName(edge)): \(positionText()) to be at a terminal, but no junction is there"
              ))
          }
          loose.append(UInt32(truncatingIfNeeded: slot))
          loosePoints.append(point)
        }
      }
      let type = builder.catalog.types[Int(builder.edges.types[edge])]
      if last - first > 1, type.connectsAtInnerVertices {
        try connectInnerVertices(edge, first, last, grid)
      }
    }
    joinLooseEnds(loose, loosePoints)
  }

  /// Assigns nodes to edge ends without a junction. Ends within the tolerance of each other share a
  /// node.
  private mutating func joinLooseEnds(_ ends: [UInt32], _ list: [SIMD2<Double>]) {
    guard !ends.isEmpty else { return }
    let points = TrivialBuffer(list)
    let grid = unsafe PointGrid(
      UnsafeBufferPointer(points.pointer), tolerance: builder.options.tolerance)
    var groups = UnionFind(ends.count)
    for (item, point) in list.enumerated() {
      grid.visit(point) { other, _ in if other > item { groups.join(item, other) } }
    }
    var nodes = [UInt32](repeating: Self.open, count: ends.count)
    for (item, end) in ends.enumerated() {
      let root = groups.root(item)
      if nodes[root] == Self.open {
        nodes[root] = endNodes[Int(end)] == Self.open ? addNode() : endNodes[Int(end)]
      }
      if endNodes[Int(end)] == Self.open {
        endNodes[Int(end)] = nodes[root]
      } else if endNodes[Int(end)] != nodes[root] {
        links.append(GraphLink(from: endNodes[Int(end)], to: nodes[root]))
      }
    }
  }

  private mutating func connectInnerVertices(
    _ edge: Int, _ first: Int, _ last: Int, _ grid: PointGrid
  ) throws(NetworkError) {
    var total: Double?
    var (length, before) = (0.0, endNodes[edge * 2])
    var lengthBefore = 0.0
    for vertex in first + 1..<last {
      let point = builder.vertices[vertex]
      length += Planar.distance(builder.vertices[vertex - 1], point)
      guard let found = nearest(grid, point) else { continue }
      let positionText = { "vertex \(vertex - first + 1) is" }
      if found.isAmbiguous { try faults.note(.ambiguous, ambiguity(edge, found, positionText())) }
      let node: UInt32
      do { node = try self.node(found.junction, nil) } catch {
        try faults.note(
          .unconnected,
          NetworkError(
            .ambiguousConnection,
            "\(edgeName(edge)): \(positionText()) at \(error.message): use an association"))
        continue
      }
      // If several vertices are close to a junction, the edge connects to the junction only once.
      let gap = 2 * builder.options.tolerance
      if node == before, length - lengthBefore <= gap { continue }
      let totalLength = total ?? Planar.length(builder.vertices[first...last])
      total = totalLength
      if node == endNodes[edge * 2 + 1], totalLength - length <= gap { continue }
      let fraction =
        totalLength > 0 ? length / totalLength : Double(vertex - first) / Double(last - first)
      midSpans.append(MidSpan(edge: UInt32(edge), fraction: min(1, fraction), node: node))
      (before, lengthBefore) = (node, length)
    }
  }
}
