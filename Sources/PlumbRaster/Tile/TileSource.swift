import PlumbCore

/// A raster that provides its tiles: the interface between grid maths and file formats.
public protocol TileSource: AnyObject, Sendable {
  /// The path of the raster, which is its name in messages.
  var path: String { get }
  /// The properties of the raster.
  var profile: RasterProfile { get }
  /// The name of the decoder: `Plumb`, `libtiff` or `GDAL`.
  var route: String { get }
  /// The files that are read, the raster's main file first.
  var files: [String] { get }
  /// Opens a reader for one worker.
  func makeReader() throws(RasterError) -> any TileReader

  /// Whether the cells are read over a network, so that they should be fetched in advance.
  var isRemote: Bool { get }
  /// Starts to fetch the bytes of tiles; nil if there is nothing to fetch.
  func fetch(_ demand: TileDemand) -> TileFetch?
  /// The estimated cost of fetching the bytes of tiles.
  func cost(of demand: TileDemand) -> FetchCost
  /// The total cost of fetching so far.
  var fetched: FetchCost { get }

  /// The reader of values by point instead of tiles; nil for a source of tiles.
  var pointValues: PointValues? { get }

  /// Returns the file's overview of the same area in larger cells.
  ///
  /// - Parameter factor: the maximum width of the larger cells, in cells of the raster.
  /// - Returns: nil if the file has no overview with larger cells within that limit.
  func overview(atMost factor: Double) -> (any TileSource)?
}

extension TileSource {
  /// False: a local file.
  public var isRemote: Bool { false }

  /// Nil: nothing is fetched.
  public func fetch(_ demand: TileDemand) -> TileFetch? { nil }

  /// No cost.
  public func cost(of demand: TileDemand) -> FetchCost { FetchCost() }

  /// No cost.
  public var fetched: FetchCost { FetchCost() }

  /// Nil: a source of tiles.
  public var pointValues: PointValues? { nil }

  /// Nil: there are no overviews.
  public func overview(atMost factor: Double) -> (any TileSource)? { nil }
}

/// A worker's reader of a raster. Not thread-safe.
public protocol TileReader: AnyObject {
  /// Reads a complete tile of a plane, row by row, padded to the full tile size.
  ///
  /// - Parameters:
  ///   - plane: the plane of the tile, counted from 0.
  ///   - tile: the number of the tile in its grid.
  ///   - buffer: `RasterProfile.tileByteCount(plane:)` bytes.
  func readTile(
    plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError)

  /// Reads at least the cells of some entries of a tile. The bytes of other cells are unspecified.
  ///
  /// - Parameters:
  ///   - plane: the plane of the tile, counted from 0.
  ///   - tile: the number of the tile in its grid.
  ///   - entries: the points in the tile.
  ///   - buffer: `RasterProfile.tileByteCount(plane:)` bytes.
  func readTile(
    plane: Int, tile: Int, for entries: UnsafeBufferPointer<PlanEntry>,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError)

  /// The cost of reading a single cell, as the number of bytes of a tile that take the same time to read; nil
  /// if the layout has no cheap reads of single cells.
  var cellReadCost: Int? { get }

  /// Reads single cells and stores them one after another, `RasterProfile.cellStride(plane:)` bytes each.
  ///
  /// - Returns: false if this tile has to be read completely.
  func readCells(
    plane: Int, tile: Int, entries: UnsafeBufferPointer<PlanEntry>,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) -> Bool

  /// The number of rows of cells in a block of the file; nil if a block is a complete tile.
  var blockRows: Int? { get }

  /// Whether a block can be read only as a whole.
  var readsWholeBlocks: Bool { get }

  /// Reads a window of a plane within one tile, for tiles that cannot be read completely.
  ///
  /// - Parameters:
  ///   - plane: the plane of the tile, counted from 0.
  ///   - window: the cells to read.
  ///   - memory: the address of the window's first cell.
  ///   - cellStride: bytes between consecutive cells.
  ///   - rowStride: bytes between consecutive rows.
  func readWindow(
    plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
    rowStride: Int
  ) throws(RasterError)

  /// Converts points to grid positions in place, if the profile's mapping is `source`; a point without a
  /// position becomes NaN.
  func mapToGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError)

  /// Converts grid positions to points in place: the inverse of `mapToGrid`.
  func mapFromGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError)
}

extension TileReader {
  /// Reads the complete tile.
  public func readTile(
    plane: Int, tile: Int, for entries: UnsafeBufferPointer<PlanEntry>,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    try readTile(plane: plane, tile: tile, into: buffer)
  }

  /// Nil: complete tiles are read.
  public var cellReadCost: Int? { nil }

  /// Nil: all rows of a tile.
  public var blockRows: Int? { nil }

  /// True.
  public var readsWholeBlocks: Bool { true }

  /// Throws: the source provides complete tiles only.
  public func readWindow(
    plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
    rowStride: Int
  ) throws(RasterError) {
    throw RasterError("this raster is read by complete tiles only")
  }

  /// False: complete tiles are read.
  public func readCells(
    plane: Int, tile: Int, entries: UnsafeBufferPointer<PlanEntry>,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) -> Bool { false }

  /// Throws: the method does not apply to a source with an affine grid.
  public func mapToGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError) {
    throw RasterError("this raster has an affine grid")
  }

  /// Throws: the method does not apply to a source with an affine grid.
  public func mapFromGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError) {
    throw RasterError("this raster has an affine grid")
  }
}
