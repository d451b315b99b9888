import CKernels
import PlumbCore

/// Many points in groups of neighbouring points; the points of a group descend the tree of an index
/// together.
struct PointGroups: Sendable {
  /// The largest number of points in a group.
  static let size = 64
  /// The largest number of boxes that a group of several points may intersect; a group that
  /// intersects more boxes is halved.
  private static let maximumBoxes = 256
  /// The number of points per job.
  private static let grain = 4096

  /// The points of a group: their coordinates and their indices in the caller's list.
  struct Group {
    var x: UnsafePointer<Double>
    var y: UnsafePointer<Double>
    var words: UnsafePointer<UInt64>

    @inline(__always)
    func point(_ index: Int32) -> Int { Int(words[Int(index)] & 0xffff_ffff) }

    func advanced(by count: Int) -> Group {
      Group(x: x + count, y: y + count, words: words + count)
    }
  }

  /// Points of a group, as indices into the group.
  typealias Hits = UnsafeMutableBufferPointer<Int32>
  /// A function that receives the points in an item's box, moves the points that belong to the item
  /// to the front of the list, and returns their number.
  typealias Filter = @Sendable (_ item: Int, _ group: Group, _ hits: Hits) -> Int

  private let count: Int
  private let x: SharedPointer<UnsafeBufferPointer<Double>>
  private let y: SharedPointer<UnsafeBufferPointer<Double>>
  let workers: Workers
  /// The points in the order of the Hilbert curve, with their indices in the lower 32 bits.
  private let words: TrivialBuffer<UInt64>

  /// - Precondition: `x` and `y` have the same count, below 2³¹, and outlive the groups.
  init(x: UnsafeBufferPointer<Double>, y: UnsafeBufferPointer<Double>, workers: Workers) {
    precondition(x.count == y.count, "x and y differ in count")
    let (x, y) = (SharedPointer(x), SharedPointer(y))
    count = x.pointer.count
    (self.x, self.y) = (x, y)
    self.workers = workers
    words = CurveOrder.order(count, finest: Self.size, workers: workers) {
      SIMD2(x.pointer[$0], y.pointer[$0])
    }
  }

  /// The items of each point, ascending.
  func lists(_ index: SpatialIndex, _ filter: Filter) -> ItemLists {
    let counts = TrivialBuffer<Int32>(count: count, zeroed: true)
    let pairs = meet(index) { pairs, item, group, hits in
      let found = filter(item, group, hits)
      if found > 0, pairs.isEmpty { pairs.reserveCapacity(min(count, Self.grain) * 5 / 4) }
      for hit in 0..<found {
        let point = group.point(hits[hit])
        counts.base[point] &+= 1
        pairs.append(UInt64(truncatingIfNeeded: point) << 32 | UInt64(item))
      }
    }
    var total = 0
    let offsets = [Int](unsafeUninitializedCapacity: count + 1) { offsets, filled in
      offsets.initializeElement(at: 0, to: 0)
      for point in 0..<count {
        total &+= Int(counts.base[point])
        offsets.initializeElement(at: point + 1, to: total)
      }
      filled = count + 1
    }
    let items = [Int32](unsafeUninitializedCapacity: total) { items, filled in
      let items = SharedPointer(items)
      offsets.withUnsafeBufferPointer { offsets in
        let offsets = SharedPointer(offsets)
        workers.run(pairs.count) { _, job in
          let (items, offsets) = (items.pointer.baseAddress, offsets.pointer)
          // All items of a point are in the results of one job, ascending.
          for pair in pairs[job] {
            let point = Int(pair >> 32)
            let position = offsets[point + 1] - Int(counts.base[point])
            (items! + position).initialize(to: Int32(truncatingIfNeeded: pair & 0xffff_ffff))
            counts.base[point] &-= 1
          }
        }
      }
      filled = total
    }
    return ItemLists(offsets: offsets, items: items)
  }

  /// The least item of each point; −1 if there is none.
  func first(_ index: SpatialIndex, _ filter: Filter) -> [Int32] {
    [Int32](unsafeUninitializedCapacity: count) { result, filled in
      result.initialize(repeating: -1)
      let result = SharedPointer(result)
      _ = meet(index) { _, item, group, hits in
        let result = result.pointer
        var open = 0
        for index in hits where result[group.point(index)] < 0 {
          hits[open] = index
          open += 1
        }
        let kept = filter(item, group, Hits(rebasing: hits[..<open]))
        for hit in 0..<kept { result[group.point(hits[hit])] = Int32(truncatingIfNeeded: item) }
      }
      filled = count
    }
  }

  /// Calls `body` with each item whose box contains points of a group, and with these points. For
  /// each point, the items are ascending. Each job runs on one thread.
  ///
  /// - Returns: for each job, the pairs that `body` has appended.
  private func meet(
    _ index: SpatialIndex,
    _ body:
      @Sendable (
        _ pairs: inout [UInt64], _ item: Int, _ group: Group, _ hits: Hits
      ) -> Void
  ) -> [[UInt64]] {
    index.withTree { tree in
      let tree = SharedPointer(tree)
      return workers.mapRanges(count, grain: Self.grain) { _, range in
        let (x, y) = (x.pointer, y.pointer)
        var pairs: [UInt64] = []
        let (xs, ys) = (
          TrivialBuffer<Double>(count: range.count), TrivialBuffer<Double>(count: range.count)
        )
        let words = words.base + range.lowerBound
        for position in 0..<range.count {
          let point = Int(words[position] & 0xffff_ffff)
          xs.base[position] = x[point]
          ys.base[position] = y[point]
        }
        let all = Group(x: xs.base, y: ys.base, words: words)
        let hits = TrivialBuffer<Int32>(count: Self.size)
        var leaves: [UInt64] = []
        leaves.reserveCapacity(Self.maximumBoxes + 1)
        for start in stride(from: 0, to: range.count, by: Self.size) {
          meet(
            tree.pointer, all.advanced(by: start), count: min(Self.size, range.count - start),
            &leaves,
            hits.base
          ) { item, group, hits in body(&pairs, item, group, hits) }
        }
        return pairs
      }
    }
  }

  private func meet(
    _ tree: BoxTree, _ group: Group, count: Int, _ leaves: inout [UInt64],
    _ hits: UnsafeMutablePointer<Int32>, _ body: (_ item: Int, _ group: Group, _ hits: Hits) -> Void
  ) {
    var low = SIMD2<Double>(repeating: .infinity)
    var high = -low
    for index in 0..<count {
      // A NaN changes neither bound.
      let point = SIMD2(group.x[index], group.y[index])
      low.replace(with: point, where: point .< low)
      high.replace(with: point, where: point .> high)
    }
    guard low.x <= high.x && low.y <= high.y else { return }
    let limit = count == 1 ? Int.max : Self.maximumBoxes
    leaves.removeAll(keepingCapacity: true)
    tree.visit(BoxTree.window(low, high)) { leaf in
      leaves.append(UInt64(UInt32(bitPattern: tree.items[leaf])) << 32 | UInt64(leaf))
      return leaves.count <= limit
    }
    if leaves.count > limit {
      let half = count / 2
      meet(tree, group, count: half, &leaves, hits, body)
      meet(tree, group.advanced(by: half), count: count - half, &leaves, hits, body)
      return
    }
    leaves.withUnsafeMutableBufferPointer { leaves in
      sortAscending(leaves)
      for leaf in leaves {
        let box = tree.boxes[Int(leaf & 0xffff_ffff)]
        let found = plumb_points_in_box(
          group.x, group.y, count, box.x, box.y, -box.z, -box.w, hits)
        if found > 0 { body(Int(leaf >> 32), group, Hits(start: hits, count: found)) }
      }
    }
  }
}

/// Sorts short lists without allocating.
private func sortAscending(_ words: UnsafeMutableBufferPointer<UInt64>) {
  guard words.count <= 48 else {
    var words = words
    return words.sort()
  }
  for index in 1..<max(1, words.count) {
    let word = words[index]
    var position = index
    while position > 0, words[position - 1] > word {
      words[position] = words[position - 1]
      position -= 1
    }
    words[position] = word
  }
}
