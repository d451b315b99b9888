import PlumbCore
import Synchronization

/// A raster composed of windows of other rasters without resampling, like a VRT of simple sources.
/// Where windows overlap, the last one is on top. A source is opened when its cells are first read.
package final class CompositeTileSource: TileSource {
  /// A window of a source.
  package struct Part: Sendable {
    /// The index of the source, and the index of its band from 0.
    package var source: Int
    package var band: Int
    /// The window in the raster that the part covers.
    package var window: CellWindow
    /// The column and row of the source's cell that is at the window's first cell.
    package var column: Int
    package var row: Int
    /// The value of transparent cells, in which lower parts are visible; nil if no cell is
    /// transparent.
    package var noData: NoData?

    package init(
      source: Int, band: Int, window: CellWindow, column: Int, row: Int, noData: NoData?
    ) {
      (self.source, self.band, self.window) = (source, band, window)
      (self.column, self.row, self.noData) = (column, row, noData)
    }
  }

  package let path: String
  package let profile: RasterProfile
  /// `Plumb`, because Plumb composes the cells even if another library decodes the sources.
  package var route: String { "Plumb" }
  package var files: [String] { whole.files }
  /// The same raster, read by another library, for tiles that cannot be composed here.
  let whole: any TileSource
  /// The parts of each band, the last on top.
  let parts: [PartIndex]
  /// A cache for decoded tiles of sources, because one source tile may be needed for several tiles
  /// of the composed raster.
  let cache = TileCache(capacity: 64 << 20)
  private let open: @Sendable (Int) throws -> any TileSource
  private let opened: Mutex<[Int: Result<any TileSource, RasterError>]>

  /// - Parameters:
  ///   - whole: the same raster, read by another library, with a plane for each band.
  ///   - parts: the parts of each band, the last on top.
  ///   - tile: the width and height of a tile in cells, preferably equal to those of the sources'
  ///     tiles.
  ///   - open: opens a source by its number.
  package init(
    whole: any TileSource, parts: [[Part]], tile: (width: Int, height: Int),
    open: @escaping @Sendable (Int) throws -> any TileSource
  ) {
    self.whole = whole
    path = whole.path
    var profile = whole.profile
    profile.grid = TileGrid(
      width: profile.grid.width, height: profile.grid.height,
      tileWidth: min(tile.width, profile.grid.width),
      tileHeight: min(tile.height, profile.grid.height))
    self.profile = profile
    self.parts = parts.map { PartIndex($0, width: profile.grid.width, height: profile.grid.height) }
    self.open = open
    opened = Mutex([:])
  }

  package func makeReader() throws(RasterError) -> any TileReader {
    CompositeTileReader(self)
  }

  /// Returns a source. Each source is opened only once.
  func source(_ number: Int) throws(RasterError) -> any TileSource {
    if let known = opened.withLock({ $0[number] }) { return try known.get() }
    let result: Result<any TileSource, RasterError>
    do {
      result = .success(try open(number))
    } catch {
      if WorkCancellation.isCurrentCancelled { throw RasterError(error) }
      result = .failure(RasterError(error))
    }
    // Two threads may have opened the source at the same time. The first result is kept.
    return try opened.withLock { known in
      let kept = known[number] ?? result
      known[number] = kept
      return kept
    }.get()
  }
}

/// A spatial index of a band's parts: a grid of buckets over the raster.
struct PartIndex: Sendable {
  private static let maximumBuckets = 64
  private let parts: [CompositeTileSource.Part]
  private let bucketWidth: Int
  private let bucketHeight: Int
  private let across: Int
  /// The numbers of the parts in each bucket, ascending.
  private let buckets: [[Int32]]

  init(_ parts: [CompositeTileSource.Part], width: Int, height: Int) {
    self.parts = parts
    let side = max(1, min(Self.maximumBuckets, Int(Double(parts.count).squareRoot())))
    bucketWidth = (width + side - 1) / side
    bucketHeight = (height + side - 1) / side
    across = side
    var buckets = [[Int32]](repeating: [], count: side * side)
    for (number, part) in parts.enumerated() {
      let window = part.window
      for row in window.row / bucketHeight...(window.row + window.height - 1) / bucketHeight {
        for column in window.column / bucketWidth...(window.column + window.width - 1) / bucketWidth
        {
          buckets[row * side + column].append(Int32(number))
        }
      }
    }
    self.buckets = buckets
  }

  /// Returns the parts that share a cell with a window, in ascending order.
  func touching(_ window: CellWindow) -> [CompositeTileSource.Part] {
    var numbers: [Int32] = []
    let rows = window.row / bucketHeight...(window.row + window.height - 1) / bucketHeight
    let columns = window.column / bucketWidth...(window.column + window.width - 1) / bucketWidth
    for row in rows {
      for column in columns { numbers += buckets[row * across + column] }
    }
    if rows.count > 1 || columns.count > 1 { numbers = Set(numbers).sorted() }
    return numbers.map { parts[Int($0)] }.filter { $0.window.intersection(window) != nil }
  }
}
