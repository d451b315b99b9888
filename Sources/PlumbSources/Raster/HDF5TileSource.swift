import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbIO
import PlumbRaster

/// A variable of a local HDF5 or NetCDF-4 file whose chunks Plumb decodes itself, on all workers. GDAL decodes them under
/// the lock of the HDF5 library, so that only one thread at a time decodes.
package final class HDF5TileSource: ChunkTileSource {
  package let path: String
  /// The profile that GDAL provides, but with the chunks of the file as its tiles.
  package let profile: RasterProfile
  package var route: String { "Plumb" }
  package let files: [String]
  private let general: GDALRasterSource
  package var compression: String? { array.filters.contains(.deflate) ? "DEFLATE" : nil }
  private let array: ChunkedArray
  private let layout: ChunkLayout

  /// - Parameter general: the same variable, opened by GDAL.
  /// - Returns: nil for a file of another format, and for a layout, a type or a filter that Plumb does not decode.
  init?(_ general: GDALRasterSource) {
    let base = general.profile
    guard base.bands.allSatisfy({ $0.validity.isByValue }), let array = general.chunkedArray(),
      base.bands.allSatisfy({ Self.isRead($0.pixelType, of: array.type) })
    else { return nil }
    layout = ChunkLayout(shape: array.shape, chunks: array.chunks, type: array.type)
    guard var profile = layout.profile(base) else { return nil }
    // In a bottom-up array, each row of chunks must be one row of tiles, so the height must be a multiple
    // of the height of a tile.
    guard !array.isBottomUp || profile.grid.height % profile.grid.tileHeight == 0 else {
      return nil
    }
    if array.isBottomUp || base.bands.contains(where: { $0.excluded != nil }) {
      profile.isInterleaved = false
    }
    (self.array, self.profile, self.general) = (array, profile, general)
    (path, files) = (general.path, general.files)
  }

  /// Whether values of a type are read as this type; the attribute `_Unsigned` marks unsigned values that are stored as
  /// signed values.
  private static func isRead(_ read: PixelType, of type: PixelType) -> Bool {
    read == type || type == .int8 && read == .uint8 || type == .int16 && read == .uint16
  }

  package func openGeneral() throws -> GDALRasterSource { general }

  package func makeReader() throws(RasterError) -> any TileReader {
    ChunkTileReader(layout, profile, HDF5ChunkReader(array, layout), isBottomUp: array.isBottomUp)
  }
}

/// Reads and decodes the chunks of an HDF5 file. A reader belongs to one thread.
private final class HDF5ChunkReader: ChunkReader {
  private let array: ChunkedArray
  private let layout: ChunkLayout
  private var stored = TrivialBuffer<UInt8>(count: 1)
  private var decoded = TrivialBuffer<UInt8>(count: 1)

  init(_ array: ChunkedArray, _ layout: ChunkLayout) {
    (self.array, self.layout) = (array, layout)
  }

  func read(
    _ indices: [Int], into output: UnsafeMutableRawBufferPointer
  ) throws(PlumbError) {
    let size = output.count
    // Chunks that cannot be compressed are slightly larger, and each checksum adds four bytes.
    guard let chunk = try array.read(indices, limit: size + size / 8 + 4096, into: &stored) else {
      return ZarrChunkReader.fill(output, with: array.fill)
    }
    var bytes = UnsafeMutableRawBufferPointer(start: stored.base, count: chunk.count)
    // The filters that were applied, the last one first.
    let filters = array.filters.enumerated().filter { chunk.skipped >> $0.offset & 1 == 0 }
      .map(\.element).reversed()
    for (number, filter) in filters.enumerated() {
      let isLast = number == filters.count - 1
      switch filter {
      case .fletcher32:
        guard bytes.count >= 4, HDF5Filters.checksumIsRight(UnsafeRawBufferPointer(bytes)) else {
          throw array.damage(indices)
        }
        bytes = UnsafeMutableRawBufferPointer(rebasing: bytes.dropLast(4))
      case .deflate, .shuffle:
        // A checksum that was applied before the compression follows the values.
        let rest = filters.dropFirst(number + 1).count { $0 == .fletcher32 } * 4
        let target = isLast ? output : scratch(size + rest, besides: bytes)
        let input = UnsafeRawBufferPointer(bytes)
        if filter == .deflate {
          guard ZlibPacking.unpack(input, into: target) else { throw array.damage(indices) }
        } else {
          guard input.count == target.count else { throw array.damage(indices) }
          HDF5Filters.unshuffle(input, into: target, size: layout.type.byteCount)
        }
        bytes = target
      }
    }
    guard bytes.count == size else { throw array.damage(indices) }
    if bytes.baseAddress != output.baseAddress {
      output.copyMemory(from: UnsafeRawBufferPointer(bytes))
    }
  }

  /// Memory for the output of a decoding step, which does not overlap the input `bytes`.
  private func scratch(
    _ count: Int, besides bytes: UnsafeMutableRawBufferPointer
  ) -> UnsafeMutableRawBufferPointer {
    if bytes.baseAddress == UnsafeMutableRawPointer(decoded.base) {
      if stored.count < count { stored = TrivialBuffer(count: count) }
      return UnsafeMutableRawBufferPointer(start: stored.base, count: count)
    }
    if decoded.count < count { decoded = TrivialBuffer(count: count) }
    return UnsafeMutableRawBufferPointer(start: decoded.base, count: count)
  }
}

/// The filters of HDF5 that are not compression.
enum HDF5Filters {
  /// Undoes the shuffle filter, which stores the first bytes of all values, then their second bytes, and so on. Bytes
  /// that do not fill a value follow unchanged. The output has the size of the input.
  static func unshuffle(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, size: Int
  ) {
    guard let source = input.baseAddress, let target = output.baseAddress else { return }
    let count = input.count / size
    let bytes = source.assumingMemoryBound(to: UInt8.self)
    switch size {
    case 1: target.copyMemory(from: source, byteCount: count)
    case 2:
      let values = target.assumingMemoryBound(to: UInt16.self)
      let high = bytes + count
      for i in 0..<count { values[i] = UInt16(bytes[i]) | UInt16(high[i]) &<< 8 }
    case 4:
      let values = target.assumingMemoryBound(to: UInt32.self)
      let (b, c, d) = (bytes + count, bytes + 2 * count, bytes + 3 * count)
      for i in 0..<count {
        values[i] =
          UInt32(bytes[i]) | UInt32(b[i]) &<< 8 | UInt32(c[i]) &<< 16 | UInt32(d[i]) &<< 24
      }
    default:
      let values = target.assumingMemoryBound(to: UInt8.self)
      for byte in 0..<size {
        let from = bytes + byte * count
        for i in 0..<count { values[i &* size &+ byte] = from[i] }
      }
    }
    let done = count * size
    if done < input.count {
      (target + done).copyMemory(from: source + done, byteCount: input.count - done)
    }
  }

  /// Whether the last four bytes are the checksum of the other bytes.
  static func checksumIsRight(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let count = bytes.count - 4
    let stored = bytes.loadUnaligned(fromByteOffset: count, as: UInt32.self).littleEndian
    let sum = fletcher32(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    // Files of early versions of HDF5 have the bytes of each half in the opposite order.
    let (a, b, c, d) = (sum & 0xff, sum >> 8 & 0xff, sum >> 16 & 0xff, sum >> 24)
    return stored == sum || stored == b | a << 8 | d << 16 | c << 24
  }

  /// Fletcher's checksum of big-endian words of 16 bits.
  private static func fletcher32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (0, 0)
    var position = 0
    var words = bytes.count / 2
    while words > 0 {
      // The sums of 360 words do not exceed 32 bits.
      let block = min(words, 360)
      for _ in 0..<block {
        low &+= UInt32(bytes[position]) << 8 | UInt32(bytes[position + 1])
        high &+= low
        position += 2
      }
      words -= block
      low = (low & 0xffff) + low >> 16
      high = (high & 0xffff) + high >> 16
    }
    if bytes.count % 2 == 1 {
      low &+= UInt32(bytes[position]) << 8
      high &+= low
      low = (low & 0xffff) + low >> 16
      high = (high & 0xffff) + high >> 16
    }
    low = (low & 0xffff) + low >> 16
    high = (high & 0xffff) + high >> 16
    return high << 16 | low
  }
}

extension Validity {
  /// Whether the value of a cell determines whether it is valid.
  fileprivate var isByValue: Bool {
    switch self {
    case .all, .noData: true
    case .alpha, .mask: false
    }
  }
}
