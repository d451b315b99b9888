import PlumbCore

/// A share of the tiles of rasters with one grid. A share is read for all parts of a batch before
/// the next share is read.
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

extension RasterSampler {
  /// Reads the requests of one of `groups` at points that are divided into parts. If the answers of
  /// one part fit into memory, each tile is decoded once, regardless of the capacity of the cache.
  ///
  /// - Parameter keepsTiles: false if no later batch uses the same tiles.
  package func sample<Parts: SampleParts>(
    _ group: [Int], _ parts: Parts, keepsTiles: Bool
  ) throws(Parts.Failure) {
    try batchLock.withLock { (_) throws(Parts.Failure) in
      defer {
        if WorkCancellation.isCurrentCancelled {
          for worker in 0..<pools.count { pools[worker].closeAll() }
        }
      }
      if let values = requests[group[0]].pointValues {
        for number in 0..<parts.partCount {
          try parts.withPart(
            number, references: referenceIndices[group[0]], requests: group, isFirst: true
          ) { part in
            sample(values, group[0], part)
          }
        }
      } else if requests[group[0]].raster.isMosaic {
        try sampleMosaic(group, parts, keepsTiles: keepsTiles)
      } else if parts.partCount == 1 {
        try sampleAtOnce(group, parts, keepsTiles: keepsTiles)
      } else if keepsAllTiles {
        try sampleCached(group, parts, cache)
      } else if Self.tileBytes(of: group.map { requests[$0] }) <= cache.available {
        let temporaryCache = TileCache(capacity: TileCache.unbounded)
        try sampleCached(group, parts, temporaryCache)
        cache.count(temporaryCache.statistics)
      } else {
        try sampleInSweeps(group, parts)
      }
    }
  }

  private func sampleMosaic<Parts: SampleParts>(
    _ group: [Int], _ parts: Parts, keepsTiles: Bool
  ) throws(Parts.Failure) {
    if parts.partCount > 1, !keepsAllTiles {
      return try sampleMosaicInShares(group[0], parts)
    }
    let store = TileStore(
      cache: cache, keepsTiles: keepsTiles || parts.partCount > 1 || resampling != .nearest)
    for number in 0..<parts.partCount {
      try parts.withPart(
        number, references: referenceIndices[group[0]], requests: group, isFirst: true
      ) { part in
        sampleMosaic(group[0], part, store)
      }
    }
  }

  /// Samples all points at once, so that no tile is needed twice.
  private func sampleAtOnce<Parts: SampleParts>(
    _ group: [Int], _ parts: Parts, keepsTiles: Bool
  ) throws(Parts.Failure) {
    let store = TileStore(cache: cache, keepsTiles: keepsTiles)
    var located: LocatedPoints?
    for share in parts.shares(of: group) {
      try parts.withPart(
        0, references: referenceIndices[group[0]], requests: share, isFirst: true
      ) { part in
        readAll(share, part, &located, store)
      }
    }
  }

  /// Samples part by part, with a cache that keeps all tiles between parts.
  private func sampleCached<Parts: SampleParts>(
    _ group: [Int], _ parts: Parts, _ tiles: TileCache
  ) throws(Parts.Failure) {
    let store = TileStore(cache: tiles, keepsTiles: true)
    for number in 0..<parts.partCount {
      var located: LocatedPoints?
      for share in parts.shares(of: group) {
        try parts.withPart(
          number, references: referenceIndices[group[0]], requests: share, isFirst: true
        ) { part in
          readAll(share, part, &located, store)
        }
      }
    }
  }

  /// Samples one share of the tiles at a time. The tiles of a share are kept until the share has
  /// been read for all parts.
  private func sampleInSweeps<Parts: SampleParts>(
    _ group: [Int], _ parts: Parts
  ) throws(Parts.Failure) {
    let references = referenceIndices[group[0]]
    let tileSpan = tilesSpanned(of: group[0])
    var kept = TileCache(capacity: TileCache.unbounded)
    for sweep in try sweeps(of: group, parts) {
      if sweep.isFirst {
        cache.count(kept.statistics)
        kept = TileCache(capacity: TileCache.unbounded)
      }
      kept.drop(below: (sweep.tiles?.lowerBound ?? 0) - tileSpan)
      let store = TileStore(cache: kept, keepsTiles: true)
      for number in 0..<parts.partCount {
        try parts.withPart(
          number, references: references, requests: sweep.requests, isFirst: sweep.isFirst
        ) { part in
          let located = locate(
            sweep.requests[0], part.points[0], part.range, tiles: sweep.tiles)
          read(sweep, part, located, store)
        }
      }
    }
    cache.count(kept.statistics)
  }

  /// The number of tiles before a tile that may contain taps of the tile's points.
  private func tilesSpanned(of index: Int) -> Int {
    let profile = requests[index].raster.members[0].profile
    guard resampling != .nearest, let grid = TapGrid(profile, TapRule(resampling)) else { return 0 }
    return grid.rowSpan * profile.grid.tilesAcross
  }

  /// The total size in bytes of all tiles of the requests.
  static func tileBytes(of requests: [Request]) -> Double {
    var bytes = 0.0
    var last: Raster?
    for request in requests {
      // Consecutive requests for bands that are stored together need the same tiles.
      let isSame = last === request.raster
      last = request.raster
      for member in request.raster.members {
        let profile = member.profile
        if isSame, profile.isInterleaved { continue }
        bytes += Double(profile.grid.tileCount) * profile.tileBytes(of: request.bands)
      }
    }
    return bytes
  }

  /// The requests, grouped into runs that need the same tiles, because consecutive requests read
  /// bands that are stored together.
  private func runs(of indices: [Int]) -> [[Int]] {
    var runs: [[Int]] = []
    for index in indices {
      let raster = requests[index].raster
      if let other = runs.last?.first, requests[other].raster === raster,
        raster.members[0].profile.isInterleaved
      {
        runs[runs.count - 1].append(index)
      } else {
        runs.append([index])
      }
    }
    return runs
  }

  private func sweeps<Parts: SampleParts>(
    of group: [Int], _ parts: Parts
  ) throws(Parts.Failure) -> [TileSweep] {
    let counts = try counts(group[0], parts)
    let grid = requests[group[0]].raster.members[0].profile.grid
    var sweeps: [TileSweep] = []
    for share in parts.shares(of: group) {
      var together: [Int] = []
      var bytes = 0.0
      func finish() {
        if !together.isEmpty { sweeps.append(TileSweep(requests: together)) }
        (together, bytes) = ([], 0)
      }
      for run in runs(of: share) {
        let profile = requests[run[0]].raster.members[0].profile
        let tileBytes = profile.tileBytes(of: run.flatMap { requests[$0].bands })
        let groupBytes = tileBytes * counts.tileCount
        if bytes + groupBytes > cache.available { finish() }
        if groupBytes > cache.available {
          let ranges = counts.ranges(
            of: grid, tileBytes: tileBytes, available: cache.available,
            wholeRows: resampling != .nearest)
          for range in ranges {
            sweeps.append(
              TileSweep(requests: run, tiles: range, isFirst: range.lowerBound == 0))
          }
        } else {
          together += run
          bytes += groupBytes
        }
      }
      finish()
    }
    return sweeps
  }

  /// The tiles of a request's single file that contain points.
  private func counts<Parts: SampleParts>(
    _ index: Int, _ parts: Parts
  ) throws(Parts.Failure) -> TileCounts {
    let raster = requests[index].raster
    let source = raster.members[0]
    let grid = source.profile.grid
    let shift = TileCounts.shift(ofTiles: grid.tileCount)
    let bucketCount = (grid.tileCount - 1) >> shift + 1
    let splitter = TileSplitter(grid)
    let marks = WorkerStates(count: workers.count) {
      TrivialBuffer<Bool>(count: bucketCount, zeroed: true)
    }
    for number in 0..<parts.partCount {
      try parts.withPart(
        number, references: referenceIndices[index], requests: [], isFirst: true
      ) { part in
        let points = part.points[0]
        forEachBlock(source, raster.firstSourceID, points, part.range) {
          worker, first, count, block in
          let marks = marks[worker].base
          for i in 0..<count where block.columns[i] >= 0 && isOK(points, first + i) {
            let tile = splitter.split(column: block.columns[i], row: block.rows[i]).tile
            marks[Int(tile) >> shift] = true
          }
        }
      }
    }
    return TileCounts(shift: shift, marks)
  }
}
