import PlumbCore

/// The greatest number of boxes that share a point. It is an upper bound of the number of fences
/// that contain one location.
struct BoxDepth {
  /// The greatest number. Boxes that touch only at a border share a point.
  private(set) var value = 0

  private struct Side {
    var x: Double
    var isEnd: Bool
    /// The positions of the box's lowest and highest y in the sorted list of all y of boxes.
    var rows: ClosedRange<Int>
  }

  /// - Parameters:
  ///   - boxes: the boxes. Empty boxes are ignored. Boxes without finite bounds count as containing
  ///     all points.
  ///   - period: the period of x; nil if x is not periodic. Boxes that are a period apart share
  ///     points. Boxes that reach the same pole also share a point. The poles are at a quarter of
  ///     the period.
  init(_ boxes: [Envelope], period: Double?) {
    var shifted: [Envelope] = []
    shifted.reserveCapacity(boxes.count * 2)
    var (unbounded, poles) = (0, [0, 0])
    for var box in boxes where box.xMin <= box.xMax && box.yMin <= box.yMax {
      guard box.xMin.isFinite, box.xMax.isFinite, box.yMin.isFinite, box.yMax.isFinite else {
        unbounded += 1
        continue
      }
      guard let period else {
        shifted.append(box)
        continue
      }
      for (index, pole) in [-period / 4, period / 4].enumerated()
      where box.yMin <= pole && pole <= box.yMax {
        poles[index] += 1
      }
      let shift = (box.xMin / period).rounded(.down) * period
      (box.xMin, box.xMax) = (box.xMin - shift, min(box.xMax - shift, box.xMin - shift + period))
      shifted.append(box)
      guard box.xMax >= period else { continue }
      (box.xMin, box.xMax) = (0, box.xMax - period)
      shifted.append(box)
    }
    value = unbounded + max(Self.depth(shifted), poles[0], poles[1])
  }

  /// Computes the greatest number with a sweep over x and a tree that contains the number of boxes
  /// at each y.
  private static func depth(_ boxes: [Envelope]) -> Int {
    let levels = Set(boxes.flatMap { [$0.yMin, $0.yMax] }).sorted()
    let position = Dictionary(
      uniqueKeysWithValues: levels.enumerated().map { ($0.element, $0.offset) })
    var sides: [Side] = []
    sides.reserveCapacity(boxes.count * 2)
    for box in boxes {
      guard let low = position[box.yMin], let high = position[box.yMax] else { continue }
      sides.append(Side(x: box.xMin, isEnd: false, rows: low...high))
      sides.append(Side(x: box.xMax, isEnd: true, rows: low...high))
    }
    sides.sort { ($0.x, $0.isEnd ? 1 : 0) < ($1.x, $1.isEnd ? 1 : 0) }
    var tree = CountTree(levels.count)
    var depth = 0
    for side in sides {
      tree.add(side.isEnd ? -1 : 1, to: side.rows)
      depth = max(depth, tree.maximum)
    }
    return depth
  }
}

/// A segment tree of counts at consecutive positions. It supports adding a number to a range of
/// positions.
private struct CountTree {
  private let count: Int
  /// The number added to each node's whole range, and the maximum within the node including this
  /// number.
  private var changes: [Int32]
  private var highest: [Int32]

  init(_ count: Int) {
    var size = 1
    while size < count { size *= 2 }
    self.count = size
    changes = Array(repeating: 0, count: size * 2)
    highest = changes
  }

  var maximum: Int { Int(highest[1]) }

  mutating func add(_ change: Int32, to rows: ClosedRange<Int>) {
    var (low, high) = (rows.lowerBound + count, rows.upperBound + count)
    let (first, last) = (low, high)
    while low <= high {
      if low % 2 == 1 {
        changes[low] += change
        highest[low] += change
        low += 1
      }
      if high % 2 == 0 {
        changes[high] += change
        highest[high] += change
        high -= 1
      }
      (low, high) = (low / 2, high / 2)
    }
    for var node in first == last ? [first] : [first, last] {
      while node > 1 {
        node /= 2
        highest[node] = changes[node] + max(highest[node * 2], highest[node * 2 + 1])
      }
    }
  }
}
