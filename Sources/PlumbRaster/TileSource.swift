import PlumbCore

/// A raster that hands out its tiles: the port between grid maths and file formats.
public protocol TileSource: AnyObject, Sendable {
  /// What the raster is called in messages: its path.
  var path: String { get }
  /// What the raster is.
  var profile: RasterProfile { get }
  /// What decodes the cells: `Plumb` itself, `libtiff` or `GDAL`.
  var route: String { get }
  /// The files that are read, the first the raster's own.
  var files: [String] { get }
  /// Opens handles of one worker's own.
  func makeReader() throws(RasterError) -> any TileReader

  /// Whether the cells come over a network, and are better fetched before they are asked for.
  var isRemote: Bool { get }
  /// Starts to fetch the bytes of tiles; nil where there is nothing to fetch.
  func fetch(_ demand: TileDemand) -> TileFetch?
  /// What fetching the bytes of tiles would take.
  func cost(of demand: TileDemand) -> FetchCost
  /// What has been fetched so far, whatever for.
  var fetched: FetchCost { get }

  /// What gives values at points instead of tiles; nil for a source of tiles.
  var pointValues: PointValues? { get }

  /// The same area in larger cells, which the file keeps beside its own.
  ///
  /// - Parameter factor: how many cells of the raster the larger ones may be wide at most.
  /// - Returns: nil where the file has none that are larger than its own and no larger than that.
  func overview(atMost factor: Double) -> (any TileSource)?
}

extension TileSource {
  /// False: a file of this machine.
  public var isRemote: Bool { false }

  /// Nil: nothing is fetched.
  public func fetch(_ demand: TileDemand) -> TileFetch? { nil }

  /// Nothing.
  public func cost(of demand: TileDemand) -> FetchCost { FetchCost() }

  /// Nothing.
  public var fetched: FetchCost { FetchCost() }

  /// Nil: a source of tiles.
  public var pointValues: PointValues? { nil }

  /// Nil: there are no larger cells.
  public func overview(atMost factor: Double) -> (any TileSource)? { nil }
}

/// One worker's door to a raster. Not thread-safe.
public protocol TileReader: AnyObject {
  /// Reads a whole tile of a plane, row by row, cells padded to the full tile shape.
  ///
  /// - Parameters:
  ///   - plane: the plane of the tile, counted from 0.
  ///   - tile: the number of the tile in its grid.
  ///   - buffer: `RasterProfile.tileByteCount(plane:)` bytes.
  func readTile(
    plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError)

  /// Reads of a tile at least the cells of some entries. The bytes of other cells are anything.
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

  /// How many bytes a tile read must save for a read of single cells to pay, or nil when the
  /// layout has no cheap single cells.
  var cellReadCost: Int? { get }

  /// Reads single cells, one after another, `RasterProfile.cellStride(plane:)` bytes each.
  ///
  /// - Returns: false when this tile has to be read whole.
  func readCells(
    plane: Int, tile: Int, entries: UnsafeBufferPointer<PlanEntry>,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) -> Bool

  /// How many rows of cells the file keeps together; nil where that is a whole tile's.
  var blockRows: Int? { get }

  /// Whether the cells of a block can be read all or not at all.
  var readsWholeBlocks: Bool { get }

  /// Reads a window of a plane within one tile: the way to what can be read of a tile that cannot
  /// be read whole.
  ///
  /// - Parameters:
  ///   - plane: the plane of the tile, counted from 0.
  ///   - window: the cells to read.
  ///   - memory: of the window's first cell.
  ///   - cellStride: bytes to the next cell.
  ///   - rowStride: bytes to the next row.
  func readWindow(
    plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
    rowStride: Int
  ) throws(RasterError)

  /// Turns points into grid positions in point where the profile's mapping is `source`; NaN where
  /// there is none.
  func mapToGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError)

  /// Turns grid positions into points in place: the opposite of `mapToGrid`.
  func mapFromGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError)
}

extension TileReader {
  /// Reads the whole tile.
  public func readTile(
    plane: Int, tile: Int, for entries: UnsafeBufferPointer<PlanEntry>,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    try readTile(plane: plane, tile: tile, into: buffer)
  }

  /// Nil: tiles are read whole.
  public var cellReadCost: Int? { nil }

  /// Nil: a whole tile's rows.
  public var blockRows: Int? { nil }

  /// True.
  public var readsWholeBlocks: Bool { true }

  /// Throws: a source of whole tiles alone has no windows.
  public func readWindow(
    plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
    rowStride: Int
  ) throws(RasterError) {
    throw RasterError("this raster is read by whole tiles")
  }

  /// False: tiles are read whole.
  public func readCells(
    plane: Int, tile: Int, entries: UnsafeBufferPointer<PlanEntry>,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) -> Bool { false }

  /// Throws: a source with an affine grid is not asked.
  public func mapToGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError) {
    throw RasterError("this raster has an affine grid")
  }

  /// Throws: a source with an affine grid is not asked.
  public func mapFromGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError) {
    throw RasterError("this raster has an affine grid")
  }
}

/// One point in a tile: where in the tile, and the point's number in the batch.
@frozen
public struct PlanEntry: BitwiseCopyable, Sendable {
  /// Where the point's cell lies in its tile, in cells.
  public var offset: UInt32
  /// The point's number in the batch.
  public var index: UInt32

  /// The entry of a point.
  @inlinable
  public init(offset: UInt32, index: UInt32) {
    self.offset = offset
    self.index = index
  }
}
