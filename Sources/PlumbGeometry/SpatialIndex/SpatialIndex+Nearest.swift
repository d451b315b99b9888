import PlumbCore

extension SpatialIndex {
  /// An item and how far it is.
  public struct Neighbour: Sendable, Hashable {
    public var item: Int
    /// In the unit of the coordinates, unless a closure measured it.
    public var distance: Double

    public init(item: Int, distance: Double) {
      self.item = item
      self.distance = distance
    }
  }

  /// The items nearest to a place, nearest first; of those equally far, the lowest item first.
  ///
  /// - Parameters:
  ///   - count: how many items to find at most.
  ///   - maximumDistance: farther items are left out.
  ///   - distance: measures an item where its box is not exact enough; never less than the
  ///     distance to its box. NaN leaves the item out. Nil measures to the boxes: 0 inside.
  /// - Returns: none for a place that is not a number.
  /// - Complexity: about O(*count* · log *n*); few more items are measured than are found.
  public func nearest(
    to place: SIMD2<Double>, count: Int = 1, within maximumDistance: Double = .infinity,
    distance: ((_ item: Int) -> Double)? = nil
  ) -> [Neighbour] {
    var search = NearestSearch()
    var result: [Neighbour] = []
    withTree { tree in
      search.run(tree, place, count, maximumDistance, distance) { result.append($0) }
    }
    return result
  }

  /// The items whose boxes are nearest to each of many places.
  ///
  /// - Parameters:
  ///   - count: how many items to find for each place at most.
  ///   - maximumDistance: farther items are left out.
  /// - Returns: a list a place, nearest first; of those equally far, the lowest item first.
  /// - Precondition: as many `y` as `x`.
  public func nearest(
    toEach x: [Double], _ y: [Double], count: Int = 1,
    within maximumDistance: Double = .infinity, workers: Workers = Workers()
  ) -> ItemLists {
    precondition(x.count == y.count, "as many y as x")
    let grain = 512
    let parts = PartialLists(jobs: (x.count + grain - 1) / grain)
    let ends = TrivialBuffer<Int>(count: x.count)
    withTree { tree in
      workers.runRanges(x.count, grain: grain) { _, range in
        var search = NearestSearch()
        var found: [Int32] = []
        for query in range {
          search.run(tree, SIMD2(x[query], y[query]), count, maximumDistance, nil) {
            found.append(Int32(truncatingIfNeeded: $0.item))
          }
          ends.base[query] = found.count
        }
        parts[range.lowerBound / grain] = found
      }
    }
    return parts.joined(ends: ends, grain: grain)
  }

  /// The items within a distance of a place, ascending; those at the distance are among them.
  ///
  /// - Parameters:
  ///   - maximumDistance: in the unit of the coordinates; none for a negative one.
  ///   - distance: measures an item where its box is not exact enough; never less than the
  ///     distance to its box. Nil measures to the boxes.
  public func items(
    within maximumDistance: Double, of place: SIMD2<Double>,
    distance: ((_ item: Int) -> Double)? = nil
  ) -> [Int] {
    guard maximumDistance >= 0, !place.x.isNaN, !place.y.isNaN else { return [] }
    let boxReach = distance == nil ? maximumDistance : roundedReach(maximumDistance)
    // The window reaches a little farther, for the sums are rounded.
    let reach = SIMD2(repeating: roundedReach(maximumDistance))
    var (low, high) = (place - reach, place + reach)
    // An infinite place and an infinite distance: whatever the place is, it decides below.
    if reach.x == .infinity { (low, high) = (-reach, reach) }
    var result: [Int] = []
    withTree { tree in
      tree.visit(
        BoxTree.window(
          SIMD2(low.x.nextDown, low.y.nextDown), SIMD2(high.x.nextUp, high.y.nextUp))
      ) { leaf in
        let item = Int(tree.items[leaf])
        if boxDistance(tree.boxes[leaf], place) <= boxReach,
          distance.map({ $0(item) <= maximumDistance }) ?? true
        {
          result.append(item)
        }
        return true
      }
    }
    result.sort()
    return result
  }
}

/// A distance to boxes that leaves out no item whose own distance, rounded in another way, is
/// within `distance`.
private func roundedReach(_ distance: Double) -> Double {
  distance < .infinity ? (distance * (1 + 0x1p-50)).nextUp : distance
}

/// The distance from a place to a box of an index, 0 inside.
///
/// Rounded, but never more than to a box within: the search relies on that.
@inline(__always)
func boxDistance(_ box: SIMD4<Double>, _ place: SIMD2<Double>) -> Double {
  let x = place.x < box.x ? box.x - place.x : place.x > -box.z ? place.x + box.z : 0
  let y = place.y < box.y ? box.y - place.y : place.y > -box.w ? place.y + box.w : 0
  let most = max(x, y)
  if most > 1e-140 && most < 1e150 { return (x * x + y * y).squareRoot() }
  // Squares that would overflow or underflow: the same in another unit, a power of two.
  let unit = most > 1 ? 0x1p-600 : 0x1p600
  let (u, v) = (x * unit, y * unit)
  return (u * u + v * v).squareRoot() / unit
}

/// A search for the nearest items, best first; keeps its memory from one place to the next.
struct NearestSearch {
  /// What is known to be no nearer than a distance: a node of a level, a leaf that is to be
  /// measured, or an item.
  private struct Entry {
    /// −1 for a leaf that was measured, −2 for one that is to be.
    static let measured: Int32 = -1
    static let leaf: Int32 = -2

    var distance: Double
    var level: Int32
    /// The number on its level; of a measured one, the item.
    var number: Int32

    /// Whatever may hold an item of the same distance comes before the items, which come in order.
    @inline(__always)
    static func < (a: Entry, b: Entry) -> Bool {
      if a.distance != b.distance { return a.distance < b.distance }
      let (first, second) = (a.level == measured, b.level == measured)
      if first != second { return second }
      return first && a.number < b.number
    }
  }

  private var heap: [Entry] = []

  mutating func run(
    _ tree: BoxTree, _ place: SIMD2<Double>, _ count: Int, _ maximumDistance: Double,
    _ distance: ((_ item: Int) -> Double)?, _ found: (SpatialIndex.Neighbour) -> Void
  ) {
    heap.removeAll(keepingCapacity: true)
    guard tree.height > 0, count > 0, !place.x.isNaN, !place.y.isNaN else { return }
    var missing = count
    let reach = distance == nil ? maximumDistance : roundedReach(maximumDistance)
    pushChildren(tree, level: tree.height - 1, first: 0, place, reach, distance != nil)
    while let next = pop() {
      if next.level == Entry.measured {
        found(SpatialIndex.Neighbour(item: Int(next.number), distance: next.distance))
        missing -= 1
        if missing == 0 { return }
      } else if next.level == Entry.leaf {
        let item = tree.items[Int(next.number)]
        let exact = distance?(Int(item)) ?? next.distance
        if exact <= maximumDistance {
          push(Entry(distance: exact, level: Entry.measured, number: item))
        }
      } else {
        pushChildren(
          tree, level: Int(next.level) - 1, first: Int(next.number) * SpatialIndex.nodeSize, place,
          reach, distance != nil)
      }
    }
  }

  private mutating func pushChildren(
    _ tree: BoxTree, level: Int, first: Int, _ place: SIMD2<Double>, _ reach: Double,
    _ measures: Bool
  ) {
    let start = tree.levels[level]
    let end = min(first + SpatialIndex.nodeSize, tree.levels[level + 1] - start)
    for number in first..<end {
      let distance = boxDistance(tree.boxes[start + number], place)
      guard distance <= reach else { continue }
      let entry =
        level > 0
        ? Entry(distance: distance, level: Int32(level), number: Int32(number))
        : measures
          ? Entry(distance: distance, level: Entry.leaf, number: Int32(number))
          : Entry(distance: distance, level: Entry.measured, number: tree.items[number])
      push(entry)
    }
  }

  private mutating func push(_ entry: Entry) {
    heap.append(entry)
    heap.withUnsafeMutableBufferPointer { heap in
      var index = heap.count - 1
      while index > 0, entry < heap[(index - 1) / 2] {
        heap[index] = heap[(index - 1) / 2]
        index = (index - 1) / 2
      }
      heap[index] = entry
    }
  }

  private mutating func pop() -> Entry? {
    guard let last = heap.popLast() else { return nil }
    guard let result = heap.first else { return last }
    heap.withUnsafeMutableBufferPointer { heap in
      var index = 0
      while true {
        var child = 2 * index + 1
        if child >= heap.count { break }
        if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
        if !(heap[child] < last) { break }
        heap[index] = heap[child]
        index = child
      }
      heap[index] = last
    }
    return result
  }
}
