import PlumbCore
import Synchronization

/// A tile's bytes for one job: the complete tile, or only the requested cells.
struct LoadedCells {
  var bytes: UnsafeRawBufferPointer
  var isPacked: Bool
  /// For each entry, whether its cell could not be read; nil if all cells were read.
  var unread: TrivialBuffer<Bool>?
  /// The object that owns the memory of the bytes.
  var owner: AnyObject
  /// The number of the worker's scratch buffer that contains the bytes.
  var scratch: Int?
}

/// The cache for the tiles of a sweep, and whether tiles remain in the cache for later reads.
struct TileStore: Sendable {
  let cache: TileCache
  let keepsTiles: Bool
}

/// Reads the cells of tiles at located points, from a cache or with the readers of each worker, and records
/// the failures.
final class TileReading: Sendable {
  /// The threads that locate points and read tiles.
  let workers: Workers
  /// The cache of decoded tiles.
  let cache: TileCache
  /// The readers of each worker.
  let pools: WorkerStates<ReaderPool>
  private let failures = Mutex(ReadFailures())

  init(cache: TileCache, workers: Workers) {
    (self.cache, self.workers) = (cache, workers)
    // Each worker has a few file handles. In total, these are far fewer than the usual limit of 256
    // open files.
    let handles = max(2, 120 / (workers.count * 2))
    pools = WorkerStates(count: workers.count) { ReaderPool(limit: handles) }
  }

  /// Closes the files of all workers.
  func closeAll() {
    for worker in 0..<pools.count { pools[worker].closeAll() }
  }

  /// Returns the failures since the last call, and clears them.
  func drainFailures() -> ReadFailures {
    failures.withLock { state in
      defer { state = ReadFailures() }
      return state
    }
  }

  func keepFailure(_ path: String, _ error: RasterError) {
    // Failures of cancelled work are dropped, because other work would report them as its own
    // failures.
    if WorkCancellation.isCurrentCancelled { return }
    failures.withLock { $0.add(path, error.line) }
  }

  /// The workers that may decode tiles concurrently. Fewer workers are used if tiles are so large
  /// that one tile per worker would use too much memory.
  func tileWorkers(_ sources: [any TileSource]) -> Workers {
    let largest = sources.reduce(1) { maximum, source in
      let profile = source.profile
      return max(maximum, profile.tileByteCount(plane: 0), profile.grid.cellsPerTile)
    }
    return Workers(count: min(workers.count, max(1, (128 << 20) / largest)))
  }

  /// Starts to fetch tiles from a remote source, with one job per tile; returns nil for a local
  /// source.
  func fetch(
    _ source: any TileSource, id: UInt32, bands: [Int], tiles: [Int], _ store: TileStore
  ) -> TileFetch? {
    guard source.isRemote else { return nil }
    return source.fetch(
      TileDemand(tiles: tiles, planes: source.profile.planes(of: bands).sorted()) {
        [cache = store.cache] plane, tile in
        cache.holds(TileCache.Key(source: id, plane: UInt32(plane), tile: UInt32(tile)))
      })
  }

  /// Starts to fetch the tiles that a request needs at some points, for a later call of `sample`.
  ///
  /// - Parameter points: the points in each of the request's CRSs.
  /// - Returns: the fetches, which end when they are released; none for local rasters.
  func prefetch(_ request: SampleRequest, _ points: [PointCoordinates]) -> [TileFetch] {
    let (raster, bands) = (request.raster, request.bands)
    guard let count = points.first?.count, raster.members.contains(where: \.isRemote) else {
      return []
    }
    let store = TileStore(cache: cache, keepsTiles: true)
    // In a mosaic, the first file at a point usually has the value.
    var isFound = [Bool](repeating: false, count: count)
    return raster.members.indices.compactMap { index in
      let member = raster.members[index]
      guard member.isRemote, let placement = member.profile.mapping.placement else { return nil }
      let coordinates = points[raster.isMosaic ? raster.memberReferences[index] : 0]
      let grid = member.profile.grid
      var tiles: Set<Int> = []
      for point in 0..<count where !isFound[point] && coordinates.isOK(point) {
        let (column, row) = placement.gridPosition(x: coordinates.x[point], y: coordinates.y[point])
        guard column >= 0, row >= 0, column < Double(grid.width), row < Double(grid.height) else {
          continue
        }
        isFound[point] = true
        tiles.insert(
          Int(row) / grid.tileHeight * grid.tilesAcross + Int(column) / grid.tileWidth)
      }
      guard !tiles.isEmpty else { return nil }
      return fetch(
        member, id: raster.firstSourceID + UInt32(index), bands: bands, tiles: tiles.sorted(),
        store)
    }
  }

  /// Reads one tile's points in all requested bands of one member into the answer's columns.
  ///
  /// - Parameters:
  ///   - targets: the requested bands and their columns.
  ///   - store: the cache for the tile. If the tile is not in the cache and the store keeps tiles,
  ///     the tile is added.
  func readTile(
    _ source: any TileSource, id: UInt32, tile: Int, entries: UnsafeBufferPointer<PlanEntry>,
    targets: BandColumns, store: TileStore, worker: Int
  ) {
    if WorkCancellation.isCurrentCancelled { return targets.fail(entries) }
    let profile = source.profile
    var loaded: [Int: Result<LoadedCells, RasterError>] = [:]
    if let places = targets.places {
      do throws(RasterError) {
        let cells = try load(
          0, &loaded, source, id: id, tile: tile, entries: entries, store, worker: worker)
        gather(cells, stride: profile.cellStride(plane: 0), entries, places)
        if cells.unread != nil {
          for column in targets.columns { mark(cells.unread, entries, column) }
        }
      } catch {
        targets.fail(entries)
      }
      return
    }
    let (bands, columns) = (targets.bands, targets.columns)
    let shared = profile.isInterleaved ? [] : alphaPlanes(of: bands, profile)
    // All bands of an interleaved raster have the same cells.
    var together: LoadedCells?
    let allBands = profile.bands
    for (band, column) in zip(bands, columns) {
      // Only the planes of alpha bands are needed again. Only a few other tiles are kept, so that
      // the memory does not depend on the number of bands.
      if !profile.isInterleaved,
        loaded.count > 8 || profile.tileByteCount(plane: 0) > 1 << 20
      {
        loaded = loaded.filter { shared.contains($0.key) }
      }
      do throws(RasterError) {
        let plane = profile.plane(band: band)
        let cells: LoadedCells
        if let together {
          cells = together
        } else {
          cells = try load(
            plane, &loaded, source, id: id, tile: tile, entries: entries, store, worker: worker)
          if profile.isInterleaved { together = cells }
        }
        allBands[band].rule.visitValidity(
          EntryGather(
            source: gatherSource(cells, profile, plane: plane, band: band), entries: entries,
            values: column.bytes, status: column.status.base))
        switch allBands[band].validity {
        case .all, .noData: break
        case .alpha(let alpha):
          let plane = profile.plane(band: alpha)
          let cells = try load(
            plane, &loaded, source, id: id, tile: tile, entries: entries, store, worker: worker)
          applyMask(
            gatherSource(cells, profile, plane: plane, band: alpha),
            byteCount: allBands[alpha].pixelType.byteCount, entries: entries, reason: .masked,
            to: column)
          mark(cells.unread, entries, column)
        case .mask(let meansNoData):
          let plane = profile.maskPlane(band: band)
          let cells = try load(
            plane, &loaded, source, id: id, tile: tile, entries: entries, store, worker: worker)
          applyMask(
            GatherSource(
              base: cells.bytes.baseAddress!, stride: 1, isPacked: cells.isPacked),
            byteCount: 1, entries: entries, reason: meansNoData ? .nodata : .masked, to: column)
          mark(cells.unread, entries, column)
        }
        mark(cells.unread, entries, column)
      } catch {
        for entry in entries {
          column.status.base[Int(entry.index)] = SampleStatus.readError.rawValue
        }
      }
    }
  }

  /// Copies the cells of a tile that contains all bands to the columns.
  private func gather(
    _ cells: LoadedCells, stride: Int, _ entries: UnsafeBufferPointer<PlanEntry>,
    _ places: [BandColumns.Place]
  ) {
    guard let base = cells.bytes.baseAddress else { return }
    // The columns and the cells own the memory.
    withExtendedLifetime(cells) {
      for place in places {
        place.rule.visitValidity(
          EntryGather(
            source: GatherSource(
              base: base + place.offset, stride: stride, isPacked: cells.isPacked),
            entries: entries, values: place.values.pointer, status: place.status.pointer))
      }
    }
  }

  /// The planes of the alpha bands that mask other bands.
  private func alphaPlanes(of bands: [Int], _ profile: RasterProfile) -> Set<Int> {
    var planes: Set<Int> = []
    for band in bands {
      if case .alpha(let alpha) = profile.bands[band].validity {
        planes.insert(profile.plane(band: alpha))
      }
    }
    return planes
  }

  private func mark(
    _ unread: TrivialBuffer<Bool>?, _ entries: UnsafeBufferPointer<PlanEntry>,
    _ column: ValueColumn
  ) {
    guard let unread else { return }
    for (position, entry) in entries.enumerated() where unread.base[position] {
      column.status.base[Int(entry.index)] = SampleStatus.readError.rawValue
    }
  }

  private func gatherSource(
    _ cells: LoadedCells, _ profile: RasterProfile, plane: Int, band: Int
  ) -> GatherSource {
    GatherSource(
      base: cells.bytes.baseAddress! + profile.bandOffset(band),
      stride: profile.cellStride(plane: plane), isPacked: cells.isPacked)
  }

  /// Returns the cells of a plane, or throws the error. The result is cached for this job. If the
  /// tile cannot be read completely, returns only the readable cells.
  private func load(
    _ plane: Int, _ loaded: inout [Int: Result<LoadedCells, RasterError>],
    _ source: any TileSource, id: UInt32, tile: Int, entries: UnsafeBufferPointer<PlanEntry>,
    _ store: TileStore, worker: Int
  ) throws(RasterError) -> LoadedCells {
    if let known = loaded[plane] { return try known.get() }
    let result: Result<LoadedCells, RasterError>
    do throws(RasterError) {
      var scratch = 0
      while loaded.values.contains(where: { (try? $0.get())?.scratch == scratch }) { scratch += 1 }
      result = .success(
        try fetch(
          plane, source, id: id, tile: tile, entries: entries, store, worker: worker,
          scratch: scratch))
    } catch {
      keepFailure(source.path, error)
      result = salvage(
        plane, source, id: id, tile: tile, entries: entries, worker: worker, after: error)
    }
    loaded[plane] = result
    return try result.get()
  }

  private func salvage(
    _ plane: Int, _ source: any TileSource, id: UInt32, tile: Int,
    entries: UnsafeBufferPointer<PlanEntry>, worker: Int, after error: RasterError
  ) -> Result<LoadedCells, RasterError> {
    guard let reader = try? pools[worker].reader(id: id, for: source),
      let salvage = TileSalvage(
        reader, source.profile, plane: plane, tile: tile, entries: entries)
    else { return .failure(error) }
    return .success(
      LoadedCells(
        bytes: UnsafeRawBufferPointer(salvage.bytes.bytes), isPacked: true,
        unread: salvage.unread, owner: salvage.bytes))
  }

  /// Returns the cells of a plane, from the cache or from the file.
  ///
  /// - Parameter scratch: the number of the worker's scratch buffer that is free, for tiles that
  ///   are not kept.
  private func fetch(
    _ plane: Int, _ source: any TileSource, id: UInt32, tile: Int,
    entries: UnsafeBufferPointer<PlanEntry>, _ store: TileStore, worker: Int,
    scratch number: Int
  ) throws(RasterError) -> LoadedCells {
    let profile = source.profile
    let key = TileCache.Key(source: id, plane: UInt32(plane), tile: UInt32(tile))
    let byteCount = profile.tileByteCount(plane: plane)
    cache.touch(key)
    if let resident = cache.resident(key) ?? store.cache.resident(key) {
      return LoadedCells(
        bytes: UnsafeRawBufferPointer(resident.bytes), isPacked: false, owner: resident)
    }
    let reader = try pools[worker].reader(id: id, for: source)
    if let cost = reader.cellReadCost, entries.count * cost < byteCount {
      let bytes = TileBuffer(byteCount: entries.count * profile.cellStride(plane: plane))
      if try reader.readCells(plane: plane, tile: tile, entries: entries, into: bytes.bytes) {
        return LoadedCells(
          bytes: UnsafeRawBufferPointer(bytes.bytes), isPacked: true, owner: bytes)
      }
    }
    if !store.keepsTiles {
      let scratch = pools[worker].scratch(number: number, byteCount: byteCount)
      try reader.readTile(plane: plane, tile: tile, for: entries, into: scratch.bytes)
      cache.countUncached(bytes: byteCount)
      return LoadedCells(
        bytes: UnsafeRawBufferPointer(scratch.bytes), isPacked: false, owner: scratch,
        scratch: number)
    }
    let tile = try store.cache.tile(key, byteCount: byteCount) { buffer throws(RasterError) in
      try reader.readTile(plane: plane, tile: tile, into: buffer)
    }
    return LoadedCells(bytes: UnsafeRawBufferPointer(tile.bytes), isPacked: false, owner: tile)
  }
}
