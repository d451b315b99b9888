/// A node of a polygon's tree of edges, which limits the number of edges that are tested for a
/// point. A node has the bounding box of a chain of up to sixteen edges, or of up to eight nodes of
/// the level below.
///
/// A chain to the left of the point, above it or below it does not cross the ray towards positive
/// x. A chain to the right of the point crosses the ray an odd number of times if its ends are on
/// different sides of the ray. The search descends only into nodes whose boxes contain the point.
struct ChainNode {
  /// The largest number of edges in a chain.
  static let edges = 16
  /// The largest number of children of a node.
  static let children = 8

  var xMin: Double
  var yMin: Double
  var xMax: Double
  var yMax: Double
  /// The y coordinates at the start and the end of the node's chains. Rings that are entirely
  /// within the node do not affect the result, because they are closed. If the chains begin in one
  /// ring and end in another, `yFirstEnd` is the end of the first ring and `yLastStart` the start
  /// of the last ring; otherwise these two are equal.
  var yStart: Double
  var yFirstEnd: Double
  var yLastStart: Double
  var yEnd: Double

  /// Whether an odd number of the node's edges cross the ray from a point to the left of all these
  /// edges.
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
  /// The number of nodes on each level over some chains, from the chains up to a level with at most
  /// `children` nodes.
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
