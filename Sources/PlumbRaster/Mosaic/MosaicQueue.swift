/// A tile of a mosaic, ordered as points visit tiles: by its file's level, then by its number among those of
/// all files.
struct MosaicTile: Comparable {
  var level: Int
  var key: Int

  static let lowest = MosaicTile(level: -1, key: 0)
  static let highest = MosaicTile(level: .max, key: 0)

  static func < (a: MosaicTile, b: MosaicTile) -> Bool { (a.level, a.key) < (b.level, b.key) }
}

/// Points that wait for the next file they visit, level by level.
struct MosaicQueue {
  private let levels: [Int32]
  /// The lowest level that may have points.
  private var level = 0
  private var visits: [[MosaicVisit]]

  init(_ levels: MosaicLevels) {
    self.levels = levels.levels
    visits = [[MosaicVisit]](repeating: [], count: levels.count)
  }

  /// Returns the level at which points wait for a file. Because of rounding, files may overlap that have no
  /// order in the levels.
  ///
  /// - Parameters:
  ///   - own: the level of the file.
  ///   - done: the level that the points come from.
  static func level(_ own: Int, after done: Int) -> Int { max(own, done + 1) }

  /// - Parameter done: the level that the points come from.
  mutating func append(_ points: [MosaicVisit], after done: Int) {
    for visit in points {
      let level = Self.level(Int(levels[Int(visit.member)]), after: done)
      while visits.count <= level { visits.append([]) }
      visits[level].append(visit)
    }
  }

  /// Returns the lowest level with points, and the points; nil if there are none.
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
