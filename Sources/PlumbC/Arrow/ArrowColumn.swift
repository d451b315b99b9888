import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Memory of an Arrow buffer, padded to 64 bytes as Arrow recommends.
///
/// - Invariant: jobs write disjoint bytes before any reader reads them.
final class ArrowBuffer: Sendable {
  private let start: SharedPointer<UnsafeMutableRawPointer>
  let byteCount: Int

  /// - Parameter zeroed: whether all bytes are initialized to zero. If false, only the padding is
  ///   initialized.
  /// - Throws: if there is not enough memory.
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

/// One column of a table in the layout of the Arrow C data interface.
struct ArrowColumn: Sendable {
  var name: String
  /// The type in the notation of the Arrow C data interface, such as `l`, `g` or `U`.
  var format: String
  /// Pairs of a key and a value; empty for none.
  var metadata: [(key: String, value: String)] = []
  var count: Int
  var nullCount = 0
  /// One bit per row, 1 if the row has a value; nil if every row has a value.
  var validity: ArrowBuffer?
  /// The buffers that follow the validity in the layout of the type.
  var buffers: [ArrowBuffer]
  /// The column of the items if the type is a list.
  var children: [ArrowColumn] = []
}

extension ArrowColumn {
  /// A column of fixed-size rows, filled by all workers.
  ///
  /// - Parameters:
  ///   - fill: writes the value of a row, and returns whether the row has a value.
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

  /// A boolean column.
  ///
  /// - Parameter value: returns the value of a row; nil for null.
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

  /// A column of variable-length bytes, written by all workers.
  ///
  /// - Parameters:
  ///   - size: returns the number of bytes of a row, or nil for null.
  ///   - write: writes these bytes.
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

  /// The offset of each row's first item, followed by the end of the last row.
  ///
  /// - Parameter size: returns the number of items of a row, or nil for null.
  static func offsets(
    count: Int, workers: Workers, size: @Sendable (_ row: Int) throws -> Int?
  ) throws -> (offsets: ArrowBuffer, validity: ArrowBuffer, nullCount: Int) {
    let offsets = try ArrowBuffer(byteCount: (count + 1) * MemoryLayout<Int64>.stride)
    let validity = try ArrowBuffer(byteCount: (count + 7) / 8)
    // Stores the lengths first, in the memory of the offsets.
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

  /// A UTF-8 column.
  ///
  /// - Parameter text: returns the text of a row, which must remain valid until this function returns; nil
  ///   for null.
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

  /// A column of strings.
  static func texts(_ name: String, _ texts: [String?], workers: Workers) throws -> ArrowColumn {
    let store = ByteStore(texts)
    return try self.texts(name, count: texts.count, workers: workers) { store[$0] }
  }

  /// The number of rows per job. It is a multiple of 8, so that jobs write different bytes of
  /// bitmaps.
  private static let grain = 1 << 14
  /// The number of rows per job for columns with many bytes per row.
  static let writeGrain = 1 << 8
}

/// Concatenated strings or other bytes in memory.
final class ByteStore: Sendable {
  private let bytes: TrivialBuffer<UInt8>
  /// The start of each item in `bytes`, followed by the end of the last item.
  private let starts: [Int]
  private let isThere: [Bool]

  /// - Parameter items: the items; nil for null.
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

  /// The UTF-8 of strings.
  convenience init(_ texts: [String?]) { self.init(texts.map { $0?.utf8 }) }

  /// The bytes of an item, valid as long as the store exists; nil for null.
  subscript(number: Int) -> UnsafeRawBufferPointer? {
    guard isThere[number] else { return nil }
    return UnsafeRawBufferPointer(
      start: bytes.base + starts[number], count: starts[number + 1] - starts[number])
  }
}
