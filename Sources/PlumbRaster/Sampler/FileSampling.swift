import CKernels
import PlumbCore

/// Reads single-file rasters at the points of a part.
struct FileSampling: Sendable {
  let reading: TileReading
  let requests: [RasterSampler.Request]
  let resampling: Resampling

  private var locator: PointLocator { PointLocator(reading: reading) }
  private var interpolation: TileInterpolation {
    TileInterpolation(reading: reading, resampling: resampling)
  }

  /// Finds the tiles of a part's points on the grid of a request's single file.
  ///
  /// - Parameter tiles: the tiles to include; points in other tiles are omitted from the plan.
  func locate(
    _ index: Int, _ points: PointCoordinates, _ range: Range<Int>, tiles: Range<Int>? = nil
  ) -> LocatedPoints {
    let raster = requests[index].raster
    guard resampling == .nearest else {
      return interpolation.locate(
        raster.members[0], id: raster.firstSourceID, points, range, tiles: tiles)
    }
    return locator.locate(raster, points, range, tiles: tiles)
  }

  /// Reads single-file rasters of one grid at the points of a part.
  ///
  /// - Parameters:
  ///   - requestIndices: the indices of the requests that the answers of `part` belong to.
  ///   - located: the located points, which are valid for all requests with the same grid. If nil,
  ///     the points are located and stored here.
  func readAll(
    _ requestIndices: [Int], _ part: SamplePart, _ located: inout LocatedPoints?, _ store: TileStore
  ) {
    if resampling == .nearest, let tables = residentTables(requestIndices, points: part.range.count)
    {
      return gatherResident(requestIndices, tables, part)
    }
    let points = located ?? locate(requestIndices[0], part.points[0], part.range)
    located = points
    read(TileSweep(requests: requestIndices), part, points, store)
  }

  /// Reads the requests of a sweep at the located points of a part.
  func read(
    _ sweep: TileSweep, _ part: SamplePart, _ located: LocatedPoints, _ store: TileStore
  ) {
    if sweep.isFirst {
      located.mark(part.range, part.answers, reading.workers)
      keepCells(sweep.requests[0], part)
    }
    guard resampling == .nearest else {
      for (index, answer) in zip(sweep.requests, part.answers) {
        interpolation.interpolate(requests[index], part, answer, located, store)
      }
      return
    }
    let groups = located.plan.groups
    let reads = reads(sweep.requests, part.answers)
    let targets = reads.map {
      BandColumns($0.bands, $0.columns, of: $0.raster.members[0].profile)
    }
    let fetches = reads.map { read in
      reading.fetch(
        read.raster.members[0], id: read.raster.firstSourceID, bands: read.bands,
        tiles: groups.map { located.firstTile + Int($0.key) }, store)
    }
    // If the tiles do not fit into the cache, each would be evicted before another batch needs it.
    let bytes = reads.reduce(0.0) { sum, read in
      sum + Double(groups.count) * read.raster.members[0].profile.tileBytes(of: read.bands)
    }
    let store = TileStore(
      cache: store.cache, keepsTiles: store.keepsTiles && bytes <= store.cache.available)
    reading.tileWorkers(reads.map { $0.raster.members[0] }).run(groups.count * reads.count) {
      worker, job in
      let (index, number) = job.quotientAndRemainder(dividingBy: groups.count)
      let read = reads[index]
      let tile = groups[number]
      reading.readTile(
        read.raster.members[0], id: read.raster.firstSourceID,
        tile: located.firstTile + Int(tile.key), entries: located.plan.entries(of: tile),
        targets: targets[index], store: store, worker: worker)
      fetches[index]?.finish(number)
    }
  }

  /// The bands of one raster that are read together, tile by tile, and their columns.
  private struct TogetherRead {
    var raster: Raster
    var bands: [Int]
    var columns: [ValueColumn]
  }

  /// Consecutive requests of the same raster are one read, because a file may store bands together.
  private func reads(_ indices: [Int], _ answers: [RasterAnswer]) -> [TogetherRead] {
    var reads: [TogetherRead] = []
    for (index, answer) in zip(indices, answers) {
      let request = requests[index]
      if let last = reads.indices.last, reads[last].raster === request.raster {
        reads[last].bands += request.bands
        reads[last].columns += answer.columns
      } else {
        reads.append(
          TogetherRead(raster: request.raster, bands: request.bands, columns: answer.columns))
      }
    }
    return reads
  }

  /// Stores the cells of a part's points in all answers that record provenance. The cells are in a
  /// request's single file.
  func keepCells(_ index: Int, _ part: SamplePart) {
    let kept = part.answers.compactMap(\.provenance)
    if kept.isEmpty { return }
    let raster = requests[index].raster
    locator.forEachBlock(raster.members[0], raster.firstSourceID, part.points[0], part.range) {
      _, first, count, block in
      for provenance in kept { provenance.keep(block, first: first, count: count) }
    }
  }

  /// The tiles of all planes that the requests need. Nil unless all of these tiles are in memory
  /// and the batch has at least as many points as the file has tiles.
  private func residentTables(
    _ requestIndices: [Int], points: Int
  ) -> [[Int: ResidentTable]]? {
    var result: [[Int: ResidentTable]] = []
    for index in requestIndices {
      let request = requests[index]
      let profile = request.raster.members[0].profile
      let tileCount = profile.grid.tileCount
      guard points >= tileCount else { return nil }
      var tables: [Int: ResidentTable] = [:]
      for band in request.bands {
        switch profile.bands[band].validity {
        case .all, .noData: break
        case .alpha, .mask: return nil
        }
        let plane = profile.plane(band: band)
        if tables[plane] != nil { continue }
        guard
          let residents = reading.cache.residents(
            source: request.raster.firstSourceID, plane: plane, tileCount: tileCount)
        else { return nil }
        tables[plane] = ResidentTable(residents, stride: profile.cellStride(plane: plane))
      }
      result.append(tables)
    }
    return result
  }

  /// Reads points whose tiles are all in memory. The points are not grouped: each value is read
  /// directly from its tile, after a prefetch of its address.
  private func gatherResident(
    _ requestIndices: [Int], _ tables: [[Int: ResidentTable]], _ part: SamplePart
  ) {
    let raster = requests[requestIndices[0]].raster
    let (points, answers) = (part.points[0], part.answers)
    let source = raster.members[0]
    let splitter = TileSplitter(source.profile.grid)
    let nowhere = UInt32(truncatingIfNeeded: source.profile.grid.tileCount)
    locator.forEachBlock(source, raster.firstSourceID, points, part.range) {
      _, first, count, block in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 2 * count) { memory in
        let (numbers, offsets) = (memory.baseAddress!, memory.baseAddress! + count)
        var missing = splitter.split(
          columns: block.columns, rows: block.rows, count: count, nowhere: nowhere, tiles: numbers,
          offsets: offsets)
        if points.status != nil {
          for i in 0..<count where numbers[i] != nowhere && !points.isOK(first + i) {
            (numbers[i], offsets[i]) = (nowhere, 0)
            missing += 1
          }
        }
        withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: count) { addresses in
          for (position, tables) in tables.enumerated() {
            let index = requestIndices[position]
            let profile = requests[index].raster.members[0].profile
            for (plane, table) in tables {
              let (tiles, stride) = (table.starts.base, table.stride)
              for i in 0..<count {
                let address = tiles[Int(numbers[i])] + Int(offsets[i]) &* stride
                plumb_prefetch(address)
                addresses[i] = address
              }
              for (band, column) in zip(requests[index].bands, answers[position].columns)
              where profile.plane(band: band) == plane {
                profile.bands[band].visitValidity(
                  AddressGather(
                    addresses: addresses.baseAddress!, byteOffset: profile.bandOffset(band),
                    count: count, first: first, column: column))
              }
            }
          }
        }
        if missing > 0 {
          for i in 0..<count where numbers[i] == nowhere {
            let reason = points.reason(first + i, column: block.columns[i])
            for answer in answers {
              for column in answer.columns { column.status.base[first + i] = reason }
            }
          }
        }
      }
      for answer in answers { answer.provenance?.keep(block, first: first, count: count) }
    }
  }
}

/// The address of each tile of a plane in memory, and the address of a cell of zeros for points
/// outside all tiles.
struct ResidentTable {
  let tiles: [TileBuffer]
  let nowhere: TileBuffer
  let starts: TrivialBuffer<UnsafeRawPointer>
  let stride: Int

  init(_ tiles: [TileBuffer], stride: Int) {
    self.tiles = tiles
    self.stride = stride
    nowhere = TileBuffer(byteCount: stride)
    nowhere.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    starts = TrivialBuffer(count: tiles.count + 1)
    for (index, tile) in tiles.enumerated() {
      starts.base[index] = UnsafeRawPointer(tile.bytes.baseAddress!)
    }
    starts.base[tiles.count] = UnsafeRawPointer(nowhere.bytes.baseAddress!)
  }
}

extension RasterAnswer.Provenance {
  /// Stores the cells of a block of points in a single file.
  func keep(_ block: borrowing CellBlock, first: Int, count: Int) {
    for i in 0..<count {
      member.base[first + i] = block.columns[i] >= 0 ? 0 : -1
      column.base[first + i] = block.columns[i]
      row.base[first + i] = block.rows[i]
    }
  }
}
