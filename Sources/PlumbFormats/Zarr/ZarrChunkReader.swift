import PlumbCore
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reads and decodes the chunks of an array. A reader belongs to one thread.
package final class ZarrChunkReader {
  private let array: ZarrArray
  private let folder: String
  private let decoder: ZstdDecoder?
  private var packed = TrivialBuffer<UInt8>(count: 1)

  /// - Parameter folder: the folder of the array.
  /// - Throws: if there is not enough memory.
  package init(_ array: ZarrArray, folder: String) throws(PlumbError) {
    (self.array, self.folder) = (array, folder)
    if case .zstd = array.compression {
      decoder = ZstdDecoder()
      if decoder == nil { throw PlumbError("not enough memory to decompress zstd", code: .limit) }
    } else {
      decoder = nil
    }
  }

  /// Reads a chunk, of `array.chunkBytes` bytes. A chunk without a file has the fill value.
  ///
  /// - Throws: if the file cannot be read or is damaged, and if it is missing and the array has no fill value.
  package func read(
    _ indices: [Int], into output: UnsafeMutableRawBufferPointer
  ) throws(PlumbError) {
    let name = array.chunkName(indices)
    let path = folder + "/" + name
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      guard errno == ENOENT, let fill = array.fill else {
        if errno == ENOENT {
          throw PlumbError("the chunk \(name) is missing, and there is no fill value")
        }
        throw PlumbError(SystemError(path.printable))
      }
      return Self.fill(output, with: fill, array.type)
    }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw PlumbError("the chunk \(name) is not a file")
    }
    let size = Int(facts.st_size)
    let isPlain = array.compression == .none
    // A chunk that cannot be compressed is only slightly larger.
    guard size > 0, isPlain ? size == output.count : size <= output.count + output.count / 8 + 4096
    else { throw damage(name) }
    if isPlain {
      guard Self.read(file, into: output) else { throw damage(name) }
      return
    }
    if packed.count < size { packed = TrivialBuffer(count: size + size / 4) }
    let input = UnsafeMutableRawBufferPointer(start: packed.base, count: size)
    guard Self.read(file, into: input), decode(UnsafeRawBufferPointer(input), into: output) else {
      throw damage(name)
    }
  }

  private func damage(_ name: String) -> PlumbError {
    PlumbError("the chunk \(name) is damaged")
  }

  private func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    switch array.compression {
    case .none: return false
    case .zstd: return decoder?.decode(input, into: output, of: output.count) ?? false
    case .zlib: return ZlibPacking.unpack(input, into: output)
    }
  }

  private static func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    guard let base = buffer.baseAddress else { return false }
    var done = 0
    while done < buffer.count {
      let count = pread(file, base + done, buffer.count - done, off_t(done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  /// Fills memory with a value.
  package static func fill(
    _ output: UnsafeMutableRawBufferPointer, with fill: ZarrArray.Fill?, _ type: PixelType
  ) {
    guard let base = output.baseAddress, output.count >= type.byteCount else { return }
    guard let fill else {
      output.initializeMemory(as: UInt8.self, repeating: 0)
      return
    }
    fill.store(as: type, at: base)
    // Each copy doubles the part that is filled.
    var done = type.byteCount
    while done < output.count {
      let count = min(done, output.count - done)
      (base + done).copyMemory(from: base, byteCount: count)
      done += count
    }
  }
}
