import PlumbCore
import Synchronization

/// Finds the cells of points, on all workers.
struct PointLocator: Sendable {
  let reading: TileReading

  /// The number of points that a worker takes at a time.
  static let grain = 1 << 15

  /// Finds the tiles of a part's points on the grid of a raster's single file.
  ///
  /// - Parameter tiles: the tiles to include; points in other tiles are omitted from the plan.
  func locate(
    _ raster: Raster, _ points: PointCoordinates, _ range: Range<Int>, tiles: Range<Int>? = nil
  ) -> LocatedPoints {
    let source = raster.members[0]
    let grid = source.profile.grid
    let tiles = tiles ?? 0..<grid.tileCount
    let keys = TrivialBuffer<UInt64>(count: range.count)
    let offsets = TrivialBuffer<UInt32>(count: range.count)
    let reasons = TrivialBuffer<UInt8>(count: range.count)
    let isSomeOff = Atomic<Bool>(false)
    let splitter = TileSplitter(grid)
    forEachBlock(source, raster.firstSourceID, points, range) { _, first, count, block in
      var isOff = false
      for i in 0..<count {
        let slot = first + i - range.lowerBound
        if block.columns[i] >= 0, points.isOK(first + i) {
          let (tile, offset) = splitter.split(column: block.columns[i], row: block.rows[i])
          let number = Int(tile)
          let isRequested = number >= tiles.lowerBound && number < tiles.upperBound
          keys.base[slot] =
            isRequested
            ? UInt64(truncatingIfNeeded: number - tiles.lowerBound) : LocationPlan.noKey
          offsets.base[slot] = offset
          reasons.base[slot] = SampleStatus.ok.rawValue
        } else {
          keys.base[slot] = LocationPlan.noKey
          reasons.base[slot] = points.reason(first + i, column: block.columns[i])
          isOff = true
        }
      }
      if isOff { isSomeOff.store(true, ordering: .relaxed) }
    }
    return LocatedPoints(
      plan: LocationPlan(
        keys: keys, offsets: offsets, count: range.count, keyLimit: tiles.count,
        firstIndex: range.lowerBound, workers: reading.workers),
      firstTile: tiles.lowerBound,
      reasons: isSomeOff.load(ordering: .relaxed) ? reasons : nil)
  }

  /// Locates the points of a range block by block on all workers. If the points of a block cannot
  /// be mapped, their columns and rows are `CellLocator.failed`, and the failure is recorded.
  func forEachBlock(
    _ source: any TileSource, _ id: UInt32, _ points: PointCoordinates, _ range: Range<Int>,
    keepsPositions: Bool = false,
    _ body: @Sendable (_ worker: Int, _ first: Int, _ count: Int, borrowing CellBlock) -> Void
  ) {
    reading.workers.runRanges(range.count, grain: Self.grain) { worker, part in
      forEachBlock(
        source, id, points, range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound,
        of: worker, keepsPositions: keepsPositions
      ) { first, count, block in body(worker, first, count, block) }
    }
  }

  /// Locates the points of a range block by block on the calling thread, with the readers of one
  /// worker.
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
        reading.keepFailure(source.path, error)
        for i in 0..<count {
          block.columns[i] = CellLocator.failed
          block.rows[i] = CellLocator.failed
        }
      }
      body(first, count, block)
      first += count
    }
  }

  /// Fills the block with the cells of `count` points, starting at `first`, or with
  /// `CellLocator.outside` for points without a cell. If `keepsPositions` is true, the grid
  /// positions are stored in the block's x and y.
  func locate(
    _ source: any TileSource, id: UInt32, coordinates: PointCoordinates, first: Int, count: Int,
    worker: Int, keepsPositions: Bool = false, into block: borrowing CellBlock
  ) throws(RasterError) {
    let grid = source.profile.grid
    switch source.profile.mapping {
    case .affine, .axes:
      guard let placement = source.profile.mapping.placement else { return }
      let locator = CellLocator(width: grid.width, height: grid.height, placement: placement)
      locator.locate(
        x: coordinates.x + first, y: coordinates.y + first, count: count, columns: block.columns,
        rows: block.rows)
      if keepsPositions {
        for i in 0..<count {
          let position = placement.tapPosition(
            x: coordinates.x[first + i], y: coordinates.y[first + i])
          block.x[i] = position.column
          block.y[i] = position.row
        }
      }
      locatePeriods(
        source.profile, coordinates, first: first, count: count, keepsPositions: keepsPositions,
        into: block)
    case .none(let reason): throw RasterError.notGeoreferenced(source.path, reason)
    case .source:
      block.x.update(from: coordinates.x + first, count: count)
      block.y.update(from: coordinates.y + first, count: count)
      let reader = try reading.pools[worker].reader(id: id, for: source)
      try reader.mapToGrid(x: block.x, y: block.y, count: count)
      CellLocator.cells(
        positions: block.x, count: count, cells: grid.width, into: block.columns)
      CellLocator.cells(positions: block.y, count: count, cells: grid.height, into: block.rows)
      for i in 0..<count where block.columns[i] < 0 || block.rows[i] < 0 {
        block.columns[i] = CellLocator.outside
        block.rows[i] = CellLocator.outside
      }
      try locatePeriods(
        source.profile, id: id, reader, coordinates, first: first, count: count, worker: worker,
        block)
    }
  }

  /// If x is periodic, shifts the points that are outside an affine grid by whole periods, and
  /// locates them again.
  private func locatePeriods(
    _ profile: RasterProfile, _ coordinates: PointCoordinates, first: Int, count: Int,
    keepsPositions: Bool, into block: borrowing CellBlock
  ) {
    var all: Int32 = 0
    for i in 0..<count { all |= block.columns[i] }
    // The period is determined only if needed, because determining it takes time for a single file.
    guard all < 0, let locator = PeriodicLocator(profile),
      let placement = profile.mapping.placement
    else { return }
    for i in 0..<count where block.columns[i] < 0 {
      let y = coordinates.y[first + i]
      guard let cell = locator.find(x: coordinates.x[first + i], y: y) else { continue }
      block.columns[i] = cell.column
      block.rows[i] = cell.row
      guard keepsPositions else { continue }
      let position = placement.tapPosition(x: cell.x, y: y)
      block.x[i] = position.column
      block.y[i] = position.row
    }
  }

  /// Shifts points by whole periods into the raster's range, and locates them with the mapping of
  /// the source's reader.
  private func locatePeriods(
    _ profile: RasterProfile, id: UInt32, _ reader: any TileReader,
    _ coordinates: PointCoordinates, first: Int, count: Int, worker: Int,
    _ block: borrowing CellBlock
  ) throws(RasterError) {
    var all: Int32 = 0
    for i in 0..<count { all |= block.columns[i] }
    guard all < 0, let period = profile.longitudePeriod, period > 0,
      let range = try reading.pools[worker].longitudes(id: id, of: profile.grid, reader)
    else { return }
    for i in 0..<count where block.columns[i] < 0 {
      let x = coordinates.x[first + i]
      let shift = ((range.lowerBound - x) / period).rounded(.up)
      guard shift != 0, shift.magnitude < 1e6, x + shift * period <= range.upperBound else {
        continue
      }
      var position = (x: x + shift * period, y: coordinates.y[first + i])
      try reader.mapToGrid(x: &position.x, y: &position.y, count: 1)
      let (column, row) = (
        CellLocator.cell(position.x, scale: 0, cells: profile.grid.width),
        CellLocator.cell(position.y, scale: 0, cells: profile.grid.height)
      )
      guard column >= 0, row >= 0 else { continue }
      block.columns[i] = column
      block.rows[i] = row
      block.x[i] = position.x
      block.y[i] = position.y
    }
  }
}
