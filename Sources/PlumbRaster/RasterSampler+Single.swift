import CKernels
import PlumbCore

extension RasterSampler {
  /// Reads single-file rasters of one grid at the points of a range, with one location plan.
  func sampleCongruent(
    _ group: [Int], _ coordinates: [PointCoordinates], _ range: Range<Int>,
    _ answers: [RasterAnswer]
  ) {
    let points = coordinates[referenceIndices[group[0]][0]]
    guard resampling == .nearest else {
      for index in group { interpolate(index, points, range, answers[index]) }
      return
    }
    if let tables = residentTables(group, points: range.count) {
      gatherResident(group, tables, points, range, answers)
      return
    }
    let raster = requests[group[0]].raster
    let source = raster.members[0]
    let keys = TrivialBuffer<UInt64>(count: range.count)
    let offsets = TrivialBuffer<UInt32>(count: range.count)
    let splitter = TileSplitter(source.profile.grid)
    forEachBlock(source, raster.firstSourceID, points, range) { _, first, count, block in
      for i in 0..<count {
        let point = first + i
        if block.columns[i] >= 0, isOK(points, point) {
          let (tile, offset) = splitter.split(column: block.columns[i], row: block.rows[i])
          keys.base[point - range.lowerBound] = UInt64(tile)
          offsets.base[point - range.lowerBound] = offset
        } else {
          keys.base[point - range.lowerBound] = LocationPlan.noKey
          mark(point, points, column: block.columns[i], group, answers)
        }
      }
      keepCells(block, first: first, count: count, group, answers)
    }
    let plan = LocationPlan(
      keys: keys, offsets: offsets, count: range.count, keyLimit: source.profile.grid.tileCount,
      firstIndex: range.lowerBound, workers: workers)
    let sources = group.map { requests[$0].raster.members[0] }
    tileWorkers(sources).run(plan.groups.count * group.count) { worker, job in
      let (member, number) = job.quotientAndRemainder(dividingBy: plan.groups.count)
      let request = requests[group[member]]
      let tile = plan.groups[number]
      readTile(
        request.raster.members[0], id: request.raster.firstSourceID, tile: Int(tile.key),
        entries: plan.entries(of: tile), bands: request.bands,
        columns: answers[group[member]].columns, worker: worker)
    }
  }

  /// Locates the points of a range block by block on all workers. A block whose points cannot be
  /// mapped at all gets `CellLocator.failed`, and the failure is kept.
  func forEachBlock(
    _ source: any TileSource, _ id: UInt32, _ points: PointCoordinates, _ range: Range<Int>,
    keepsPositions: Bool = false,
    _ body: @Sendable (_ worker: Int, _ first: Int, _ count: Int, borrowing CellBlock) -> Void
  ) {
    workers.runRanges(range.count, grain: Self.grain) { worker, part in
      forEachBlock(
        source, id, points, range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound,
        of: worker, keepsPositions: keepsPositions
      ) { first, count, block in body(worker, first, count, block) }
    }
  }

  /// The same on the calling thread, which uses the readers of one worker.
  func forEachBlock(
    _ source: any TileSource, _ id: UInt32, _ points: PointCoordinates, _ range: Range<Int>,
    of worker: Int, keepsPositions: Bool = false,
    _ body: (_ first: Int, _ count: Int, borrowing CellBlock) -> Void
  ) {
    let block = CellBlock()
    var first = range.lowerBound
    while first < range.upperBound {
      let count = min(CellBlock.size, range.upperBound - first)
      do throws(RasterError) {
        try locate(
          source, id: id, coordinates: points, first: first, count: count, worker: worker,
          keepsPositions: keepsPositions, into: block)
      } catch {
        keepFailure(source.path, error)
        for i in 0..<count {
          block.columns[i] = CellLocator.failed
          block.rows[i] = CellLocator.failed
        }
      }
      body(first, count, block)
      first += count
    }
  }

  @inline(__always)
  func isOK(_ points: PointCoordinates, _ point: Int) -> Bool {
    guard let status = points.status else { return true }
    return status[point] == SampleStatus.ok.rawValue
  }

  /// Gives a point that lies on no cell its status in every column.
  func mark(
    _ point: Int, _ points: PointCoordinates, column: Int32, _ group: [Int],
    _ answers: [RasterAnswer]
  ) {
    let own = points.status?[point] ?? SampleStatus.ok.rawValue
    let reason = column == CellLocator.failed ? SampleStatus.transformFailed : .outside
    let status = own == SampleStatus.ok.rawValue ? reason.rawValue : own
    for index in group {
      for column in answers[index].columns { column.status.base[point] = status }
    }
  }

  func keepCells(
    _ block: borrowing CellBlock, first: Int, count: Int, _ group: [Int], _ answers: [RasterAnswer]
  ) {
    for index in group {
      answers[index].provenance?.keep(block, first: first, count: count)
    }
  }

  /// The tiles of every plane that the group needs, when all of them are in memory and the batch
  /// is worth the listing.
  private func residentTables(_ group: [Int], points: Int) -> [[Int: ResidentTable]]? {
    var result: [[Int: ResidentTable]] = []
    for index in group {
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
          let tiles = cache.residents(
            source: request.raster.firstSourceID, plane: plane, tileCount: tileCount)
        else { return nil }
        tables[plane] = ResidentTable(tiles, stride: profile.cellStride(plane: plane))
      }
      result.append(tables)
    }
    return result
  }

  /// Reads points whose tiles are all in memory: no grouping, each value straight from its tile,
  /// fetched ahead by its address.
  private func gatherResident(
    _ group: [Int], _ tables: [[Int: ResidentTable]], _ points: PointCoordinates,
    _ range: Range<Int>, _ answers: [RasterAnswer]
  ) {
    let raster = requests[group[0]].raster
    let source = raster.members[0]
    let splitter = TileSplitter(source.profile.grid)
    let nowhere = source.profile.grid.tileCount
    forEachBlock(source, raster.firstSourceID, points, range) { _, first, count, block in
      withUnsafeTemporaryAllocation(of: (tile: UInt32, offset: UInt32).self, capacity: count) {
        cells in
        var missing = 0
        for i in 0..<count {
          if block.columns[i] >= 0, isOK(points, first + i) {
            cells[i] = splitter.split(column: block.columns[i], row: block.rows[i])
          } else {
            cells[i] = (UInt32(truncatingIfNeeded: nowhere), 0)
            missing += 1
          }
        }
        withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: count) { addresses in
          for (index, tables) in zip(group, tables) {
            let profile = requests[index].raster.members[0].profile
            for (plane, table) in tables {
              let (tiles, stride) = (table.starts.base, table.stride)
              for i in 0..<count {
                let address = tiles[Int(cells[i].tile)] + Int(cells[i].offset) &* stride
                plumb_prefetch(address)
                addresses[i] = address
              }
              for (band, column) in zip(requests[index].bands, answers[index].columns)
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
          for i in 0..<count where Int(cells[i].tile) == nowhere {
            mark(first + i, points, column: block.columns[i], group, answers)
          }
        }
      }
      keepCells(block, first: first, count: count, group, answers)
    }
  }
}

/// Where each tile of a plane lies in memory, and one cell of zeros for points on no tile.
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
  /// Keeps the cells of a block of points on a single file.
  func keep(_ block: borrowing CellBlock, first: Int, count: Int) {
    for i in 0..<count {
      member.base[first + i] = block.columns[i] >= 0 ? 0 : -1
      column.base[first + i] = block.columns[i]
      row.base[first + i] = block.rows[i]
    }
  }
}
