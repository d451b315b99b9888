import PlumbCore

/// One pass over the tiles of rasters that share a grid, or over a range of these tiles. The next pass begins
/// after these tiles have been read for all parts of a batch.
struct TileSweep {
  /// The indices of the requests that are read.
  var requests: [Int]
  /// The numbers of the tiles; nil for all tiles.
  var tiles: Range<Int>?
  /// Whether nothing has been written to the answers yet.
  var isFirst = true
}

/// The tiles of a grid that contain points, in buckets of consecutive tiles.
struct TileCounts {
  /// The binary logarithm of the number of tiles in a bucket.
  let shift: Int
  /// The buckets that contain points, in ascending order.
  let buckets: [Int]

  /// The maximum number of buckets. More buckets would use as much memory as the points.
  static let bucketLimit = 1 << 20

  init(shift: Int, buckets: [Int]) { (self.shift, self.buckets) = (shift, buckets) }

  /// Combines the buckets that the workers have marked.
  init(shift: Int, _ marks: WorkerStates<TrivialBuffer<Bool>>) {
    self.init(
      shift: shift,
      buckets: (0..<marks[0].count).filter { bucket in
        (0..<marks.count).contains { marks[$0].base[bucket] }
      })
  }

  /// Returns the shift that results in at most `bucketLimit` buckets.
  static func shift(ofTiles count: Int) -> Int {
    var shift = 0
    while (count - 1) >> shift >= bucketLimit { shift += 1 }
    return shift
  }

  /// The maximum number of tiles that contain points.
  var tileCount: Double { Double(buckets.count) * Double(1 << shift) }

  /// Returns ranges of tiles that cover a grid. In each range, the total size of the tiles that
  /// contain points is at most `available` bytes, unless a single bucket or row of tiles is larger.
  ///
  /// - Parameter wholeRows: whether each range starts at the first tile of a row of tiles.
  func ranges(
    of grid: TileGrid, tileBytes: Double, available: Double, wholeRows: Bool
  ) -> [Range<Int>] {
    var starts = [0]
    var bytes = 0.0
    for bucket in buckets {
      let rangeBytes = tileBytes * Double(1 << shift)
      var start = bucket << shift
      if wholeRows { start -= start % grid.tilesAcross }
      if bytes + rangeBytes > available, start > starts[starts.count - 1] {
        starts.append(start)
        bytes = 0
      }
      bytes += rangeBytes
    }
    return starts.indices.map {
      starts[$0]..<($0 + 1 < starts.count ? starts[$0 + 1] : grid.tileCount)
    }
  }
}
