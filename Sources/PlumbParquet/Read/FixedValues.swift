import PlumbCore
import PlumbIO

/// Decodes values of one size in bytes.
struct FixedValues {
  private let width: Int
  private let physical: PhysicalType
  private var dictionary = PaddedBytes()
  private var dictionaryCount: Int?
  private var indices = DictionaryIndices()

  init(width: Int, physical: PhysicalType) { (self.width, self.physical) = (width, physical) }

  mutating func setDictionary(
    _ bytes: UnsafeRawBufferPointer, count: Int
  ) throws(FormatError) {
    guard count <= bytes.count / width else {
      throw ParquetFault.damaged("the dictionary has fewer values than declared")
    }
    dictionary = PaddedBytes(capacity: count * width)
    if let base = bytes.baseAddress {
      dictionary.base.copyMemory(from: base, byteCount: count * width)
    }
    dictionaryCount = count
  }

  /// Decodes `count` values that are not null to consecutive positions.
  mutating func decode(
    _ page: DataPage, into output: UnsafeMutableRawPointer, count: Int
  ) throws(FormatError) {
    guard count > 0 else { return }
    let values = page.values
    switch page.encoding {
    case .plain:
      guard values.count / width >= count, let base = values.baseAddress else {
        throw ParquetFault.damaged("a page has fewer values than declared")
      }
      output.copyMemory(from: base, byteCount: count * width)
    case .plainDictionary, .rleDictionary:
      guard let dictionaryCount else { throw ParquetFault.damaged("a dictionary is missing") }
      try indices.decode(values, count: count, limit: dictionaryCount)
      gather(into: output, count: count)
    case .byteStreamSplit:
      guard physical != .int96, values.count / width >= count, values.count % width == 0 else {
        throw ParquetFault.damaged("a page has fewer values than declared")
      }
      join(values, into: output, count: count)
    case .deltaBinaryPacked where physical == .int32:
      let target = output.bindMemory(to: UInt32.self, capacity: count)
      _ = try DeltaDecoder.decode(values, into: target, count: count)
    case .deltaBinaryPacked where physical == .int64:
      let target = output.bindMemory(to: UInt64.self, capacity: count)
      _ = try DeltaDecoder.decode(values, into: target, count: count)
    case .deltaByteArray where physical == .fixedByteArray:
      let texts = VariableValues(rowCount: 0)
      try texts.decode(page, lengths: nil, count: count, fixedWidth: width)
      guard texts.used == count * width else {
        throw ParquetFault.damaged("a page has values of another size")
      }
      output.copyMemory(from: texts.bytes.base, byteCount: texts.used)
    default:
      throw ParquetFault.unsupported(
        "Parquet encoding \(page.encoding) of \(physical) values")
    }
  }

  private func gather(into output: UnsafeMutableRawPointer, count: Int) {
    switch width {
    case 4: gather(UInt32.self, output, count)
    case 8: gather(UInt64.self, output, count)
    case 2: gather(UInt16.self, output, count)
    case 16: gather(SIMD2<UInt64>.self, output, count)
    default:
      for index in 0..<count {
        (output + index * width).copyMemory(
          from: dictionary.base + Int(indices.base[index]) * width, byteCount: width)
      }
    }
  }

  @inline(__always)
  private func gather<Word: BitwiseCopyable>(
    _: Word.Type, _ output: UnsafeMutableRawPointer, _ count: Int
  ) {
    let (source, indices) = (UnsafeRawPointer(dictionary.base), indices.base)
    let size = MemoryLayout<Word>.size
    for index in 0..<count {
      output.storeBytes(
        of: source.loadUnaligned(fromByteOffset: Int(indices[index]) &* size, as: Word.self),
        toByteOffset: index &* size, as: Word.self)
    }
  }

  /// Joins the bytes of values that a page stores as all first bytes, followed by all second bytes,
  /// and so on.
  private func join(
    _ values: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer, count: Int
  ) {
    guard let base = values.baseAddress else { return }
    let stride = values.count / width
    switch width {
    case 4:
      for index in 0..<count {
        var word: UInt32 = 0
        for byte in 0..<4 {
          word |=
            UInt32(base.load(fromByteOffset: byte &* stride &+ index, as: UInt8.self))
            &<< UInt32(truncatingIfNeeded: 8 &* byte)
        }
        output.storeBytes(of: word.littleEndian, toByteOffset: index &* 4, as: UInt32.self)
      }
    case 8:
      for index in 0..<count {
        var word: UInt64 = 0
        for byte in 0..<8 {
          word |=
            UInt64(base.load(fromByteOffset: byte &* stride &+ index, as: UInt8.self))
            &<< UInt64(truncatingIfNeeded: 8 &* byte)
        }
        output.storeBytes(of: word.littleEndian, toByteOffset: index &* 8, as: UInt64.self)
      }
    default:
      for byte in 0..<width {
        for index in 0..<count {
          output.storeBytes(
            of: base.load(fromByteOffset: byte &* stride &+ index, as: UInt8.self),
            toByteOffset: index &* width &+ byte, as: UInt8.self)
        }
      }
    }
  }
}
