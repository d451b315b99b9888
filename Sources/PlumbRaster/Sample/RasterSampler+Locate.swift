import PlumbCore

extension RasterSampler {
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
      let reader = try pools[worker].reader(id: id, for: source)
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

  /// Locates the points that are outside an affine grid again after shifting them by whole periods,
  /// if x is periodic.
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
      let range = try pools[worker].longitudes(id: id, of: profile.grid, reader)
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
