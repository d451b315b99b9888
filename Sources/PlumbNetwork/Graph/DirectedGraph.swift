/// Vertices and the directed arcs between them, stored in rows: the arcs from one vertex are consecutive.
struct DirectedGraph: Sendable {
  /// The top bit, which is set in the target of an arc without a reverse arc.
  static let oneWay: UInt32 = 1 << 31

  struct Rows: Sendable {
    fileprivate(set) var starts: [UInt32]
    /// The target vertices of the arcs, with `oneWay`.
    fileprivate(set) var targets: [UInt32]

    @inline(__always)
    func range(_ vertex: Int) -> Range<Int> {
      Int(starts[vertex])..<Int(starts[vertex + 1])
    }

    @inline(__always)
    func target(_ index: Int) -> Int { Int(targets[index] & ~DirectedGraph.oneWay) }

    func isOneWay(_ index: Int) -> Bool { targets[index] & DirectedGraph.oneWay != 0 }
  }

  let count: Int
  let outs: Rows
  let ins: Rows

  /// - Parameter ways: the arcs, from vertex `x` to vertex `y`; `oneWay` is set in `y` for arcs without a
  ///   reverse arc.
  init(count: Int, ways: [SIMD2<UInt32>]) {
    self.count = count
    outs = Self.rows(count, ways.lazy.map { ($0.x, $0.y) })
    ins = Self.rows(
      count, ways.lazy.map { ($0.y & ~Self.oneWay, $0.x | ($0.y & Self.oneWay)) })
  }

  private static func rows(
    _ count: Int, _ ways: some Sequence<(UInt32, UInt32)>
  ) -> Rows {
    var starts = [UInt32](repeating: 0, count: count + 1)
    for (from, _) in ways { starts[Int(from) + 1] += 1 }
    for vertex in 0..<count { starts[vertex + 1] += starts[vertex] }
    var next = starts
    var targets = [UInt32](repeating: 0, count: Int(starts[count]))
    for (from, to) in ways {
      targets[Int(next[Int(from)])] = to
      next[Int(from)] += 1
    }
    return Rows(starts: starts, targets: targets)
  }

  /// The part of a graph that a search uses.
  struct Part {
    /// Whether the search follows the arcs backwards.
    var isReversed = false
    /// The vertices that may be reached; empty for all.
    var members: [Bool] = []
    /// The vertices that may be reached but not left; empty for none.
    var ends: [Bool] = []

    @inline(__always)
    func has(_ vertex: Int) -> Bool { members.isEmpty || members[vertex] }

    @inline(__always)
    func leaves(_ vertex: Int) -> Bool { ends.isEmpty || !ends[vertex] }
  }

  @inline(__always)
  func ways(_ part: Part) -> Rows { part.isReversed ? ins : outs }

  /// Whether each vertex is reachable from `start`; true for `start` itself.
  func reachable(from start: Int, _ part: Part) -> [Bool] {
    var isReached = [Bool](repeating: false, count: count)
    isReached[start] = true
    var list = [start]
    let rows = ways(part)
    while let vertex = list.popLast() {
      if vertex != start, !part.leaves(vertex) { continue }
      for index in rows.range(vertex) {
        let target = rows.target(index)
        if isReached[target] || !part.has(target) { continue }
        isReached[target] = true
        list.append(target)
      }
    }
    return isReached
  }
}
