import CKernels

/// The division of a raster's cells into tiles of equal size. Tiles are numbered row by row from
/// the top left. Tiles at the right and bottom edges are padded to the full size.
public struct TileGrid: Sendable, Hashable {
  /// The number of columns of the raster.
  public let width: Int
  /// The number of rows of the raster.
  public let height: Int
  /// The number of columns of a tile.
  public let tileWidth: Int
  /// The number of rows of a tile.
  public let tileHeight: Int

  /// Creates a grid of `width` by `height` cells. The tile's sides must be at least 1.
  public init(width: Int, height: Int, tileWidth: Int, tileHeight: Int) {
    self.width = width
    self.height = height
    self.tileWidth = tileWidth
    self.tileHeight = tileHeight
  }

  /// The number of tiles per row.
  public var tilesAcross: Int { (width + tileWidth - 1) / tileWidth }
  /// The number of rows of tiles.
  public var tilesDown: Int { (height + tileHeight - 1) / tileHeight }
  /// The number of tiles.
  public var tileCount: Int { tilesAcross * tilesDown }
  /// The number of cells per tile, including padding.
  public var cellsPerTile: Int { tileWidth * tileHeight }

  /// The column and row of the cell at an offset (in cells) in a tile.
  public func cell(tile: Int, offset: Int) -> (column: Int, row: Int) {
    let (down, across) = tile.quotientAndRemainder(dividingBy: tilesAcross)
    let (row, column) = offset.quotientAndRemainder(dividingBy: tileWidth)
    return (across * tileWidth + column, down * tileHeight + row)
  }

  /// The window of a tile within the raster.
  public func window(tile: Int) -> CellWindow {
    let (down, across) = tile.quotientAndRemainder(dividingBy: tilesAcross)
    let (column, row) = (across * tileWidth, down * tileHeight)
    return CellWindow(
      column: column, row: row, width: min(tileWidth, width - column),
      height: min(tileHeight, height - row))
  }
}

/// A rectangle of cells in a raster.
public struct CellWindow: Sendable, Hashable {
  /// The first column, counted from 0.
  public var column: Int
  /// The first row, counted from 0 at the top.
  public var row: Int
  /// The number of columns.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Creates a window of cells.
  public init(column: Int, row: Int, width: Int, height: Int) {
    self.column = column
    self.row = row
    self.width = width
    self.height = height
  }
}

extension CellWindow {
  /// The cells in both windows; nil if there are none.
  func intersection(_ other: CellWindow) -> CellWindow? {
    let (left, top) = (max(column, other.column), max(row, other.row))
    let right = min(column + width, other.column + other.width)
    let bottom = min(row + height, other.row + other.height)
    guard left < right, top < bottom else { return nil }
    return CellWindow(column: left, row: top, width: right - left, height: bottom - top)
  }

  func contains(row: Int, column: Int) -> Bool {
    column >= self.column && row >= self.row && column < self.column + width
      && row < self.row + height
  }
}

/// Exact division of non-negative 32-bit numbers by a fixed divisor, implemented as a
/// multiplication (Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019).
@frozen
package struct FastDivisor: Sendable {
  @usableFromInline let divisor: UInt64
  @usableFromInline let magic: UInt64

  /// - Parameter divisor: at least 1.
  package init(_ divisor: Int) {
    self.divisor = UInt64(divisor)
    // For the divisor 1, the factor would be 2^64, which is represented by 0.
    magic = divisor == 1 ? 0 : UInt64.max / UInt64(divisor) + 1
  }

  /// - Parameter value: below 2^32.
  @inlinable @inline(__always)
  package func divide(_ value: UInt64) -> (quotient: UInt64, remainder: UInt64) {
    let quotient = magic == 0 ? value : magic.multipliedFullWidth(by: value).high
    return (quotient, value &- quotient &* divisor)
  }
}

/// Converts cells to tile numbers and to offsets within tiles, in cells.
public struct TileSplitter: Sendable {
  let across: FastDivisor
  let down: FastDivisor
  let tilesAcross: UInt64
  let tileWidth: UInt64

  /// Creates a splitter for the cells of a grid.
  public init(_ grid: TileGrid) {
    across = FastDivisor(grid.tileWidth)
    down = FastDivisor(grid.tileHeight)
    tilesAcross = UInt64(grid.tilesAcross)
    tileWidth = UInt64(grid.tileWidth)
  }

  /// - Parameters:
  ///   - column: the column of a cell on the grid; not negative.
  ///   - row: the row of the cell; not negative.
  @inline(__always)
  public func split(column: Int32, row: Int32) -> (tile: UInt32, offset: UInt32) {
    let (tileX, x) = across.divide(UInt64(UInt32(bitPattern: column)))
    let (tileY, y) = down.divide(UInt64(UInt32(bitPattern: row)))
    return (
      UInt32(truncatingIfNeeded: tileY &* tilesAcross &+ tileX),
      UInt32(truncatingIfNeeded: y &* tileWidth &+ x)
    )
  }

  /// Splits a block of cells.
  ///
  /// - Parameters:
  ///   - columns: the columns of the cells on the grid; negative for points without a cell.
  ///   - rows: the rows of the cells; negative for points without a cell.
  ///   - nowhere: the tile number to write, with offset 0, for points without a cell.
  /// - Returns: the number of points without a cell.
  func split(
    columns: UnsafePointer<Int32>, rows: UnsafePointer<Int32>, count: Int, nowhere: UInt32,
    tiles: UnsafeMutablePointer<UInt32>, offsets: UnsafeMutablePointer<UInt32>
  ) -> Int {
    plumb_split_cells(
      columns, rows, count, Int32(truncatingIfNeeded: across.divisor),
      Int32(truncatingIfNeeded: down.divisor), UInt32(truncatingIfNeeded: tilesAcross), nowhere,
      tiles, offsets)
  }
}
