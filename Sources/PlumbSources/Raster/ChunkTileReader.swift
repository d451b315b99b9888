import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbRaster

/// A reader of the chunks of an array. A reader belongs to one thread.
protocol ChunkReader: AnyObject {
  /// Reads and decodes a chunk.
  ///
  /// - Parameters:
  ///   - indices: the number of the chunk in each dimension.
  ///   - output: memory for `ChunkLayout.chunkBytes` bytes.
  func read(
    _ indices: [Int], into output: UnsafeMutableRawBufferPointer
  ) throws(PlumbError)
}

extension ZarrChunkReader: ChunkReader {}

/// A raster whose cells Plumb decodes from the chunks of an array.
package protocol ChunkTileSource: TileSource {
  /// The same raster, opened by GDAL.
  func openGeneral() throws -> GDALRasterSource
  /// The compression of chunks; nil if they are not compressed.
  var compression: String? { get }
}

extension ChunkLayout {
  /// The maximum size in bytes of an interleaved tile, in which the values of all bands of a cell are
  /// adjacent. If such tiles would be larger, each tile contains one band.
  private static let largestTogether = 32 << 20

  /// The profile of a raster whose tiles are the chunks of the array.
  ///
  /// - Parameter base: the profile of the same raster with other tiles.
  /// - Returns: nil if the shape of the array does not match the size and the bands of the raster, or if
  ///   the chunks are too large.
  func profile(_ base: RasterProfile) -> RasterProfile? {
    guard shape.count >= 2, chunks.count == shape.count else { return nil }
    let (height, width) = (shape[shape.count - 2], shape[shape.count - 1])
    let bandCount = shape.dropLast(2).reduce(1) { $0.multipliedReportingOverflow(by: $1).0 }
    guard base.grid.width == width, base.grid.height == height, base.bands.count == bandCount
    else { return nil }
    var bytes = type.byteCount
    for count in chunks {
      let (product, isTooLarge) = bytes.multipliedReportingOverflow(by: count)
      guard !isTooLarge, product <= GDALRasterSource.largestTile else { return nil }
      bytes = product
    }
    let (rows, columns) = (chunks[chunks.count - 2], chunks[chunks.count - 1])
    var profile = base
    profile.grid = TileGrid(width: width, height: height, tileWidth: columns, tileHeight: rows)
    let together = (rows * columns * type.byteCount).multipliedReportingOverflow(by: bandCount)
    profile.isInterleaved =
      bandCount > 1 && !together.overflow && together.partialValue <= Self.largestTogether
    return profile
  }
}

/// A reader of tiles that are the chunks of an array.
final class ChunkTileReader: TileReader {
  private let layout: ChunkLayout
  private let profile: RasterProfile
  private let chunks: any ChunkReader
  /// Whether the first row of the raster is the last row of the array. The height of the array is then a multiple of
  /// that of a chunk, and bands are separate.
  private let isBottomUp: Bool
  /// The last chunk that was read, and its indices.
  private var last: (indices: [Int], bytes: TrivialBuffer<UInt8>)?
  /// The number of bands in a chunk, counting those beyond the end of the array.
  private let chunkBands: Int

  init(
    _ layout: ChunkLayout, _ profile: RasterProfile, _ chunks: any ChunkReader,
    isBottomUp: Bool = false
  ) {
    (self.layout, self.profile, self.chunks) = (layout, profile, chunks)
    self.isBottomUp = isBottomUp
    chunkBands = layout.chunks.dropLast(2).reduce(1, *)
  }

  func readTile(
    plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    try read(plane, tile, nil, into: buffer)
  }

  func readTile(
    plane: Int, tile: Int, for entries: UnsafeBufferPointer<PlanEntry>,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    // Single cells are copied more slowly than all cells together.
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
      return try readBand(
        plane, isBottomUp ? profile.grid.tilesDown - 1 - down : down, across, entries, into: buffer)
    }
    var indices: [Int]? = [Int](repeating: 0, count: layout.leading) + [down, across]
    while let chosen = indices {
      scatter(try chunk(chosen), chosen, entries, into: buffer)
      indices = layout.next(chosen)
    }
  }

  /// Reads a tile of one band, whose chunk is kept for the next band.
  private func readBand(
    _ band: Int, _ down: Int, _ across: Int, _ entries: UnsafeBufferPointer<PlanEntry>?,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    let (indices, position) = layout.chunk(ofBand: band, down, across)
    let bytes = try chunk(indices)
    let size = profile.grid.cellsPerTile * layout.type.byteCount
    guard let target = buffer.baseAddress, buffer.count >= size else { return }
    let source = UnsafeRawPointer(bytes.base + position * size)
    let rowBytes = profile.grid.tileWidth * layout.type.byteCount
    if isBottomUp {
      for row in 0..<profile.grid.tileHeight {
        let from = source + (profile.grid.tileHeight - 1 - row) * rowBytes
        (target + row * rowBytes).copyMemory(from: from, byteCount: rowBytes)
      }
    } else if let entries, profile.bands[band].excluded == nil {
      let copy = BandCopy(
        source: source, target: target, cells: profile.grid.cellsPerTile, bands: 1, cellStride: 1)
      copy.run(size: layout.type.byteCount, entries)
    } else {
      target.copyMemory(from: source, byteCount: size)
    }
    let window = CellWindow(
      column: 0, row: 0, width: profile.grid.tileWidth, height: profile.grid.tileHeight)
    profile.bands[band].excluded?.replace(
      window, in: target, cellStride: layout.type.byteCount, rowStride: rowBytes)
  }

  private func chunk(_ indices: [Int]) throws(RasterError) -> TrivialBuffer<UInt8> {
    if let last, last.indices == indices { return last.bytes }
    let bytes = last?.bytes ?? TrivialBuffer(count: layout.chunkBytes)
    last = nil
    do throws(PlumbError) {
      try chunks.read(indices, into: UnsafeMutableRawBufferPointer(bytes.pointer))
    } catch {
      throw RasterError(error)
    }
    last = (indices, bytes)
    return bytes
  }

  /// Copies the bands of a chunk to their places in the cells of a tile.
  private func scatter(
    _ bytes: TrivialBuffer<UInt8>, _ indices: [Int],
    _ entries: UnsafeBufferPointer<PlanEntry>?, into buffer: UnsafeMutableRawBufferPointer
  ) {
    guard let target = buffer.baseAddress else { return }
    // Bands along the last leading dimension of the chunk are consecutive, and are copied as one run.
    let inner = layout.leading - 1
    let (length, size) = (layout.chunks[inner], layout.type.byteCount)
    let first = indices[inner] * length
    let count = min(length, layout.shape[inner] - first)
    let cells = profile.grid.cellsPerTile
    for run in 0..<chunkBands / length {
      // Find the index of the run in each leading dimension except the last.
      var (rest, band, factor) = (run, first, layout.shape[inner])
      var isInside = true
      for dimension in (0..<inner).reversed() {
        let index =
          indices[dimension] * layout.chunks[dimension] + rest % layout.chunks[dimension]
        rest /= layout.chunks[dimension]
        isInside = isInside && index < layout.shape[dimension]
        band += index * factor
        factor *= layout.shape[dimension]
      }
      guard isInside else { continue }
      let source = UnsafeRawPointer(bytes.base + run * length * cells * size)
      let copy = BandCopy(
        source: source, target: target + band * size, cells: cells, bands: count,
        cellStride: profile.bands.count)
      copy.run(size: size, entries)
    }
  }

  /// Copies bands that are stored one after another to cells in which the values of all bands are adjacent.
  private struct BandCopy {
    var source: UnsafeRawPointer
    var target: UnsafeMutableRawPointer
    var cells: Int
    var bands: Int
    /// The number of bands of a cell of the target.
    var cellStride: Int

    /// - Parameters:
    ///   - size: the number of bytes of a value.
    ///   - entries: the cells to copy; nil for all.
    func run(size: Int, _ entries: UnsafeBufferPointer<PlanEntry>?) {
      switch size {
      case 1: run(UInt8.self, entries)
      case 2: run(UInt16.self, entries)
      case 4: run(UInt32.self, entries)
      default: run(UInt64.self, entries)
      }
    }

    private func run<Value: FixedWidthInteger>(
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
      // The values of a block of cells stay in the L1 cache while all bands are copied.
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
