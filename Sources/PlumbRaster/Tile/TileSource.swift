import PlumbCore

/// A raster that can be read tile by tile. This protocol is the interface between the geometry of
/// grids and the file formats.
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
  /// Starts to fetch the bytes of tiles; returns nil if no bytes have to be fetched.
  func fetch(_ demand: TileDemand) -> TileFetch?
  /// The estimated cost of fetching the bytes of tiles.
  func cost(of demand: TileDemand) -> FetchCost
  /// The total cost of fetching so far.
  var fetched: FetchCost { get }

  /// The source of values by point; nil for a source of tiles.
  var pointValues: PointValues? { get }

  /// Returns the file's overview, which covers the same area with larger cells.
  ///
  /// - Parameter factor: the maximum width of the larger cells, in cells of the raster.
  /// - Returns: nil if the file has no overview with larger cells within that limit.
  func overview(atMost factor: Double) -> (any TileSource)?
}

extension TileSource {
  /// False, because the default source is a local file.
  public var isRemote: Bool { false }

  /// Nil, because nothing is fetched.
  public func fetch(_ demand: TileDemand) -> TileFetch? { nil }

  /// Zero, because nothing is fetched.
  public func cost(of demand: TileDemand) -> FetchCost { FetchCost() }

  /// Zero, because nothing is fetched.
  public var fetched: FetchCost { FetchCost() }

  /// Nil, because the default source has tiles.
  public var pointValues: PointValues? { nil }

  /// Nil, because the default source has no overviews.
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

  /// Reads at least the cells of the given entries of a tile. The bytes of other cells are
  /// unspecified.
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

  /// The cost of reading a single cell, as the number of bytes of a tile that take the same time to
  /// read; nil if single cells cannot be read cheaply from the file's layout.
  var cellReadCost: Int? { get }

  /// Reads single cells and stores them consecutively, `RasterProfile.cellStride(plane:)` bytes
  /// each.
  ///
  /// - Returns: false if the tile must be read completely.
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

  /// Converts points to grid positions in place, if the profile's mapping is `source`. The
  /// coordinates of a point without a grid position become NaN.
  func mapToGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError)

  /// Converts grid positions to points in place. This is the inverse of `mapToGrid`.
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

  /// Nil, because complete tiles are read.
  public var cellReadCost: Int? { nil }

  /// Nil, because a block is a complete tile.
  public var blockRows: Int? { nil }

  /// True, because a block is a complete tile.
  public var readsWholeBlocks: Bool { true }

  /// Throws an error, because the source can read complete tiles only.
  public func readWindow(
    plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
    rowStride: Int
  ) throws(RasterError) {
    throw RasterError("this raster is read by complete tiles only")
  }

  /// Returns false, because complete tiles are read.
  public func readCells(
    plane: Int, tile: Int, entries: UnsafeBufferPointer<PlanEntry>,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) -> Bool { false }

  /// Throws an error, because the method does not apply to a source with an affine grid.
  public func mapToGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError) {
    throw RasterError("this raster has an affine grid")
  }

  /// Throws an error, because the method does not apply to a source with an affine grid.
  public func mapFromGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError) {
    throw RasterError("this raster has an affine grid")
  }
}
