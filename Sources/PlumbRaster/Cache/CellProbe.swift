import PlumbCore

/// Reads single points in one band of a single-file raster, for callers that do not have a batch of
/// points. Keeps the last tile, so that another point in the same tile needs no cache lookup.
///
/// Not thread-safe: use one probe per thread.
public final class CellProbe {
  private let source: any TileSource
  private let id: UInt32
  private let band: Band
  private let cache: TileCache
  private let reader: any TileReader
  private let locator: CellLocator
  private lazy var periodicLocator = PeriodicLocator(source.profile)
  private let splitter: TileSplitter
  private let plane: Int
  private let stride: Int
  private let bandOffset: Int
  private let byteCount: Int
  private var tile: TileBuffer?
  private var tileNumber = UInt32.max
  /// The number of a tile that could not be read completely.
  private var brokenNumber = UInt32.max
  private let column: ValueColumn

  /// - Parameters:
  ///   - raster: a raster of a single file.
  ///   - band: the band index, from 0.
  ///   - cache: the cache for decoded tiles.
  /// - Throws: for mosaics, and for grids and masks that only `RasterSampler` supports.
  public init(_ raster: Raster, band: Int, cache: TileCache) throws(RasterError) {
    if case .none(let reason) = raster.members[0].profile.mapping {
      throw .notGeoreferenced(raster.name, reason)
    }
    guard !raster.isMosaic, let placement = raster.members[0].profile.mapping.placement else {
      throw RasterError("\(raster.name) can be sampled in batches only: its grid is not affine")
    }
    guard raster.bands.indices.contains(band) else {
      throw RasterError("\(raster.name) has no band \(band + 1)")
    }
    source = raster.members[0]
    let profile = source.profile
    switch profile.bands[band].validity {
    case .all, .noData: break
    case .alpha, .mask:
      throw RasterError("\(raster.name) can be sampled in batches only: it has a mask")
    }
    id = raster.firstSourceID
    self.band = profile.bands[band]
    self.cache = cache
    reader = try source.makeReader()
    locator = CellLocator(
      width: profile.grid.width, height: profile.grid.height, placement: placement)
    splitter = TileSplitter(profile.grid)
    plane = profile.plane(band: band)
    stride = profile.cellStride(plane: plane)
    bandOffset = profile.bandOffset(band)
    byteCount = profile.tileByteCount(plane: plane)
    column = ValueColumn(pixelType: self.band.pixelType, count: 1)
  }

  /// Returns the value at a point in the raster's own CRS. The status is the reason if there is no
  /// value.
  public func value(x: Double, y: Double) -> (value: CellValue?, status: SampleStatus) {
    var (x, y) = (x, y)
    var cell: (column: Int32, row: Int32) = (0, 0)
    locator.locate(x: &x, y: &y, count: 1, columns: &cell.column, rows: &cell.row)
    if cell.column < 0, let found = periodicLocator?.find(x: x, y: y) {
      cell = (found.column, found.row)
    }
    guard cell.column >= 0 else { return (nil, .outside) }
    let (number, offset) = splitter.split(column: cell.column, row: cell.row)
    if number != tileNumber || tile == nil {
      if number == brokenNumber { return salvage(number, offset) }
      do throws(RasterError) {
        let key = TileCache.Key(source: id, plane: UInt32(plane), tile: number)
        tile = try cache.tile(key, byteCount: byteCount) { buffer throws(RasterError) in
          try reader.readTile(plane: plane, tile: Int(number), into: buffer)
        }
        tileNumber = number
      } catch {
        brokenNumber = number
        return salvage(number, offset)
      }
    }
    guard let base = tile?.bytes.baseAddress else { return (nil, .readError) }
    return value(at: base + Int(offset) * stride)
  }

  /// Returns the value of a cell in a tile that cannot be read completely.
  private func salvage(
    _ number: UInt32, _ offset: UInt32
  ) -> (value: CellValue?, status: SampleStatus) {
    let entry = [PlanEntry(offset: offset, index: 0)]
    let found = entry.withUnsafeBufferPointer {
      TileSalvage(reader, source.profile, plane: plane, tile: Int(number), entries: $0)
    }
    guard let base = found?.bytes.bytes.baseAddress else { return (nil, .readError) }
    return withExtendedLifetime(found) { value(at: base) }
  }

  private func value(at address: UnsafeMutableRawPointer) -> (
    value: CellValue?, status: SampleStatus
  ) {
    var address = UnsafeRawPointer(address)
    withUnsafePointer(to: &address) { address in
      band.visitValidity(
        AddressGather(
          addresses: address, byteOffset: bandOffset, count: 1, first: 0, column: column))
    }
    return (column[0], column.status(at: 0))
  }
}
