import PlumbCore
import PlumbIO

/// Decodes values of any length, one after the other.
final class VariableValues {
  /// The bytes of all decoded values.
  let bytes = PaddedBytes()
  /// The number of bytes of all decoded values.
  private(set) var used = 0
  private let budget: DecodeBudget?
  private var dictionary = PaddedBytes()
  /// The start of each value of the dictionary, and the end of the last; nil if there is no dictionary.
  private var starts: TrivialBuffer<Int>?
  private var indices = DictionaryIndices()
  private var scratch = TrivialBuffer<UInt32>(count: 0)
  private var prefixes = TrivialBuffer<UInt32>(count: 0)

  init(rowCount: Int, budget: DecodeBudget? = nil) { self.budget = budget }

  private static var short: FormatError {
    ParquetFault.damaged("a page has fewer values than declared")
  }

  private func reserve(_ more: Int) throws(FormatError) {
    try budget?.take(more)
    bytes.reserve(used + more, keeping: used)
  }

  func setDictionary(_ input: UnsafeRawBufferPointer, count: Int) throws(FormatError) {
    guard count <= input.count / 4 else {
      throw ParquetFault.damaged("the dictionary has fewer values than declared")
    }
    let starts = TrivialBuffer<Int>(count: count + 1)
    dictionary = PaddedBytes(capacity: input.count)
    var (next, end) = (0, 0)
    for index in 0..<count {
      starts.base[index] = end
      guard let length = Self.length(input, &next) else {
        throw ParquetFault.damaged("the dictionary is truncated")
      }
      if length > 0, let base = input.baseAddress {
        (dictionary.base + end).copyMemory(from: base + next, byteCount: length)
      }
      next += length
      end += length
    }
    starts.base[count] = end
    self.starts = starts
  }

  /// Reads the length of a value and checks it against the rest of the input.
  @inline(__always)
  private static func length(_ input: UnsafeRawBufferPointer, _ next: inout Int) -> Int? {
    guard input.count &- next >= 4, let base = input.baseAddress else { return nil }
    let length = Int(
      UInt32(littleEndian: base.loadUnaligned(fromByteOffset: next, as: UInt32.self)))
    next &+= 4
    return length <= input.count &- next ? length : nil
  }

  /// Copies a value; up to 31 bytes after the end of the output are overwritten.
  @inline(__always)
  private static func copy(
    _ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ length: Int
  ) {
    if length <= 32 {
      target.storeBytes(
        of: source.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
      target.storeBytes(
        of: source.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self), toByteOffset: 16,
        as: SIMD16<UInt8>.self)
    } else {
      target.copyMemory(from: source, byteCount: length)
    }
  }

  /// Decodes `count` values that are not null.
  ///
  /// - Parameters:
  ///   - lengths: the lengths of the values; nil if they are not needed.
  ///   - fixedWidth: the length that all values must have; nil for any length.
  func decode(
    _ page: DataPage, lengths: UnsafeMutablePointer<Int>?, count: Int, fixedWidth: Int? = nil
  ) throws(FormatError) {
    guard count > 0 else { return }
    switch page.encoding {
    case .plain: try decodePlain(page.values, lengths, count)
    case .plainDictionary, .rleDictionary: try gather(page.values, lengths, count)
    case .deltaLengthByteArray: try decodeDeltaLengths(page.values, lengths, count)
    case .deltaByteArray: try decodePrefixes(page.values, lengths, count, fixedWidth)
    default: throw ParquetFault.unsupported("Parquet encoding \(page.encoding) of text or bytes")
    }
  }

  private func decodePlain(
    _ input: UnsafeRawBufferPointer, _ lengths: UnsafeMutablePointer<Int>?, _ count: Int
  ) throws(FormatError) {
    guard count <= input.count / 4, let base = input.baseAddress else { throw Self.short }
    try reserve(input.count - 4 * count)
    var (next, end) = (0, used)
    let target = bytes.base
    let limit = used + input.count - 4 * count
    for index in 0..<count {
      guard let length = Self.length(input, &next), length <= limit &- end else { throw Self.short }
      Self.copy(base + next, to: target + end, length)
      next &+= length
      end &+= length
      lengths?[index] = length
    }
    used = end
  }

  private func gather(
    _ input: UnsafeRawBufferPointer, _ lengths: UnsafeMutablePointer<Int>?, _ count: Int
  ) throws(FormatError) {
    guard let starts else { throw ParquetFault.damaged("a dictionary is missing") }
    try indices.decode(input, count: count, limit: starts.count - 1)
    let (base, indices) = (starts.base, indices.base)
    var total = 0
    // A sum of fewer than 2^31 lengths below 2^29 cannot overflow.
    for index in 0..<count {
      let value = Int(indices[index])
      total &+= base[value &+ 1] &- base[value]
    }
    try reserve(total)
    var end = used
    let (source, target) = (dictionary.base, bytes.base)
    for index in 0..<count {
      let value = Int(indices[index])
      let start = base[value]
      let length = base[value &+ 1] &- start
      Self.copy(source + start, to: target + end, length)
      end &+= length
      lengths?[index] = length
    }
    used = end
  }

  /// Decodes lengths and adds them up.
  private func deltaLengths(
    _ input: UnsafeRawBufferPointer, into output: inout TrivialBuffer<UInt32>, _ count: Int
  ) throws(FormatError) -> (size: Int, total: Int) {
    if output.count < count { output = TrivialBuffer(count: count) }
    let size = try DeltaDecoder.decode(input, into: output.base, count: count)
    var (total, highest) = (0, UInt32(0))
    for index in 0..<count {
      total &+= Int(output.base[index])
      highest = max(highest, output.base[index])
    }
    guard highest <= UInt32(Int32.max) else {
      throw ParquetFault.damaged("a value has a negative length")
    }
    return (size, total)
  }

  private func decodeDeltaLengths(
    _ input: UnsafeRawBufferPointer, _ lengths: UnsafeMutablePointer<Int>?, _ count: Int
  ) throws(FormatError) {
    let (size, total) = try deltaLengths(input, into: &scratch, count)
    guard total <= input.count - size, let base = input.baseAddress else { throw Self.short }
    try reserve(total)
    (bytes.base + used).copyMemory(from: base + size, byteCount: total)
    used += total
    if let lengths { for index in 0..<count { lengths[index] = Int(scratch.base[index]) } }
  }

  /// Decodes values each of which begins with a part of the previous value.
  private func decodePrefixes(
    _ input: UnsafeRawBufferPointer, _ lengths: UnsafeMutablePointer<Int>?, _ count: Int,
    _ fixedWidth: Int?
  ) throws(FormatError) {
    let (start, prefixTotal) = try deltaLengths(input, into: &prefixes, count)
    let rest = UnsafeRawBufferPointer(rebasing: input[start...])
    let (size, suffixTotal) = try deltaLengths(rest, into: &scratch, count)
    guard suffixTotal <= rest.count - size, let base = rest.baseAddress else { throw Self.short }
    guard fixedWidth.map({ $0 * count == prefixTotal + suffixTotal }) ?? true else {
      throw ParquetFault.damaged("a page has values of another size")
    }
    try reserve(prefixTotal + suffixTotal)
    var (next, end, previous) = (size, used, used)
    let target = bytes.base
    for index in 0..<count {
      let (prefix, suffix) = (Int(prefixes.base[index]), Int(scratch.base[index]))
      guard prefix <= end - previous, fixedWidth.map({ $0 == prefix + suffix }) ?? true else {
        throw ParquetFault.damaged("a value repeats more bytes than the previous value has")
      }
      (target + end).copyMemory(from: target + previous, byteCount: prefix)
      (target + end + prefix).copyMemory(from: base + next, byteCount: suffix)
      previous = end
      next += suffix
      end += prefix + suffix
      lengths?[index] = prefix + suffix
    }
    used = end
  }
}
