import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Memory of an Arrow buffer, zeroed and padded to 64 bytes as Arrow likes it.
///
/// - Invariant: jobs write disjoint bytes before anyone else reads.
final class ArrowBuffer: Sendable {
  private let start: SharedPointer<UnsafeMutableRawPointer>
  let byteCount: Int

  /// - Throws: when there is no memory for it.
  init(byteCount: Int) throws(PlumbError) {
    let padded = (max(1, byteCount) + 63) & ~63
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, 64, padded) == 0, let memory else {
      throw PlumbError("no memory for a column of \(byteCount) bytes", code: .limit)
    }
    memset(memory, 0, padded)
    start = SharedPointer(memory)
    self.byteCount = byteCount
  }

  deinit { free(start.pointer) }

  /// The first byte.
  var base: UnsafeMutableRawPointer { start.pointer }

  /// The bytes as elements of a type.
  func elements<Element: BitwiseCopyable>(
    _ type: Element.Type
  ) -> UnsafeMutablePointer<Element> {
    base.assumingMemoryBound(to: type)
  }
}

/// One column of a table as the Arrow C data interface gives it.
struct ArrowColumn: Sendable {
  var name: String
  /// As the interface writes types: `l`, `g`, `U`…
  var format: String
  /// `key, value` pairs; nil for none.
  var metadata: [(key: String, value: String)] = []
  var count: Int
  var nullCount = 0
  /// A bit a row, 1 where there is a value; nil where each row has one.
  var validity: ArrowBuffer?
  /// What follows the validity in the type's layout.
  var buffers: [ArrowBuffer]
}

extension ArrowColumn {
  /// A column of rows of one size, filled on all workers.
  ///
  /// - Parameters:
  ///   - fill: writes a value of the row, and says whether there is one.
  static func fixed<Value: BitwiseCopyable>(
    _ name: String, _ format: String, _ type: Value.Type, count: Int, workers: Workers,
    _ fill: @Sendable (_ row: Int, _ value: inout Value) -> Bool
  ) throws -> ArrowColumn {
    let values = try ArrowBuffer(byteCount: count * MemoryLayout<Value>.stride)
    let validity = try ArrowBuffer(byteCount: (count + 7) / 8)
    let nulls = workers.mapRanges(count, grain: grain) { _, range in
      let values = values.elements(type)
      let bits = validity.elements(UInt8.self)
      var nulls = 0
      for row in range {
        if fill(row, &values[row]) {
          bits[row >> 3] |= 1 << UInt8(row & 7)
        } else {
          nulls += 1
        }
      }
      return nulls
    }
    return ArrowColumn(
      name: name, format: format, count: count, nullCount: nulls.reduce(0, +),
      validity: validity, buffers: [values])
  }

  /// A column of true and false.
  ///
  /// - Parameter value: nil where there is none.
  static func flags(
    _ name: String, count: Int, workers: Workers, _ value: @Sendable (_ row: Int) -> Bool?
  ) throws -> ArrowColumn {
    let values = try ArrowBuffer(byteCount: (count + 7) / 8)
    let validity = try ArrowBuffer(byteCount: (count + 7) / 8)
    let nulls = workers.mapRanges(count, grain: grain) { _, range in
      let (values, bits) = (values.elements(UInt8.self), validity.elements(UInt8.self))
      var nulls = 0
      for row in range {
        guard let value = value(row) else {
          nulls += 1
          continue
        }
        bits[row >> 3] |= 1 << UInt8(row & 7)
        if value { values[row >> 3] |= 1 << UInt8(row & 7) }
      }
      return nulls
    }
    return ArrowColumn(
      name: name, format: "b", count: count, nullCount: nulls.reduce(0, +), validity: validity,
      buffers: [values])
  }

  /// A column of bytes, or of UTF-8, of any length.
  ///
  /// - Parameter bytes: those of a row, which have to live until this returns; nil where there is no
  ///   value.
  static func bytes(
    _ name: String, _ format: String, count: Int, workers: Workers,
    _ bytes: @Sendable (_ row: Int) -> UnsafeRawBufferPointer?
  ) throws -> ArrowColumn {
    let offsets = try ArrowBuffer(byteCount: (count + 1) * MemoryLayout<Int64>.stride)
    let validity = try ArrowBuffer(byteCount: (count + 7) / 8)
    // Lengths first, where the offsets go.
    let nulls = workers.mapRanges(count, grain: grain) { _, range in
      let (lengths, bits) = (offsets.elements(Int64.self) + 1, validity.elements(UInt8.self))
      var nulls = 0
      for row in range {
        if let bytes = bytes(row) {
          lengths[row] = Int64(bytes.count)
          bits[row >> 3] |= 1 << UInt8(row & 7)
        } else {
          nulls += 1
        }
      }
      return nulls
    }
    let ends = offsets.elements(Int64.self)
    for row in 0..<count { ends[row + 1] += ends[row] }
    let data = try ArrowBuffer(byteCount: Int(ends[count]))
    workers.runRanges(count, grain: grain) { _, range in
      let starts = offsets.elements(Int64.self)
      for row in range {
        if let bytes = bytes(row), let base = bytes.baseAddress {
          (data.base + Int(starts[row])).copyMemory(from: base, byteCount: bytes.count)
        }
      }
    }
    return ArrowColumn(
      name: name, format: format, count: count, nullCount: nulls.reduce(0, +),
      validity: validity, buffers: [offsets, data])
  }

  /// A column of texts.
  static func texts(_ name: String, _ texts: [String?], workers: Workers) throws -> ArrowColumn {
    let store = ByteStore(texts)
    return try bytes(name, "U", count: texts.count, workers: workers) { store[$0] }
  }

  /// Rows of a job; whole bytes of bits.
  private static let grain = 1 << 14
}

/// Texts, or other bytes, one after the other in memory.
final class ByteStore: Sendable {
  private let bytes: TrivialBuffer<UInt8>
  /// Where each starts, and where the last ends.
  private let starts: [Int]
  private let isThere: [Bool]

  /// - Parameter items: nil where there is nothing.
  init(_ items: [(some Collection<UInt8>)?]) {
    var all: [UInt8] = []
    var starts = [0]
    starts.reserveCapacity(items.count + 1)
    for item in items {
      if let item { all += item }
      starts.append(all.count)
    }
    bytes = TrivialBuffer(all)
    self.starts = starts
    isThere = items.map { $0 != nil }
  }

  /// The UTF-8 of texts.
  convenience init(_ texts: [String?]) { self.init(texts.map { $0?.utf8 }) }

  /// The bytes of an item, while the store lives; nil where there is nothing.
  subscript(number: Int) -> UnsafeRawBufferPointer? {
    guard isThere[number] else { return nil }
    return UnsafeRawBufferPointer(
      start: bytes.base + starts[number], count: starts[number + 1] - starts[number])
  }
}
