import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Memory of an Arrow buffer, padded to 64 bytes as Arrow likes it.
///
/// - Invariant: jobs write disjoint bytes before anyone else reads.
final class ArrowBuffer: Sendable {
  private let start: SharedPointer<UnsafeMutableRawPointer>
  let byteCount: Int

  /// - Parameter zeroed: whether all bytes start as zero; else only those that pad it do.
  /// - Throws: when there is no memory for it.
  init(byteCount: Int, zeroed: Bool = true) throws(PlumbError) {
    let padded = (max(1, byteCount) + 63) & ~63
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, 64, padded) == 0, let memory else {
      throw PlumbError("no memory for a column of \(byteCount) bytes", code: .limit)
    }
    let defined = zeroed ? 0 : byteCount
    memset(memory + defined, 0, padded - defined)
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
  /// What a list's items are.
  var children: [ArrowColumn] = []
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

  /// A column of bytes of any length, written on all workers.
  ///
  /// - Parameters:
  ///   - size: returns the number of bytes of a row, or nil for null.
  ///   - write: writes as many.
  static func bytes(
    _ name: String, _ format: String, count: Int, workers: Workers,
    size: @Sendable (_ row: Int) throws -> Int?,
    write: @Sendable (_ row: Int, _ start: UnsafeMutableRawPointer) -> Void
  ) throws -> ArrowColumn {
    let (offsets, validity, nulls) = try offsets(count: count, workers: workers, size: size)
    let data = try ArrowBuffer(
      byteCount: Int(offsets.elements(Int64.self)[count]), zeroed: false)
    workers.runRanges(count, grain: writeGrain) { _, range in
      let starts = offsets.elements(Int64.self)
      for row in range where starts[row + 1] > starts[row] {
        write(row, data.base + Int(starts[row]))
      }
    }
    return ArrowColumn(
      name: name, format: format, count: count, nullCount: nulls,
      validity: validity, buffers: [offsets, data])
  }

  /// Where the items of each row start and, behind those, where the last end.
  ///
  /// - Parameter size: returns the number of items of a row, or nil for null.
  static func offsets(
    count: Int, workers: Workers, size: @Sendable (_ row: Int) throws -> Int?
  ) throws -> (offsets: ArrowBuffer, validity: ArrowBuffer, nullCount: Int) {
    let offsets = try ArrowBuffer(byteCount: (count + 1) * MemoryLayout<Int64>.stride)
    let validity = try ArrowBuffer(byteCount: (count + 7) / 8)
    // Lengths first, where the offsets go.
    let nulls = try workers.mapRanges(count, grain: grain) { _, range in
      let (lengths, bits) = (offsets.elements(Int64.self) + 1, validity.elements(UInt8.self))
      var nulls = 0
      for row in range {
        if let size = try size(row) {
          lengths[row] = Int64(size)
          bits[row >> 3] |= 1 << UInt8(row & 7)
        } else {
          nulls += 1
        }
      }
      return nulls
    }
    let ends = offsets.elements(Int64.self)
    for row in 0..<count { ends[row + 1] += ends[row] }
    return (offsets, validity, nulls.reduce(0, +))
  }

  /// A column of UTF-8.
  ///
  /// - Parameter text: that of a row, which has to live until this returns; nil where there is
  ///   none.
  static func texts(
    _ name: String, count: Int, workers: Workers,
    _ text: @Sendable (_ row: Int) -> UnsafeRawBufferPointer?
  ) throws -> ArrowColumn {
    try bytes(
      name, "U", count: count, workers: workers, size: { text($0)?.count },
      write: { row, start in
        guard let text = text(row), let base = text.baseAddress else { return }
        start.copyMemory(from: base, byteCount: text.count)
      })
  }

  /// A column of texts.
  static func texts(_ name: String, _ texts: [String?], workers: Workers) throws -> ArrowColumn {
    let store = ByteStore(texts)
    return try self.texts(name, count: texts.count, workers: workers) { store[$0] }
  }

  /// Rows of a job; whole bytes of bits.
  private static let grain = 1 << 14
  /// Rows of a job that writes many bytes.
  static let writeGrain = 1 << 8
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
