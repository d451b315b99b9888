import PlumbCore

/// Groups boxes that touch each other, directly or through other boxes.
struct TouchingBoxes {
  private var parents: [Int]

  /// - Parameter sideStart: the index of the first box of the second set; only boxes of different
  ///   sets are compared. If nil, all boxes are compared with each other.
  /// - Complexity: O(*n* log *n* + *k*) for *k* pairs of boxes that share a band of y and overlap
  ///   in x.
  init(_ boxes: [Box], sideStart: Int? = nil) {
    parents = Array(boxes.indices)
    let bands = Bands(boxes)
    let sides = sideStart == nil ? 1 : 2
    // The boxes that the sweep along x has entered but not yet left, for each band and set.
    var active = [[Int]](repeating: [], count: bands.count * sides)
    let order = boxes.indices.sorted {
      (boxes[$0].low.x, $0) < (boxes[$1].low.x, $1)
    }
    for index in order {
      let box = boxes[index]
      let side = sideStart.map { index < $0 ? 0 : 1 } ?? 0
      for band in bands.range(of: box) {
        let opposite = band * sides + (sides == 1 ? 0 : 1 - side)
        meet(index, boxes, &active[opposite])
        active[band * sides + side].append(index)
      }
    }
  }

  /// The groups of indices: each group is ascending, and the groups are ordered by their first
  /// index.
  func groups() -> [[Int]] {
    var groups: [[Int]] = []
    var points = [Int](repeating: -1, count: parents.count)
    for index in parents.indices {
      let root = root(of: index)
      if points[root] < 0 {
        points[root] = groups.count
        groups.append([])
      }
      groups[points[root]].append(index)
    }
    return groups
  }

  private mutating func meet(_ index: Int, _ boxes: [Box], _ active: inout [Int]) {
    var kept = 0
    while kept < active.count {
      let other = active[kept]
      if boxes[other].high.x < boxes[index].low.x {
        active.swapAt(kept, active.count - 1)
        active.removeLast()
        continue
      }
      if boxes[other].touches(boxes[index]) { join(other, index) }
      kept += 1
    }
  }

  private func root(of index: Int) -> Int {
    var index = index
    while parents[index] != index { index = parents[index] }
    return index
  }

  private mutating func join(_ a: Int, _ b: Int) {
    let (first, second) = (shortenedRoot(of: a), shortenedRoot(of: b))
    // The lower index becomes the root, so that the roots do not depend on the order in which boxes
    // are joined.
    parents[max(first, second)] = min(first, second)
  }

  private mutating func shortenedRoot(of index: Int) -> Int {
    var index = index
    while parents[index] != index {
      parents[index] = parents[parents[index]]
      index = parents[index]
    }
    return index
  }
}

/// Bands of y with equal heights. The height is at least twice the average height of the boxes, so
/// that most boxes overlap only a few bands each.
private struct Bands {
  let count: Int
  private let start: Double
  private let height: Double

  init(_ boxes: [Box]) {
    var all = Box.nowhere
    var heights = 0.0
    for box in boxes {
      all.include(box)
      heights += box.high.y - box.low.y
    }
    let total = all.high.y - all.low.y
    let wanted = max(2 * heights / Double(max(1, boxes.count)), total / 100_000)
    guard total.isFinite, total > 0, wanted.isFinite, wanted > 0 else {
      (count, start, height) = (1, 0, 1)
      return
    }
    (start, height) = (all.low.y, wanted)
    count = max(1, Int(min((total / wanted).rounded(.up), Double(max(1, boxes.count)))))
  }

  func range(of box: Box) -> ClosedRange<Int> {
    guard count > 1 else { return 0...0 }
    let low = band(at: box.low.y)
    return low...max(low, band(at: box.high.y))
  }

  private func band(at y: Double) -> Int {
    // A position beyond the last band is put into the last band.
    Int(max(0, min(((y - start) / height).rounded(.down), Double(count - 1))))
  }
}
