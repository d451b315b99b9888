import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One-dimensional `.npy` files, which are mapped for reading and written as a whole.
enum NumPyFile {
  struct Failure: Error {
    var message: String
  }

  /// The little-endian float64 numbers of a file, mapped until the process ends.
  static func doubles(_ path: String) throws -> UnsafeBufferPointer<Double> {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { throw Failure(message: "cannot open \(path)") }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_size > 10,
      let base = mmap(nil, Int(facts.st_size), PROT_READ, MAP_PRIVATE, file, 0),
      base != MAP_FAILED
    else { throw Failure(message: "cannot map \(path)") }
    // Version 1: magic, two version bytes, header length as uint16.
    let headerLength = Int(base.loadUnaligned(fromByteOffset: 8, as: UInt16.self)) + 10
    let header = String(
      decoding: UnsafeRawBufferPointer(start: base, count: headerLength).dropFirst(10),
      as: UTF8.self)
    guard header.contains("'<f8'") else { throw Failure(message: "\(path) is not float64") }
    let count = (Int(facts.st_size) - headerLength) / 8
    return UnsafeBufferPointer(
      start: (base + headerLength).assumingMemoryBound(to: Double.self), count: count)
  }

  static func write(
    _ path: String, type: String, count: Int, _ bytes: UnsafeRawBufferPointer
  ) throws {
    var header = "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(count),), }"
    while (10 + header.utf8.count + 1) % 64 != 0 { header += " " }
    header += "\n"
    let length = header.utf8.count
    let start: [UInt8] =
      [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(length & 0xFF), UInt8(length >> 8)]
      + Array(header.utf8)
    guard let file = fopen(path, "wb") else { throw Failure(message: "cannot write \(path)") }
    let isWritten =
      fwrite(start, 1, start.count, file) == start.count
      && fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count
    guard fclose(file) == 0, isWritten else { throw Failure(message: "cannot write \(path)") }
  }

  static func write<Number>(_ path: String, type: String, _ numbers: [Number]) throws {
    try numbers.withUnsafeBytes { try write(path, type: type, count: numbers.count, $0) }
  }

  /// The numpy name of a pixel type.
  static func typeName(_ type: PixelType) -> String {
    switch type {
    case .uint8: "|u1"
    case .int8: "|i1"
    case .uint16: "<u2"
    case .int16: "<i2"
    case .uint32: "<u4"
    case .int32: "<i4"
    case .uint64: "<u8"
    case .int64: "<i8"
    case .float32: "<f4"
    case .float64: "<f8"
    case .complexInt16, .complexInt32, .complexFloat32: "<c8"
    case .complexFloat64: "<c16"
    }
  }
}
