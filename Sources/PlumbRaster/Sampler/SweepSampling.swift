import PlumbCore

/// Samples single-file rasters with one grid at points that are divided into parts.
struct SweepSampling: Sendable {
  let file: FileSampling
  /// For each request, the indices of its CRSs.
  let referenceIndices: [[Int]]

  private var reading: TileReading { file.reading }
  private var requests: [RasterSampler.Request] { file.requests }
  private var resampling: Resampling { file.resampling }

  /// Samples all points at once, so that no tile is needed twice.
  func sampleAtOnce<Parts: SampleParts>(
    _ group: [Int], _ parts: Parts, keepsTiles: Bool
  ) throws(Parts.Failure) {
    let store = TileStore(cache: reading.cache, keepsTiles: keepsTiles)
    var located: LocatedPoints?
    for share in parts.shares(of: group) {
      try parts.withPart(
        0, references: referenceIndices[group[0]], requests: share, isFirst: true
      ) { part in
        file.readAll(share, part, &located, store)
      }
    }
  }

  /// Samples part by part, with a cache that keeps all tiles between parts.
  func sampleCached<Parts: SampleParts>(
    _ group: [Int], _ parts: Parts, _ cache: TileCache
  ) throws(Parts.Failure) {
    let store = TileStore(cache: cache, keepsTiles: true)
    for number in 0..<parts.partCount {
      var located: LocatedPoints?
      for share in parts.shares(of: group) {
        try parts.withPart(
          number, references: referenceIndices[group[0]], requests: share, isFirst: true
        ) { part in
          file.readAll(share, part, &located, store)
        }
      }
    }
  }

  /// Samples one share of the tiles at a time. The tiles of a share are kept until the share has
  /// been read for all parts.
  func sampleInSweeps<Parts: SampleParts>(
    _ group: [Int], _ parts: Parts
  ) throws(Parts.Failure) {
    let references = referenceIndices[group[0]]
    let tileSpan = tilesSpanned(of: group[0])
    var kept = TileCache(capacity: TileCache.unbounded)
    for sweep in try sweeps(of: group, parts) {
      if sweep.isFirst {
        reading.cache.count(kept.statistics)
        kept = TileCache(capacity: TileCache.unbounded)
      }
      kept.drop(below: (sweep.tiles?.lowerBound ?? 0) - tileSpan)
      let store = TileStore(cache: kept, keepsTiles: true)
      for number in 0..<parts.partCount {
        try parts.withPart(
          number, references: references, requests: sweep.requests, isFirst: sweep.isFirst
        ) { part in
          let located = file.locate(
            sweep.requests[0], part.points[0], part.range, tiles: sweep.tiles)
          file.read(sweep, part, located, store)
        }
      }
    }
    reading.cache.count(kept.statistics)
  }

  /// The number of tiles before the first tile of a sweep that may contain cells for the interpolation
  /// at the sweep's points; 0 without interpolation.
  private func tilesSpanned(of index: Int) -> Int {
    let profile = requests[index].raster.members[0].profile
    guard resampling != .nearest, let grid = TapGrid(profile, TapRule(resampling)) else { return 0 }
    return grid.rowSpan * profile.grid.tilesAcross
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
        if bytes + groupBytes > reading.cache.available { finish() }
        if groupBytes > reading.cache.available {
          let ranges = counts.ranges(
            of: grid, tileBytes: tileBytes, available: reading.cache.available,
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
    let marks = WorkerStates(count: reading.workers.count) {
      TrivialBuffer<Bool>(count: bucketCount, zeroed: true)
    }
    for number in 0..<parts.partCount {
      try parts.withPart(
        number, references: referenceIndices[index], requests: [], isFirst: true
      ) { part in
        let points = part.points[0]
        PointLocator(reading: reading).forEachBlock(
          source, raster.firstSourceID, points, part.range
        ) {
          worker, first, count, block in
          let marks = marks[worker].base
          for i in 0..<count where block.columns[i] >= 0 && points.isOK(first + i) {
            let tile = splitter.split(column: block.columns[i], row: block.rows[i]).tile
            marks[Int(tile) >> shift] = true
          }
        }
      }
    }
    return TileCounts(shift: shift, marks)
  }
}
