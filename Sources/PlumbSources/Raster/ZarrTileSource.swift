import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbIO
import PlumbRaster

/// A variable of a Zarr store whose chunks Plumb decodes itself, on all workers.
///
/// The profile comes from GDAL. Only its tiles, its nodata value and, for stores with a
/// geotransform, its mapping are derived from the metadata of the store.
package final class ZarrTileSource: TileSource {
  package let path: String
  package let profile: RasterProfile
  package var route: String { "Plumb" }
  package var files: [String] { [store.files.shown(variable)] }
  /// The same variable, opened by GDAL.
  package let general: GDALRasterSource
  /// The compression of chunks; nil if they are not compressed.
  package var compression: String? {
    switch array.compression {
    case .none: nil
    case .zstd: "ZSTD"
    case .zlib: "DEFLATE"
    case .blosc: "BLOSC"
    }
  }
  let store: ZarrStore
  let variable: String
  let array: ZarrArray
  /// The files that GDAL reads; nil if GDAL reads the store itself.
  private let copy: RemoteStoreCopy?

  /// The maximum size in bytes of a tile that contains all bands of its cells. In larger tiles, the
  /// bands are separate.
  private static let largestTogether = 32 << 20

  /// - Parameters:
  ///   - variable: the name of an array in the root group.
  ///   - general: the same variable, opened by GDAL.
  ///   - copy: the files that GDAL reads for a store at a URL; nil if it reads the store itself.
  /// - Returns: nil if the array has a layout or a compression that Plumb does not decode.
  init?(
    _ store: ZarrStore, variable: String, general: GDALRasterSource, copy: RemoteStoreCopy? = nil
  ) {
    let base = general.profile
    guard !variable.contains("/"), !variable.hasPrefix("."), let array = try? store.array(variable),
      array.shape.count >= 2, let attributes = try? store.attributes(variable)
    else { return nil }
    let (height, width) = (array.shape[array.shape.count - 2], array.shape[array.shape.count - 1])
    let bandCount = array.shape.dropLast(2).reduce(1) { $0.multipliedReportingOverflow(by: $1).0 }
    guard base.grid.width == width, base.grid.height == height, base.bands.count == bandCount,
      base.bands.allSatisfy({
        $0.excluded == nil && Self.isRead($0.pixelType, of: array.type)
      })
    else { return nil }
    let shape = (array.chunks[array.chunks.count - 2], array.chunks[array.chunks.count - 1])
    let tile = shape.0.multipliedReportingOverflow(by: shape.1)
    guard !tile.overflow, tile.partialValue <= GDALRasterSource.largestTile / array.type.byteCount
    else { return nil }
    path = copy == nil ? general.path : "\(store.folder)#\(variable)"
    (self.store, self.variable, self.copy) = (store, variable, copy)
    (self.general, self.array) = (general, array)
    var profile = base
    profile.grid = TileGrid(
      width: width, height: height, tileWidth: shape.1, tileHeight: shape.0)
    let together = tile.partialValue.multipliedReportingOverflow(
      by: array.type.byteCount * bandCount)
    profile.isInterleaved =
      bandCount > 1 && !together.overflow && together.partialValue <= Self.largestTogether
    let validity = Self.validity(array, attributes)
    for index in profile.bands.indices {
      profile.bands[index].pixelType = array.type
      profile.bands[index].validity = validity
      profile.bands[index].scale = Self.number(attributes["scale_factor"]) ?? 1
      profile.bands[index].offset = Self.number(attributes["add_offset"]) ?? 0
    }
    if let mapping = Self.mapping(of: store, attributes, base) { profile.mapping = mapping }
    self.profile = profile
  }

  /// Whether GDAL reads values of a type as this type; GDAL 3.6 does not support signed bytes.
  private static func isRead(_ read: PixelType, of type: PixelType) -> Bool {
    read == type || type == .int8 && read == .int16
  }

  private static func number(_ tree: JSONTree?) -> Double? {
    switch tree {
    case .integer(let number)?: Double(number)
    case .real(let number)? where number.isFinite: number
    default: nil
    }
  }

  /// The nodata value: the fill value of the array, or an attribute of the CF conventions.
  private static func validity(_ array: ZarrArray, _ attributes: [String: JSONTree]) -> Validity {
    switch array.fill {
    case .integer(let value)? where array.type == .int64: return .noData(.integer(value))
    case .integer(let value)?: return .noData(.real(Double(value)))
    case .unsigned(let value)?: return .noData(.unsigned(value))
    case .real(let value)?: return .noData(.real(value))
    case nil: break
    }
    switch attributes["_FillValue"] ?? attributes["missing_value"] {
    case .integer(let value)? where array.type == .int64: return .noData(.integer(value))
    case .integer(let value)? where array.type == .uint64:
      return UInt64(exactly: value).map { .noData(.unsigned($0)) } ?? .all
    case .integer(let value)?: return .noData(.real(Double(value)))
    case .real(let value)?: return .noData(.real(value))
    default: return .all
    }
  }

  /// The geotransform in the variable that contains the CRS, if it agrees with the coordinates of
  /// the cells. It gives the exact edges of the cells, while edges that are computed from
  /// coordinates have rounding errors.
  private static func mapping(
    of store: ZarrStore, _ attributes: [String: JSONTree], _ base: RasterProfile
  ) -> GridMapping? {
    guard case .text(let name)? = attributes["grid_mapping"], !name.contains("/"),
      case .text(let text)? = (try? store.attributes(name))?["GeoTransform"],
      let transform = GridTransform(
        coefficients: text.split(separator: " ").compactMap { Double($0) })
    else { return nil }
    let (width, height) = (Double(base.grid.width), Double(base.grid.height))
    switch base.mapping {
    case .affine(let known):
      let isNear = [(0.0, 0.0), (width, height)].allSatisfy { column, row in
        let (a, b) = (
          transform.coordinates(column: column, row: row),
          known.coordinates(column: column, row: row)
        )
        return (a.x - b.x).magnitude <= 1e-3 * transform.columnX.magnitude
          && (a.y - b.y).magnitude <= 1e-3 * transform.rowY.magnitude
      }
      return isNear ? .affine(transform) : nil
    // The size of the cells of a single column or row cannot be derived from coordinates.
    case .none: return width == 1 || height == 1 ? .affine(transform) : nil
    case .axes, .source: return nil
    }
  }

  package func makeReader() throws(RasterError) -> any TileReader {
    do throws(PlumbError) {
      return Reader(
        array, profile, try ZarrChunkReader(array, store.files, name: variable))
    } catch {
      throw RasterError(error)
    }
  }

  /// A reader of chunks.
  private final class Reader: TileReader {
    private let array: ZarrArray
    private let profile: RasterProfile
    private let chunks: ZarrChunkReader
    /// The last chunk that was read, and its indices.
    private var last: (indices: [Int], bytes: TrivialBuffer<UInt8>)?
    /// The number of bands in a chunk, including those beyond the end of the array.
    private let chunkBands: Int

    init(_ array: ZarrArray, _ profile: RasterProfile, _ chunks: ZarrChunkReader) {
      (self.array, self.profile, self.chunks) = (array, profile, chunks)
      chunkBands = array.chunks.dropLast(2).reduce(1, *)
    }

    private var leading: Int { array.leading }

    func readTile(
      plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      try read(plane, tile, nil, into: buffer)
    }

    func readTile(
      plane: Int, tile: Int, for entries: UnsafeBufferPointer<PlanEntry>,
      into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      // Copying single cells is slower than copying all cells together.
      let areFew = entries.count < profile.grid.cellsPerTile / 8
      try read(plane, tile, areFew ? entries : nil, into: buffer)
    }

    /// - Parameter entries: the cells that are needed; nil for all.
    private func read(
      _ plane: Int, _ tile: Int, _ entries: UnsafeBufferPointer<PlanEntry>?,
      into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      let (down, across) = tile.quotientAndRemainder(dividingBy: profile.grid.tilesAcross)
      guard profile.isInterleaved else {
        return try readBand(plane, down, across, into: buffer)
      }
      var indices: [Int]? = [Int](repeating: 0, count: leading) + [down, across]
      while let chosen = indices {
        scatter(try chunk(chosen), chosen, entries, into: buffer)
        indices = array.next(chosen)
      }
    }

    /// Reads a tile of one band, and keeps its chunk for the next band.
    private func readBand(
      _ band: Int, _ down: Int, _ across: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      let (indices, position) = array.chunk(ofBand: band, down, across)
      let bytes = try chunk(indices)
      let size = profile.grid.cellsPerTile * array.type.byteCount
      guard let target = buffer.baseAddress, buffer.count >= size else { return }
      target.copyMemory(from: bytes.base + position * size, byteCount: size)
    }

    private func chunk(_ indices: [Int]) throws(RasterError) -> TrivialBuffer<UInt8> {
      if let last, last.indices == indices { return last.bytes }
      let bytes = last?.bytes ?? TrivialBuffer(count: array.chunkBytes)
      last = nil
      do throws(PlumbError) {
        try chunks.read(indices, into: UnsafeMutableRawBufferPointer(bytes.pointer))
      } catch {
        throw RasterError(error)
      }
      last = (indices, bytes)
      return bytes
    }

    /// Copies the bands of a chunk to their positions in the cells of a tile.
    private func scatter(
      _ bytes: TrivialBuffer<UInt8>, _ indices: [Int],
      _ entries: UnsafeBufferPointer<PlanEntry>?, into buffer: UnsafeMutableRawBufferPointer
    ) {
      guard let target = buffer.baseAddress else { return }
      // Runs of consecutive bands, along the last leading dimension of the chunk.
      let inner = leading - 1
      let (length, size) = (array.chunks[inner], array.type.byteCount)
      let first = indices[inner] * length
      let count = min(length, array.shape[inner] - first)
      let cells = profile.grid.cellsPerTile
      for run in 0..<chunkBands / length {
        // The indices of the run in the dimensions before the last leading dimension.
        var (rest, band, factor) = (run, first, array.shape[inner])
        var isInside = true
        for dimension in (0..<inner).reversed() {
          let index =
            indices[dimension] * array.chunks[dimension] + rest % array.chunks[dimension]
          rest /= array.chunks[dimension]
          isInside = isInside && index < array.shape[dimension]
          band += index * factor
          factor *= array.shape[dimension]
        }
        guard isInside else { continue }
        let source = UnsafeRawPointer(bytes.base + run * length * cells * size)
        let copy = BandCopy(
          source: source, target: target + band * size, cells: cells, bands: count,
          cellStride: profile.bands.count)
        switch size {
        case 1: copy.run(UInt8.self, entries)
        case 2: copy.run(UInt16.self, entries)
        case 4: copy.run(UInt32.self, entries)
        default: copy.run(UInt64.self, entries)
        }
      }
    }
  }

  /// Copies bands that are stored one after another to cells that contain all bands.
  private struct BandCopy {
    var source: UnsafeRawPointer
    var target: UnsafeMutableRawPointer
    var cells: Int
    var bands: Int
    /// The number of bands of a cell of the target.
    var cellStride: Int

    /// - Parameter entries: the cells to copy; nil for all.
    func run<Value: FixedWidthInteger>(
      _ type: Value.Type, _ entries: UnsafeBufferPointer<PlanEntry>?
    ) {
      let source = source.assumingMemoryBound(to: type)
      let target = target.assumingMemoryBound(to: type)
      if let entries {
        for entry in entries {
          let cell = Int(entry.offset)
          for band in 0..<bands {
            target[cell &* cellStride &+ band] = source[band &* cells &+ cell]
          }
        }
        return
      }
      // Blocks of cells whose values remain in the processor's nearest cache while all bands are
      // copied.
      let block = 64
      var start = 0
      while start < cells {
        let end = min(cells, start + block)
        for band in 0..<bands {
          let from = source + band &* cells
          var cell = start
          while cell < end {
            target[cell &* cellStride &+ band] = from[cell]
            cell &+= 1
          }
        }
        start = end
      }
    }
  }
}

extension ZarrArray {
  /// The number of dimensions before the dimensions of rows and columns.
  var leading: Int { shape.count - 2 }

  /// The indices of the chunk of a band in a tile, and the band's position in the chunk.
  func chunk(ofBand band: Int, _ down: Int, _ across: Int) -> ([Int], position: Int) {
    var (rest, position, factor) = (band, 0, 1)
    var indices = [Int](repeating: 0, count: leading) + [down, across]
    for dimension in (0..<leading).reversed() {
      let index = rest % shape[dimension]
      rest /= shape[dimension]
      indices[dimension] = index / chunks[dimension]
      position += index % chunks[dimension] * factor
      factor *= chunks[dimension]
    }
    return (indices, position)
  }

  /// The indices of the next chunk of the same tile; nil after the last chunk. The last leading
  /// dimension varies fastest.
  func next(_ indices: [Int]) -> [Int]? {
    var next = indices
    let counts = chunkCounts
    var dimension = leading - 1
    while dimension >= 0 {
      next[dimension] += 1
      if next[dimension] < counts[dimension] { return next }
      next[dimension] = 0
      dimension -= 1
    }
    return nil
  }
}
