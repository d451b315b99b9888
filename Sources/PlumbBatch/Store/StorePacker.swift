import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbRaster

/// Compresses chunks on one worker.
final class StorePacker {
  private let array: ZarrArray
  private let encoder: ZstdEncoder
  /// Reads the chunks of a store to which dates are added.
  private let reader: ZarrChunkReader
  private let chunk: TrivialBuffer<UInt8>
  private let packed: TrivialBuffer<UInt8>

  /// - Parameters:
  ///   - store: the folder of the store to which dates are added.
  ///   - name: the name of the array in the store.
  /// - Throws: if there is not enough memory.
  init(_ array: ZarrArray, store: String, name: String) throws(PlumbError) {
    var level = 0
    if case .zstd(let known) = array.compression { level = known }
    guard let encoder = ZstdEncoder(level: level) else {
      throw PlumbError("not enough memory to compress", code: .limit)
    }
    (self.array, self.encoder) = (array, encoder)
    reader = try ZarrChunkReader(array, .folder(store), name: name)
    chunk = TrivialBuffer(count: array.chunkBytes)
    packed = TrivialBuffer(count: ZstdEncoder.largestSize(of: array.chunkBytes))
  }

  /// Prepares a chunk.
  ///
  /// - Parameters:
  ///   - keepsDates: whether the store already contains the chunk, with earlier dates.
  ///   - isWhole: whether all values of the chunk will be copied.
  func begin(_ indices: [Int], keepsDates: Bool, isWhole: Bool) throws(PlumbError) {
    let bytes = UnsafeMutableRawBufferPointer(chunk.pointer)
    if keepsDates {
      try reader.read(indices, into: bytes)
    } else if !isWhole {
      ZarrChunkReader.fill(bytes, with: array.fill, array.type)
    }
  }

  /// Copies the cells of a part of a window to the chunk.
  ///
  /// - Parameters:
  ///   - source: the cells of the window, date by date.
  ///   - dates: the positions of the dates in the chunk.
  func copy(
    from source: UnsafeRawPointer, _ part: CellWindow, of window: CellWindow, dates: Range<Int>
  ) {
    let size = array.type.byteCount
    let (height, width) = (array.chunks[1], array.chunks[2])
    let target = UnsafeMutableRawPointer(chunk.base)
    for (number, date) in dates.enumerated() {
      for row in 0..<part.height {
        let from = (number * window.height + part.row + row) * window.width + part.column
        (target + (date * height + row) * width * size)
          .copyMemory(from: source + from * size, byteCount: part.width * size)
      }
    }
  }

  /// Compresses and writes the chunk.
  ///
  /// - Parameters:
  ///   - folder: the folder in which the file is written.
  ///   - target: the folder to which the complete file is moved; nil if the file remains in `folder`.
  func write(_ indices: [Int], folder: String, target: String?) throws {
    let input = UnsafeRawBufferPointer(chunk.pointer)
    guard let size = encoder.encode(input, into: UnsafeMutableRawBufferPointer(packed.pointer))
    else { throw PlumbError("not enough memory to compress", code: .limit) }
    let name = array.chunkName(indices)
    try NewFile.write(
      UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(packed.pointer)[..<size]),
      to: folder + "/" + name)
    if let target { try NewFile.move(folder + "/" + name, to: target + "/" + name) }
  }
}
