import PlumbCore
import PlumbGeometry

/// Parts of a network that are unconnected, possibly by mistake.
public struct UnconnectedParts: Sendable {
  /// A point, or the end of a line, that is near an element but not connected to the element.
  public struct NearMiss: Sendable, Hashable {
    /// The point, or the line whose end is near the neighbour.
    public var element: NetworkElement
    /// The position in the network's coordinates.
    public var point: SIMD2<Double>
    /// The nearby element to which the point or line is not connected.
    public var neighbor: NetworkElement
    /// The distance in the unit of the coordinates.
    public var distance: Double
  }

  /// Junctions and devices with a point but without connections, in element order.
  public var points: [NetworkElement] = []
  /// The elements of `points` that are subnetwork controllers.
  public var controllers: [NetworkElement] = []
  /// The near misses of unconnected points and of dead ends, each with the nearest element.
  public var nearMisses: [NearMiss] = []
}

extension UtilityNetwork {
  /// Returns the points without connections, and the near misses.
  ///
  /// - Parameter nearness: the maximum distance of near misses; 0 for none.
  /// - Complexity: O(elements); near misses require an index of all shapes.
  public func looseParts(nearness: Double) -> UnconnectedParts {
    var result = UnconnectedParts()
    for item in (0..<index.order.count).lazy.map({ [index] in unsafe index.order.base[$0] })
    where Int(item) < junctionCount {
      let element = NetworkElement(index: item)
      let usage = catalog.sources[typeInfo(Int(item)).source].usage
      guard !usage.isStructural, point(of: element) != nil else { continue }
      let nodes = unsafe graph.nodeStarts.base[Int(item)]..<graph.nodeStarts.base[Int(item) + 1]
      guard !nodes.contains(where: { connections(Int($0)) > 0 }) else { continue }
      result.points.append(element)
      if nodes.contains(where: { unsafe graph.nodeInfo.base[Int($0)].isController }) {
        result.controllers.append(element)
      }
    }
    guard nearness > 0, nearness.isFinite else { return result }
    for element in result.points {
      guard let point = point(of: element) else { continue }
      note(element, point, known: [element], nearness, &result)
    }
    for item in (0..<index.order.count).lazy.map({ [index] in unsafe index.order.base[$0] })
    where Int(item) >= junctionCount {
      noteEnds(Int(item) - junctionCount, nearness, &result)
    }
    return result
  }

  /// The number of a node's connections outside its device.
  private func connections(_ node: Int) -> Int {
    graph.arcRange(node).count { unsafe graph.arcs.base[$0].span != Arc.inside }
  }

  private func noteEnds(_ edge: Int, _ nearness: Double, _ result: inout UnconnectedParts) {
    let element = NetworkElement(index: UInt32(edge + junctionCount))
    let chain = vertices(of: element)
    guard let first = chain.first, let last = chain.last, chain.count > 1 else { return }
    let spans = unsafe Int(graph.spanStarts.base[edge])..<Int(graph.spanStarts.base[edge + 1])
    guard !spans.isEmpty else { return }
    let ends = unsafe [
      (Int(graph.spanNodes.base[spans.lowerBound].x), first),
      (Int(graph.spanNodes.base[spans.upperBound - 1].y), last),
    ]
    for (node, point) in ends where connections(node) == 1 && !hasWaysOn(node) {
      // Elements connected within one step of this edge are not near misses.
      var known: Set<NetworkElement> = [element]
      for span in spans {
        for node in unsafe [graph.spanNodes.base[span].x, graph.spanNodes.base[span].y] {
          known.formUnion(elements(around: Int(node)))
        }
      }
      note(element, point, known: known, nearness, &result)
    }
  }

  /// Whether another node of the same device is connected.
  private func hasWaysOn(_ node: Int) -> Bool {
    graph.arcRange(node).contains { index in
      let arc = unsafe graph.arcs.base[index]
      return arc.span == Arc.inside && connections(Int(arc.target)) > 0
    }
  }

  private func elements(around node: Int) -> Set<NetworkElement> {
    var result: Set<NetworkElement> = []
    func add(owner node: Int) {
      let owner = unsafe graph.nodeOwners.base[node]
      if owner != NetworkGraph.noJunction { result.insert(NetworkElement(index: owner)) }
    }
    add(owner: node)
    for index in graph.arcRange(node) {
      let arc = unsafe graph.arcs.base[index]
      if arc.isSpan {
        let edge = unsafe graph.spanEdges.base[Int(arc.span)]
        result.insert(NetworkElement(index: edge + UInt32(junctionCount)))
      }
      add(owner: Int(arc.target))
    }
    return result
  }

  private func note(
    _ element: NetworkElement, _ point: SIMD2<Double>, known: Set<NetworkElement>,
    _ nearness: Double, _ result: inout UnconnectedParts
  ) {
    guard let (other, distance) = nearest(to: point, tolerance: nearness, leavingOut: known) else {
      return
    }
    result.nearMisses.append(
      UnconnectedParts.NearMiss(element: element, point: point, neighbor: other, distance: distance)
    )
  }
}
