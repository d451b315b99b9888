/// A tile of a mosaic. Tiles are ordered by the level of their file, then by their number among the
/// tiles of all files. Points are looked up in this order.
struct MosaicTile: Comparable {
  var level: Int
  var key: Int

  static let lowest = MosaicTile(level: -1, key: 0)
  static let highest = MosaicTile(level: .max, key: 0)

  static func < (a: MosaicTile, b: MosaicTile) -> Bool { (a.level, a.key) < (b.level, b.key) }
}

/// Queues points by the level of the next file in which they are looked up.
struct MosaicQueue {
  private let levels: [Int32]
  /// The lowest level that may have points.
  private var level = 0
  private var visits: [[MosaicVisit]]

  init(_ levels: MosaicLevels) {
    self.levels = levels.levels
    visits = [[MosaicVisit]](repeating: [], count: levels.count)
  }

  /// Returns the level at which points are queued for a file. This level may be above the file's
  /// own level, because rounding errors can make two files of the same level overlap.
  ///
  /// - Parameters:
  ///   - fileLevel: the level of the file.
  ///   - done: the level at which the points were last looked up; -1 if they have not been looked up yet.
  static func level(_ fileLevel: Int, after done: Int) -> Int { max(fileLevel, done + 1) }

  /// - Parameter done: the level at which the points were last looked up; -1 if they have not been looked up.
  mutating func append(_ points: [MosaicVisit], after done: Int) {
    var rest = points[...]
    while let first = rest.first {
      let fileLevel = levels[Int(first.member)]
      let end = rest.firstIndex { levels[Int($0.member)] != fileLevel } ?? rest.endIndex
      let level = Self.level(Int(fileLevel), after: done)
      while visits.count <= level { visits.append([]) }
      visits[level].append(contentsOf: rest[..<end])
      rest = rest[end...]
    }
  }

  /// Returns the lowest level that has points, with these points; nil if no points are queued.
  mutating func next() -> (level: Int, visits: [MosaicVisit])? {
    while level < visits.count {
      defer { level += 1 }
      if !visits[level].isEmpty {
        let points = visits[level]
        visits[level] = []
        return (level, points)
      }
    }
    return nil
  }
}
