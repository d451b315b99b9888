import CKernels
import PlumbIO
import PlumbRaster

/// Decodes the stored bytes of a tile to its cells. A decoder belongs to one thread.
///
/// The decoder does not support damaged or rare streams. libtiff reads such streams, and returns
/// the cells or an error.
final class TileDecoder {
  /// The layout of a tile's rows.
  struct Format {
    var codec: TIFFCodec
    var predictor: TIFFPredictor
    var isByteSwapped: Bool
    /// The size of a number in bytes.
    var size: Int
    /// The number of samples per cell.
    var samples: Int
    /// The number of cells per row.
    var columns: Int

    var rowBytes: Int { size * samples * columns }
  }

  private let format: Format
  private let deflate: DeflateDecoder?
  private let zstd: ZstdDecoder?
  private let lzw: OpaquePointer?
  /// The decompressed bytes of a tile, before the floating-point predictor is reversed.
  private var raw = Scratch()

  /// - Returns: nil if the codec is not supported, or if there is not enough memory.
  init?(_ format: Format) {
    self.format = format
    var lzw: OpaquePointer?
    var (deflate, zstd): (DeflateDecoder?, ZstdDecoder?)
    switch format.codec {
    case .other: return nil
    case .none, .packBits: break
    case .deflate:
      deflate = DeflateDecoder()
      if deflate == nil { return nil }
    case .zstd:
      zstd = ZstdDecoder()
      if zstd == nil { return nil }
    case .lzw:
      let table = UnsafeMutableRawPointer.allocate(
        byteCount: plumb_lzw_table_size(), alignment: 64)
      lzw = OpaquePointer(table)
      plumb_lzw_table_prepare(lzw)
    }
    (self.deflate, self.zstd, self.lzw) = (deflate, zstd, lzw)
  }

  deinit {
    if let lzw { UnsafeMutableRawPointer(lzw).deallocate() }
  }

  /// Decodes the needed cells of a tile; the other cells are undefined.
  ///
  /// - Parameters:
  ///   - input: the stored bytes of the tile.
  ///   - output: all rows of the tile.
  /// - Returns: false if the bytes cannot be decoded as a tile of this format.
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    _ needed: borrowing NeededCells
  ) -> Bool {
    let rowBytes = format.rowBytes
    guard needed.rows > 0 else { return true }
    guard needed.rows * rowBytes <= output.count else { return false }
    let wanted = format.codec.decodedBytes(needed: needed.rows * rowBytes, of: output.count)
    if format.predictor == .floatDifferences {
      let target = UnsafeMutableRawBufferPointer(
        rebasing: raw.bytes(wanted)[..<wanted])
      guard decompress(input, into: target, of: output.count) else { return false }
      undoFloatDifferences(target, into: output, needed)
      return true
    }
    let target = UnsafeMutableRawBufferPointer(rebasing: output[..<wanted])
    guard decompress(input, into: target, of: output.count) else { return false }
    undoDifferences(output, needed)
    return true
  }

  /// Decompresses the first bytes of a tile.
  ///
  /// - Parameter total: the size of the tile in bytes.
  private func decompress(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, of total: Int
  ) -> Bool {
    guard let from = input.baseAddress, let to = output.baseAddress else { return false }
    switch format.codec {
    case .other: return false
    case .none:
      guard input.count >= output.count else { return false }
      // Uncompressed bytes may already be in the result.
      if from != UnsafeRawPointer(to) { to.copyMemory(from: from, byteCount: output.count) }
      return true
    case .deflate:
      return deflate?.decode(input, into: output) ?? false
    case .zstd:
      return zstd?.decode(input, into: output, of: total) ?? false
    case .lzw:
      return plumb_decode_lzw(from, input.count, to, output.count, lzw) != 0
    case .packBits:
      return plumb_decode_packbits(from, input.count, to, output.count) != 0
    }
  }

  private func undoDifferences(
    _ output: UnsafeMutableRawBufferPointer, _ needed: borrowing NeededCells
  ) {
    guard let base = output.baseAddress else { return }
    let (size, samples, rowBytes) = (format.size, format.samples, format.rowBytes)
    let isSwapped = format.isByteSwapped && size > 1
    guard isSwapped || format.predictor == .differences else { return }
    for row in 0..<needed.rows where needed[row] > 0 {
      let (start, count) = (base + row * rowBytes, needed[row] * size * samples)
      if isSwapped { plumb_swap_bytes(start, count, size) }
      if format.predictor == .differences { plumb_undo_differences(start, count, size, samples) }
    }
  }

  private func undoFloatDifferences(
    _ raw: UnsafeMutableRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    _ needed: borrowing NeededCells
  ) {
    guard let from = raw.baseAddress, let to = output.baseAddress else { return }
    let rowBytes = format.rowBytes
    for row in 0..<needed.rows where needed[row] > 0 {
      plumb_undo_float_differences(
        (from + row * rowBytes).assumingMemoryBound(to: UInt8.self), rowBytes, format.size,
        format.samples, (to + row * rowBytes).assumingMemoryBound(to: UInt8.self),
        needed[row] * format.samples)
    }
  }
}

/// Memory that grows to the largest requested size.
struct Scratch: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  deinit { memory.deallocate() }

  /// Returns at least `count` bytes with undefined content.
  mutating func bytes(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if memory.count < count {
      memory.deallocate()
      memory = .allocate(byteCount: count, alignment: 64)
    }
    return memory
  }
}
