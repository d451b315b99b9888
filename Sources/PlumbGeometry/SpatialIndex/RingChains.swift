/// A node of a polygon's tree of edges, which limits the edges that are tested for a point: the
/// bounding box of a chain of up to sixteen edges, of eight chains, and so on.
///
/// A chain left of the point, above or below it does not cross the ray towards positive x. A chain
/// right of it crosses the ray an odd number of times if its ends are on different sides of the
/// ray. Only chains whose boxes contain the point are descended into.
struct ChainNode {
  /// The most edges in a chain.
  static let edges = 16
  /// The most children of a node.
  static let children = 8

  var xMin: Double
  var yMin: Double
  var xMax: Double
  var yMax: Double
  /// y at the start and the end of the chain. Rings that are entirely within it do not count, since
  /// they are closed. If it begins in one ring and ends in another, the first ring's end and the
  /// last ring's start count, too; otherwise these two are equal.
  var yStart: Double
  var yFirstEnd: Double
  var yLastStart: Double
  var yEnd: Double

  /// Whether an odd number of edges cross the ray from a point left of all.
  @inline(__always)
  func isOdd(above y: Double) -> Bool {
    ((yStart > y) != (yFirstEnd > y)) != ((yLastStart > y) != (yEnd > y))
  }
}

/// A chain of edges within a ring: its first vertex and its number of edges.
struct Chain {
  var first: Int
  var edges: Int32
  /// The index of the ring in the polygon's rings.
  var ring: Int32
}

extension ChainNode {
  /// The number of nodes on each level over some chains, from the chains up to at most one node's
  /// children.
  static func levelSizes(chains: Int) -> [Int] {
    guard chains > 0 else { return [] }
    var sizes = [chains]
    while let last = sizes.last, last > children {
      sizes.append((last + children - 1) / children)
    }
    return sizes
  }

  /// The number of chains in a ring.
  static func chains(edges: Int) -> Int { (edges + Self.edges - 1) / Self.edges }

  /// Fills the nodes of all levels over some chains of one polygon.
  ///
  /// - Parameter ring: the range of vertices of a ring.
  static func build(
    _ nodes: UnsafeMutablePointer<ChainNode>, over chains: UnsafeBufferPointer<Chain>,
    x: UnsafePointer<Double>, y: UnsafePointer<Double>, ring: (Int32) -> Range<Int>
  ) {
    for (index, chain) in chains.enumerated() {
      let last = chain.first + Int(chain.edges)
      var node = ChainNode(
        xMin: x[last], yMin: y[last], xMax: x[last], yMax: y[last], yStart: y[chain.first],
        yFirstEnd: 0, yLastStart: 0, yEnd: y[last])
      for vertex in chain.first..<last {
        node.xMin = min(node.xMin, x[vertex])
        node.yMin = min(node.yMin, y[vertex])
        node.xMax = max(node.xMax, x[vertex])
        node.yMax = max(node.yMax, y[vertex])
      }
      nodes[index] = node
    }
    var children = nodes
    var chainsOfChild = 1
    let sizes = levelSizes(chains: chains.count)
    for (below, size) in zip(sizes, sizes.dropFirst()) {
      let level = children + below
      for index in 0..<size {
        let first = index * Self.children
        let end = min(first + Self.children, below)
        var node = children[first]
        for child in first + 1..<max(first + 1, end) {
          node.xMin = min(node.xMin, children[child].xMin)
          node.yMin = min(node.yMin, children[child].yMin)
          node.xMax = max(node.xMax, children[child].xMax)
          node.yMax = max(node.yMax, children[child].yMax)
        }
        node.yEnd = children[end - 1].yEnd
        let firstRing = chains[first * chainsOfChild].ring
        let lastRing = chains[min(end * chainsOfChild, chains.count) - 1].ring
        (node.yFirstEnd, node.yLastStart) = (0, 0)
        if firstRing != lastRing {
          node.yFirstEnd = y[ring(firstRing).upperBound - 1]
          node.yLastStart = y[ring(lastRing).lowerBound]
        }
        level[index] = node
      }
      children = level
      chainsOfChild *= Self.children
    }
  }
}
