import PlumbCore
import Synchronization

/// The points of one file to interpolate, and the columns for the interpolated values.
struct TapWork {
  let source: any TileSource
  let id: UInt32
  /// The requested bands, one for each of `columns`.
  let bands: [Int]
  /// Columns of doubles.
  let columns: [ValueColumn]
  /// The points by tile. The indices of the entries start at 0.
  let located: LocatedPoints
  let taps: TapPoints
  let rows: RowNumbers
}

/// Interpolates values between the cells around points, tile by tile.
struct TileInterpolation: Sendable {
  let reading: TileReading
  let resampling: Resampling

  private var locator: PointLocator { PointLocator(reading: reading) }
  private var cells: CellInterpolation {
    CellInterpolation(reading: reading, resampling: resampling)
  }

  /// The approximate size in bytes of the tiles that are processed together if tiles are not kept.
  private static let chunkBytes = Double(64 << 20)

  /// Interpolates a request's single file at the points of a part.
  func interpolate(
    _ request: SampleRequest, _ part: SamplePart, _ answer: RasterAnswer,
    _ located: LocatedPoints, _ store: TileStore
  ) {
    let source = request.raster.members[0]
    guard let taps = located.taps else {
      let list = part.range.map { UInt32($0) }
      return cells.interpolate(
        source, id: request.raster.firstSourceID, bands: request.bands, part.points[0], list,
        answer.columns, store)
    }
    interpolate(
      TapWork(
        source: source, id: request.raster.firstSourceID, bands: request.bands,
        columns: answer.columns, located: located, taps: taps,
        rows: RowNumbers(first: part.range.lowerBound, list: nil)), part.points[0], store)
  }

  /// Interpolates one file at the points of a list.
  func interpolate(
    _ source: any TileSource, id: UInt32, bands: [Int], _ points: PointCoordinates,
    _ list: [UInt32], _ columns: [ValueColumn], _ store: TileStore
  ) {
    let (x, y) = (
      TrivialBuffer(list.map { points.x[Int($0)] }), TrivialBuffer(list.map { points.y[Int($0)] })
    )
    let status = TrivialBuffer(
      list.map { points.status?[Int($0)] ?? SampleStatus.ok.rawValue })
    let chunkPoints = PointCoordinates(x: x.base, y: y.base, status: status.base, count: list.count)
    let located = withExtendedLifetime((x, y, status)) {
      locate(source, id: id, chunkPoints, 0..<list.count)
    }
    guard let taps = located.taps else {
      return cells.interpolate(
        source, id: id, bands: bands, points, list, columns, store)
    }
    let rows = RowNumbers(first: 0, list: TrivialBuffer(list))
    if let reasons = located.reasons {
      for slot in list.indices where reasons.base[slot] != SampleStatus.ok.rawValue {
        for column in columns { column.status.base[rows[slot]] = reasons.base[slot] }
      }
    }
    interpolate(
      TapWork(
        source: source, id: id, bands: bands, columns: columns, located: located, taps: taps,
        rows: rows), points, store)
  }

  /// Finds the tiles of the points' own cells in a file, and the points' positions relative to the
  /// cells' centres.
  ///
  /// - Parameter tiles: the tiles to include; points in other tiles are omitted from the plan.
  /// - Returns: the plan and the positions; an empty plan without positions if the tiles are too
  ///   large.
  func locate(
    _ source: any TileSource, id: UInt32, _ points: PointCoordinates, _ range: Range<Int>,
    tiles: Range<Int>? = nil
  ) -> LocatedPoints {
    let profile = source.profile
    let tiles = tiles ?? 0..<profile.grid.tileCount
    let grid = TapGrid(profile, TapRule(resampling))
    let count = grid == nil ? 0 : range.count
    let (keys, offsets) = (TrivialBuffer<UInt64>(count: count), TrivialBuffer<UInt32>(count: count))
    let reasons = TrivialBuffer<UInt8>(count: count)
    let (xs, ys) = (TrivialBuffer<Double>(count: count), TrivialBuffer<Double>(count: count))
    let isSomeOff = Atomic<Bool>(false)
    if let grid {
      locator.forEachBlock(source, id, points, range, keepsPositions: true) {
        _, first, count, block in
        var isOff = false
        for i in 0..<count {
          let slot = first + i - range.lowerBound
          keys.base[slot] = LocationPlan.noKey
          guard block.columns[i] >= 0, points.isOK(first + i) else {
            reasons.base[slot] = points.reason(first + i, column: block.columns[i])
            isOff = true
            continue
          }
          reasons.base[slot] = SampleStatus.ok.rawValue
          let position = TapPosition(
            column: Int(block.columns[i]), row: Int(block.rows[i]), x: block.x[i], y: block.y[i])
          xs.base[slot] = position.xFraction
          ys.base[slot] = position.yFraction
          let (tile, offset) = grid.locate(
            column: block.columns[i], row: block.rows[i], position)
          guard tiles.contains(Int(tile)) else { continue }
          keys.base[slot] = UInt64(truncatingIfNeeded: Int(tile) - tiles.lowerBound)
          offsets.base[slot] = offset
        }
        if isOff { isSomeOff.store(true, ordering: .relaxed) }
      }
    }
    return LocatedPoints(
      plan: LocationPlan(
        keys: keys, offsets: offsets, count: count, keyLimit: tiles.count, firstIndex: 0,
        workers: reading.workers), firstTile: tiles.lowerBound,
      reasons: isSomeOff.load(ordering: .relaxed) ? reasons : nil,
      taps: grid.map { TapPoints(grid: $0, xFractions: xs, yFractions: ys) })
  }

  /// Interpolates tile by tile. If not all tiles are kept, a few rows of tiles are processed at a
  /// time. Tiles that contain taps of points in the next rows are kept until those rows are
  /// processed.
  private func interpolate(_ work: TapWork, _ points: PointCoordinates, _ store: TileStore) {
    let groups = work.located.plan.groups
    let bytes = Double(groups.count) * work.source.profile.tileBytes(of: work.bands)
    // The batch indices of points whose taps must be read cell by cell.
    var rest: [UInt32] = []
    if store.keepsTiles, bytes <= store.cache.available {
      rest = interpolate(work, groups[...], store)
    } else {
      let temporaryCache = TileCache(capacity: TileCache.unbounded)
      let across = work.taps.grid.grid.tilesAcross
      for chunk in chunks(work) {
        let firstRow = (work.located.firstTile + Int(groups[chunk.lowerBound].key)) / across
        temporaryCache.drop(below: (firstRow - work.taps.grid.rowSpan) * across)
        rest += interpolate(work, groups[chunk], TileStore(cache: temporaryCache, keepsTiles: true))
      }
      reading.cache.count(temporaryCache.statistics)
    }
    guard !rest.isEmpty else { return }
    cells.interpolate(
      work.source, id: work.id, bands: work.bands, points, rest.sorted(), work.columns,
      TileStore(cache: store.cache, keepsTiles: true))
  }

  /// The ranges of a plan's groups that are processed together. Each range consists of whole rows
  /// of tiles.
  private func chunks(_ work: TapWork) -> [Range<Int>] {
    let groups = work.located.plan.groups
    let across = UInt64(work.taps.grid.grid.tilesAcross)
    let tileBytes = work.source.profile.tileBytes(of: work.bands)
    let first = UInt64(work.located.firstTile)
    var chunks: [Range<Int>] = []
    var start = 0
    for position in groups.indices.dropFirst() {
      let isNewRow =
        (groups[position].key + first) / across != (groups[position - 1].key + first) / across
      if isNewRow, Double(position - start) * tileBytes >= Self.chunkBytes {
        chunks.append(start..<position)
        start = position
      }
    }
    return start < groups.count ? chunks + [start..<groups.count] : chunks
  }

  /// - Returns: the batch indices of points whose taps must be read cell by cell.
  private func interpolate(
    _ work: TapWork, _ groups: ArraySlice<LocationPlan.Group>, _ store: TileStore
  ) -> [UInt32] {
    let ahead = reading.fetch(
      work.source, id: work.id, bands: work.bands,
      tiles: groups.map { work.located.firstTile + Int($0.key) }, store)
    return reading.tileWorkers([work.source]).map(groups.count) { worker, job -> [UInt32] in
      defer { ahead?.finish(job) }
      let group = groups[groups.startIndex + job]
      let entries = work.located.plan.entries(of: group)
      let tile = work.located.firstTile + Int(group.key)
      if WorkCancellation.isCurrentCancelled {
        for entry in entries {
          for column in work.columns {
            column.status.base[work.rows[Int(entry.index)]] = SampleStatus.readError.rawValue
          }
        }
        return []
      }
      if interpolate(work, tile: tile, entries, store, worker: worker) { return [] }
      return entries.map { UInt32(truncatingIfNeeded: work.rows[Int($0.index)]) }
    }.flatMap { $0 }
  }

  /// Interpolates the points of one tile.
  ///
  /// - Returns: false if a tile that contains taps cannot be read completely, or if reading single
  ///   cells is cheaper.
  private func interpolate(
    _ work: TapWork, tile: Int, _ entries: UnsafeBufferPointer<PlanEntry>, _ store: TileStore,
    worker: Int
  ) -> Bool {
    let profile = work.source.profile
    do throws(RasterError) {
      let home = TileCache.Key(
        source: work.id, plane: UInt32(profile.plane(band: work.bands.first ?? 0)),
        tile: UInt32(tile))
      if reading.cache.resident(home) == nil, store.cache.resident(home) == nil,
        let cost = try reading.pools[worker].reader(id: work.id, for: work.source).cellReadCost,
        entries.count * work.taps.grid.rule.count * cost
          < profile.tileByteCount(plane: Int(home.plane))
      {
        return false
      }
      let tiles = work.taps.grid.tiles(of: entries, tile: tile)
      for (band, column) in zip(work.bands, work.columns) {
        let plane = profile.plane(band: band)
        let cells = try wholeTiles(work, plane: plane, tiles, store, worker: worker)
        let (mask, masks) = try mask(work, band: band, tiles, store, worker: worker)
        withExtendedLifetime((cells, masks)) {
          profile.bands[band].visitValidity(
            TapGather(
              points: work.taps, rows: work.rows, tile: tile, entries: entries, tiles: tiles,
              bases: cells.map { Self.base(of: $0) + profile.bandOffset(band) },
              stride: profile.cellStride(plane: plane), mask: mask, column: column))
        }
      }
      return true
    } catch {
      // Reading cell by cell fails again and then reports the error.
      return false
    }
  }

  private static func base(of tile: TileBuffer) -> UnsafeRawPointer {
    guard let base = tile.bytes.baseAddress else { preconditionFailure("a tile has bytes") }
    return UnsafeRawPointer(base)
  }

  private func wholeTiles(
    _ work: TapWork, plane: Int, _ tiles: [UInt32], _ store: TileStore, worker: Int
  ) throws(RasterError) -> [TileBuffer] {
    var buffers: [TileBuffer] = []
    for tile in tiles {
      let key = TileCache.Key(source: work.id, plane: UInt32(plane), tile: tile)
      reading.cache.touch(key)
      if let resident = reading.cache.resident(key) {
        buffers.append(resident)
        continue
      }
      buffers.append(
        try store.cache.tile(
          key, byteCount: work.source.profile.tileByteCount(plane: plane)
        ) { buffer throws(RasterError) in
          try reading.pools[worker].reader(id: work.id, for: work.source)
            .readTile(plane: plane, tile: Int(tile), into: buffer)
        })
    }
    return buffers
  }

  /// Returns the mask or alpha cells of a band, and the tiles that own the memory of these cells.
  private func mask(
    _ work: TapWork, band: Int, _ tiles: [UInt32], _ store: TileStore, worker: Int
  ) throws(RasterError) -> (TapMask?, [TileBuffer]) {
    let profile = work.source.profile
    switch profile.bands[band].validity {
    case .all, .noData: return (nil, [])
    case .alpha(let alpha):
      let plane = profile.plane(band: alpha)
      let buffers = try wholeTiles(work, plane: plane, tiles, store, worker: worker)
      return (
        TapMask(
          bases: buffers.map { Self.base(of: $0) + profile.bandOffset(alpha) },
          stride: profile.cellStride(plane: plane),
          byteCount: profile.bands[alpha].pixelType.byteCount, reason: .masked), buffers
      )
    case .mask(let meansNoData):
      let buffers = try wholeTiles(
        work, plane: profile.maskPlane(band: band), tiles, store, worker: worker)
      return (
        TapMask(
          bases: buffers.map { Self.base(of: $0) }, stride: 1, byteCount: 1,
          reason: meansNoData ? .nodata : .masked), buffers
      )
    }
  }
}
