import PlumbCore

/// The order in which a mosaic's files are read. All files of a level are read together, so that
/// each file is read only once for all of its points.
///
/// A point that has no value in a file is looked up in the next file that may contain it. The two
/// files overlap. The level of a file is above the levels of all earlier files that it overlaps.
/// Therefore, when a file is read, all points to look up in it are known. Files in different CRSs
/// are assumed to overlap.
struct MosaicLevels {
  /// The level of each member.
  let levels: [Int32]

  /// The number of levels.
  var count: Int { Int(levels.max() ?? -1) + 1 }

  /// - Parameters:
  ///   - references: the index of each member's CRS.
  ///   - periods: the period of x in each CRS.
  init(_ boxes: [MosaicIndex.Box], references: [Int], periods: [Double?]) {
    var stacks = periods.indices.map { reference in
      Stack(
        boxes.indices.filter { references[$0] == reference }.map { boxes[$0] },
        period: periods[reference])
    }
    var levels: [Int32] = []
    for (box, reference) in zip(boxes, references) {
      var lowest: Int32 = 0
      for other in stacks.indices where other != reference {
        lowest = max(lowest, stacks[other].height)
      }
      levels.append(stacks[reference].add(box, lowest: lowest))
    }
    self.levels = levels
  }

  /// The files in one CRS and their levels.
  private struct Stack {
    /// One more than the highest level so far.
    private(set) var height: Int32 = 0
    private var boxes: [MosaicIndex.Box] = []
    private var levels: [Int32] = []
    /// The lowest level for further files. It is above the levels of all files without a known
    /// extent.
    private var floor: Int32 = 0
    private let period: Double?
    private var total = MosaicIndex.Box.nothing
    private let across: Int
    /// The files in each bucket, except files that a later file covers.
    private var buckets: [[Int32]]

    init(_ all: [MosaicIndex.Box], period: Double?) {
      for box in all where box.isFinite { total.extend(over: box) }
      self.period = period.flatMap { $0 > 0 ? $0 : nil }
      across = max(1, min(256, Int(Double(all.count).squareRoot())))
      buckets = [[Int32]](repeating: [], count: across * across)
    }

    mutating func add(_ box: MosaicIndex.Box, lowest: Int32) -> Int32 {
      guard box.isFinite else {
        let level = max(lowest, height)
        (height, floor) = (level + 1, level + 1)
        return level
      }
      var level = max(lowest, floor)
      for shift in period.map({ [0, -$0, $0] }) ?? [0] {
        let moved = box.moved(by: shift)
        for bucket in numbers(of: moved) {
          for other in buckets[bucket]
          where levels[Int(other)] >= level && boxes[Int(other)].overlaps(moved) {
            level = levels[Int(other)] + 1
          }
        }
      }
      let number = Int32(truncatingIfNeeded: boxes.count)
      boxes.append(box)
      levels.append(level)
      for bucket in numbers(of: box) {
        buckets[bucket].removeAll { box.covers(boxes[Int($0)]) }
        buckets[bucket].append(number)
      }
      height = max(height, level + 1)
      return level
    }

    /// The buckets that a box intersects.
    private func numbers(of box: MosaicIndex.Box) -> [Int] {
      guard box.maxX >= total.minX, box.minX <= total.maxX else { return [] }
      func span(_ low: Double, _ high: Double, _ start: Double, _ end: Double) -> ClosedRange<Int> {
        let scale = Double(across) / (end - start)
        guard scale.isFinite else { return 0...across - 1 }
        let first = max(0, min(Double(across - 1), (low - start) * scale))
        let last = max(first, min(Double(across - 1), (high - start) * scale))
        return Int(first)...Int(last)
      }
      let columns = span(box.minX, box.maxX, total.minX, total.maxX)
      return span(box.minY, box.maxY, total.minY, total.maxY).flatMap { row in
        columns.map { row * across + $0 }
      }
    }
  }
}

extension MosaicIndex.Box {
  fileprivate var isFinite: Bool {
    minX.isFinite && minY.isFinite && maxX.isFinite && maxY.isFinite
  }

  fileprivate func moved(by shift: Double) -> MosaicIndex.Box {
    MosaicIndex.Box(minX: minX + shift, minY: minY, maxX: maxX + shift, maxY: maxY)
  }

  /// Whether two boxes overlap by more than a rounding error; boxes that share only an edge do not
  /// overlap.
  fileprivate func overlaps(_ other: MosaicIndex.Box) -> Bool {
    let (width, height) = (
      min(maxX, other.maxX) - max(minX, other.minX), min(maxY, other.maxY) - max(minY, other.minY)
    )
    let slack = 1e-9
    return width > slack * min(maxX - minX, other.maxX - other.minX)
      && height > slack * min(maxY - minY, other.maxY - other.minY)
  }

  fileprivate func covers(_ other: MosaicIndex.Box) -> Bool {
    minX <= other.minX && minY <= other.minY && maxX >= other.maxX && maxY >= other.maxY
  }
}
