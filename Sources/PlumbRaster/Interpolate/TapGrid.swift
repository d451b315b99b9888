import PlumbCore

/// Finds the taps of points in a grid of tiles. The taps of a point are the cells around the point
/// whose values are interpolated.
///
/// The cell that contains a point is called its own cell. Each point has an entry in the tile that
/// contains this cell. In the entry's offset, the bits above the cell's offset encode two facts:
/// the position of the point's own cell among the four cells that surround the point, and whether
/// some of the point's taps are "apart", which means in other tiles or outside the grid.
struct TapGrid {
  let grid: TileGrid
  let rule: TapRule
  private let splitter: TileSplitter
  /// The number of columns if the raster spans a full period, so that its right edge meets its left
  /// edge; otherwise 0.
  private let period: Int

  /// The mask for the bits of an entry's offset that contain the cell's offset.
  static let cells: UInt32 = 1 << 28 - 1
  private static let columnBit: UInt32 = 31
  private static let rowBit: UInt32 = 30
  private static let apart: UInt32 = 1 << 29

  /// - Returns: nil for tiles with more cells than an entry's offset can encode.
  init?(_ profile: RasterProfile, _ rule: TapRule) {
    guard profile.grid.cellsPerTile <= Int(Self.cells) else { return nil }
    grid = profile.grid
    self.rule = rule
    splitter = TileSplitter(grid)
    // Beyond the edge of a raster that spans a full period, the cells of the opposite edge follow.
    period = PeriodicLocator(profile)?.isClosed == true ? grid.width : 0
  }

  /// The maximum distance of a tap from the point's own tile, in rows of tiles.
  var rowSpan: Int { (rule.margin + grid.tileHeight) / grid.tileHeight }

  static func isApart(_ entry: PlanEntry) -> Bool { entry.offset & apart != 0 }

  @inline(__always)
  static func centreCell(_ entry: PlanEntry) -> (column: Int, row: Int) {
    (Int(entry.offset >> columnBit), Int(entry.offset >> rowBit & 1))
  }

  /// Returns the tile of a point's own cell, and the offset of its entry.
  @inline(__always)
  func locate(column: Int32, row: Int32, _ position: TapPosition) -> (tile: UInt32, offset: UInt32)
  {
    let (tileX, x) = splitter.across.divide(UInt64(UInt32(bitPattern: column)))
    let (tileY, y) = splitter.down.divide(UInt64(UInt32(bitPattern: row)))
    let (firstX, firstY) = (
      Int(x) - position.centreColumn - rule.margin, Int(y) - position.centreRow - rule.margin
    )
    let (lastX, lastY) = (firstX + rule.side, firstY + rule.side)
    let isNear =
      firstX >= 0 && firstY >= 0 && lastX <= grid.tileWidth && lastY <= grid.tileHeight
      && Int(column) - Int(x) + lastX <= grid.width && Int(row) - Int(y) + lastY <= grid.height
    let marks =
      UInt32(truncatingIfNeeded: position.centreColumn) << Self.columnBit
      | UInt32(truncatingIfNeeded: position.centreRow) << Self.rowBit
    return (
      UInt32(truncatingIfNeeded: tileY &* splitter.tilesAcross &+ tileX),
      UInt32(truncatingIfNeeded: y &* splitter.tileWidth &+ x) | marks
        | (isNear ? 0 : Self.apart)
    )
  }

  /// The offset of a point's first tap in its tile, in cells, if no tap is apart.
  @inline(__always)
  func firstTap(_ entry: PlanEntry) -> Int {
    let centreCell = Self.centreCell(entry)
    return Int(entry.offset & Self.cells) - (centreCell.row + rule.margin) * grid.tileWidth
      - centreCell.column - rule.margin
  }

  /// Calls `body` for each of a point's taps that is on the grid, with the tap's number, tile and
  /// offset.
  @inline(__always)
  func forEachTap(
    of entry: PlanEntry, tile: Int, _ body: (_ tap: Int, _ tile: UInt32, _ offset: UInt32) -> Void
  ) {
    let cell = grid.cell(tile: tile, offset: Int(entry.offset & Self.cells))
    let centreCell = Self.centreCell(entry)
    let (left, top) = (
      cell.column - centreCell.column - rule.margin, cell.row - centreCell.row - rule.margin
    )
    for tap in 0..<rule.count {
      let (down, across) = tap.quotientAndRemainder(dividingBy: rule.side)
      var (column, row) = (left + across, top + down)
      if column < 0 { column += period }
      if column >= grid.width { column -= period }
      guard column >= 0, column < grid.width, row >= 0, row < grid.height else { continue }
      let split = splitter.split(
        column: Int32(truncatingIfNeeded: column), row: Int32(truncatingIfNeeded: row))
      body(tap, split.tile, split.offset)
    }
  }

  /// The tiles that contain taps of the points of `tile`, with `tile` first.
  func tiles(of entries: UnsafeBufferPointer<PlanEntry>, tile: Int) -> [UInt32] {
    var tiles = [UInt32(truncatingIfNeeded: tile)]
    for entry in entries where Self.isApart(entry) {
      forEachTap(of: entry, tile: tile) { _, number, _ in
        if !tiles.contains(number) { tiles.append(number) }
      }
    }
    return tiles
  }
}

/// The batch indices of the points of a part of a batch: either consecutive numbers or a list.
struct RowNumbers {
  let first: Int
  let list: TrivialBuffer<UInt32>?

  /// - Parameter slot: the position in the part, from 0.
  subscript(slot: Int) -> Int { list.map { Int($0.base[slot]) } ?? first + slot }
}

/// The fractional positions of interpolated points: the distances in cells, along x and y, from the
/// centre of the nearest cell whose centre is to the left of and above the point.
struct TapPoints {
  let grid: TapGrid
  let xFractions: TrivialBuffer<Double>
  let yFractions: TrivialBuffer<Double>
}
