/// A distance, slightly larger than `distance`, for comparison with box distances: no item within
/// `distance` is excluded because of a rounding error.
func roundedRadius(_ distance: Double) -> Double {
  distance < .infinity ? (distance * (1 + 0x1p-50)).nextUp : distance
}

/// The distance from a point to a box of an index; 0 inside the box.
///
/// The result is rounded, but it never exceeds the result for a box that is within this box. The
/// search relies on this property.
@inline(__always)
func boxDistance(_ box: SIMD4<Double>, _ point: SIMD2<Double>) -> Double {
  let x = point.x < box.x ? box.x - point.x : point.x > -box.z ? point.x + box.z : 0
  let y = point.y < box.y ? box.y - point.y : point.y > -box.w ? point.y + box.w : 0
  let larger = max(x, y)
  if larger > 1e-140 && larger < 1e150 { return (x * x + y * y).squareRoot() }
  // The squares would overflow or underflow, so compute in another unit, a power of two.
  let unit = larger > 1 ? 0x1p-600 : 0x1p600
  let (u, v) = (x * unit, y * unit)
  return (u * u + v * v).squareRoot() / unit
}

/// A best-first search for the nearest items; the memory is reused from one point to the next.
struct NearestSearch {
  /// An entry of the queue: a node or an unmeasured leaf with a lower bound of its distance, or an
  /// item with its distance.
  private struct Entry {
    /// The `level` of a measured item is −1, and the `level` of an unmeasured leaf is −2.
    static let measured: Int32 = -1
    static let leaf: Int32 = -2

    var distance: Double
    var level: Int32
    /// The number of the node or leaf on its level; for a measured item, the item.
    var number: Int32

    /// At equal distances, nodes and leaves precede items, because they may contain an item at this
    /// distance; items are in ascending order.
    @inline(__always)
    static func < (a: Entry, b: Entry) -> Bool {
      if a.distance != b.distance { return a.distance < b.distance }
      let (first, second) = (a.level == measured, b.level == measured)
      if first != second { return second }
      return first && a.number < b.number
    }
  }

  private var heap: [Entry] = []
  /// The least distances of the items measured so far, ascending. The list has one element for each
  /// requested item, so that all items farther than the last element can be skipped. The list is
  /// empty if many items are requested.
  private var nearestDistances: [Double] = []
  private static let maximumCount = 16

  mutating func run(
    _ tree: BoxTree, _ point: SIMD2<Double>, _ count: Int, _ maximumDistance: Double,
    _ distance: ((_ item: Int) -> Double)?, _ found: (SpatialIndex.Neighbour) -> Void
  ) {
    heap.removeAll(keepingCapacity: true)
    nearestDistances.removeAll(keepingCapacity: true)
    guard tree.height > 0, count > 0, !point.x.isNaN, !point.y.isNaN else { return }
    if count <= Self.maximumCount {
      for _ in 0..<count { nearestDistances.append(.infinity) }
    }
    var missing = count
    let searchRadius = distance == nil ? maximumDistance : roundedRadius(maximumDistance)
    pushChildren(tree, level: tree.height - 1, first: 0, point, searchRadius, distance != nil)
    while let next = pop() {
      if next.level == Entry.measured {
        found(SpatialIndex.Neighbour(item: Int(next.number), distance: next.distance))
        missing -= 1
        if missing == 0 { return }
      } else if next.level == Entry.leaf {
        let item = tree.items[Int(next.number)]
        let exact = distance?(Int(item)) ?? next.distance
        if exact <= min(maximumDistance, nearestDistances.last ?? .infinity) {
          keep(exact)
          push(Entry(distance: exact, level: Entry.measured, number: item))
        }
      } else {
        pushChildren(
          tree, level: Int(next.level) - 1, first: Int(next.number) * SpatialIndex.nodeSize, point,
          searchRadius, distance != nil)
      }
    }
  }

  private mutating func pushChildren(
    _ tree: BoxTree, level: Int, first: Int, _ point: SIMD2<Double>, _ searchRadius: Double,
    _ measures: Bool
  ) {
    let start = tree.levels[level]
    let end = min(first + SpatialIndex.nodeSize, tree.levels[level + 1] - start)
    for number in first..<end {
      let worst = nearestDistances.last ?? .infinity
      let bound = min(searchRadius, measures ? roundedRadius(worst) : worst)
      let distance = boxDistance(tree.boxes[start + number], point)
      guard distance <= bound else { continue }
      if level == 0 && !measures { keep(distance) }
      let entry =
        level > 0
        ? Entry(distance: distance, level: Int32(level), number: Int32(number))
        : measures
          ? Entry(distance: distance, level: Entry.leaf, number: Int32(number))
          : Entry(distance: distance, level: Entry.measured, number: tree.items[number])
      push(entry)
    }
  }

  private mutating func keep(_ distance: Double) {
    guard var position = nearestDistances.indices.last, distance < nearestDistances[position] else {
      return
    }
    while position > 0, nearestDistances[position - 1] > distance {
      nearestDistances[position] = nearestDistances[position - 1]
      position -= 1
    }
    nearestDistances[position] = distance
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
