import PlumbCore
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension ZarrArray {
  /// The values of an array of one dimension.
  ///
  /// - Parameters:
  ///   - files: the files of the store.
  ///   - name: the name of the array in the store.
  ///   - initial: any value of the array's type.
  /// - Throws: if a chunk cannot be read.
  package func values<Value: BitwiseCopyable>(
    in files: ZarrFiles, name: String, _ initial: Value
  ) throws(PlumbError) -> [Value] {
    precondition(shape.count == 1 && type.byteCount == MemoryLayout<Value>.size)
    let reader = try ZarrChunkReader(self, files, name: name)
    let chunk = TrivialBuffer<Value>(count: chunks[0])
    var values: [Value] = []
    for index in 0..<chunkCounts[0] {
      try reader.read([index], into: UnsafeMutableRawBufferPointer(chunk.pointer))
      values += chunk.array.prefix(shape[0] - values.count)
    }
    return values
  }
}

/// Reads and decodes the chunks of an array. A reader belongs to one thread.
package final class ZarrChunkReader {
  private let array: ZarrArray
  /// The files of the store, and the name of the array.
  private let (files, name): (ZarrFiles, String)
  private let decoder: ZstdDecoder?
  private var packed = TrivialBuffer<UInt8>(count: 1)

  /// - Parameter name: the name of the array in the store.
  /// - Throws: if there is not enough memory.
  package init(_ array: ZarrArray, _ files: ZarrFiles, name: String) throws(PlumbError) {
    (self.array, self.files, self.name) = (array, files, name)
    if case .zstd = array.compression {
      decoder = ZstdDecoder()
      if decoder == nil { throw PlumbError("not enough memory to decompress zstd", code: .limit) }
    } else {
      decoder = nil
    }
  }

  /// The maximum size of a compressed chunk. A chunk that cannot be compressed is only slightly
  /// larger than before.
  package static func largestPacked(_ array: ZarrArray) -> Int {
    array.chunkBytes + array.chunkBytes / 8 + 4096
  }

  /// Reads a chunk of `array.chunkBytes` bytes. A chunk without a file consists of the fill value, or of
  /// zeros if the array has none.
  ///
  /// - Throws: if the file cannot be read or is damaged, or if the file is missing although the array is
  ///   complete.
  package func read(
    _ indices: [Int], into output: UnsafeMutableRawBufferPointer
  ) throws(PlumbError) {
    let chunk = array.chunkName(indices)
    let isFound =
      switch files {
      case .folder(let folder): try read(chunk, in: "\(folder)/\(name)", into: output)
      case .remote(let files): try read(chunk, from: files, into: output)
      }
    if isFound { return }
    if array.isComplete { throw PlumbError("the chunk \(chunk) is missing") }
    Self.fill(output, with: array.fill, array.type)
  }

  /// - Returns: false if the chunk does not exist.
  private func read(
    _ chunk: String, from files: RemoteStoreFiles, into output: UnsafeMutableRawBufferPointer
  ) throws(PlumbError) -> Bool {
    guard let fetched = try files.bytes(of: "\(name)/\(chunk)", limit: Self.largestPacked(array))
    else { return false }
    if case .none = array.compression {
      guard fetched.count == output.count else { throw damage(chunk) }
      output.copyMemory(from: fetched.bytes)
    } else {
      guard fetched.count > 0, decode(fetched.bytes, into: output) else { throw damage(chunk) }
    }
    return true
  }

  /// - Returns: false if the chunk does not exist.
  private func read(
    _ chunk: String, in folder: String, into output: UnsafeMutableRawBufferPointer
  ) throws(PlumbError) -> Bool {
    let path = "\(folder)/\(chunk)"
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      let isMissing = errno == ENOENT
      let fault = SystemError(path.printable)
      // If the folder does not contain its name, the chunk was never written. A dangling link is an
      // error.
      var facts = stat()
      if isMissing, lstat(path, &facts) != 0 { return false }
      throw PlumbError(fault)
    }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw PlumbError("the chunk \(chunk) is not a file")
    }
    let size = Int(facts.st_size)
    let isPlain = array.compression == .none
    guard size > 0, isPlain ? size == output.count : size <= Self.largestPacked(array) else {
      throw damage(chunk)
    }
    if isPlain {
      guard Self.read(file, into: output) else { throw damage(chunk) }
      return true
    }
    if packed.count < size { packed = TrivialBuffer(count: size + size / 4) }
    let input = UnsafeMutableRawBufferPointer(start: packed.base, count: size)
    guard Self.read(file, into: input), decode(UnsafeRawBufferPointer(input), into: output) else {
      throw damage(chunk)
    }
    return true
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
    case .blosc: return BloscDecoder.decode(input, into: output)
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
    var value = [UInt8](repeating: 0, count: type.byteCount)
    value.withUnsafeMutableBytes { bytes in
      if let base = bytes.baseAddress { fill?.store(as: type, at: base) }
    }
    Self.fill(output, with: value)
  }

  /// Fills memory with the bytes of a value.
  package static func fill(_ output: UnsafeMutableRawBufferPointer, with value: [UInt8]) {
    guard let base = output.baseAddress, !value.isEmpty, output.count >= value.count else { return }
    output.copyBytes(from: value)
    // Each copy doubles the size of the filled part.
    var done = value.count
    while done < output.count {
      let count = min(done, output.count - done)
      (base + done).copyMemory(from: base, byteCount: count)
      done += count
    }
  }
}
