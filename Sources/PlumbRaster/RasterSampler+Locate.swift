import PlumbCore

/// Scratch for the cells of one block of places.
struct CellBlock: ~Copyable {
  static let size = 1024
  let columns = UnsafeMutablePointer<Int32>.allocate(capacity: size)
  let rows = UnsafeMutablePointer<Int32>.allocate(capacity: size)
  let x = UnsafeMutablePointer<Double>.allocate(capacity: size)
  let y = UnsafeMutablePointer<Double>.allocate(capacity: size)

  deinit {
    columns.deallocate()
    rows.deallocate()
    x.deallocate()
    y.deallocate()
  }
}

extension RasterSampler {
  /// Fills the block with the cells of `count` places from `first` on; `CellLocator.outside` where
  /// there is none. Grid positions go to the block's x and y when `keepsPositions`.
  func locate(
    _ source: any TileSource, id: UInt32, coordinates: PlaceCoordinates, first: Int, count: Int,
    worker: Int, keepsPositions: Bool = false, into block: borrowing CellBlock
  ) throws(RasterError) {
    let grid = source.profile.grid
    switch source.profile.mapping {
    case .affine(let transform):
      let locator = CellLocator(width: grid.width, height: grid.height, transform: transform)
      locator.locate(
        x: coordinates.x + first, y: coordinates.y + first, count: count, columns: block.columns,
        rows: block.rows)
      if keepsPositions {
        for i in 0..<count {
          let position = transform.gridPosition(
            x: coordinates.x[first + i], y: coordinates.y[first + i])
          block.x[i] = position.column
          block.y[i] = position.row
        }
      }
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
    }
  }
}
