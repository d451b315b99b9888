import PlumbCore
import PlumbIO

/// The rows of a record batch or of a dictionary, as the message stores them.
///
/// Several threads may read from a batch at the same time, as long as its message is valid.
struct ArrowBatch: Sendable {
  /// The compression of the buffers.
  enum Compression: Int8 {
    case lz4 = 0
    case zstd = 1
  }

  /// The number of rows and of nulls of a column.
  struct Node: Sendable {
    var count: Int
    var nullCount: Int
  }

  let rowCount: Int
  let compression: Compression?
  /// The memory limit for decoded values.
  let budget = DecodeBudget(of: "the record batch")
  /// The memory limit for decompressed buffers.
  private let unpackedBudget = DecodeBudget(
    limit: ParquetLimits.rowGroupBytes, of: "the record batch")
  private let nodes: [(Int64, Int64)]
  private let buffers: [(Int64, Int64)]
  private let viewBuffers: [Int64]
  private let body: SharedPointer<UnsafeRawBufferPointer>

  init(_ table: FlatBufferTable, body: UnsafeRawBufferPointer) throws(FormatError) {
    let count: Int64 = try table.number(0, default: 0)
    guard (0...Int64(Int32.max)).contains(count) else {
      throw ArrowFault.damaged("a record batch has \(count) rows")
    }
    rowCount = Int(count)
    nodes = try table.pairs(1)
    buffers = try table.pairs(2)
    viewBuffers = try table.numbers(4)
    self.body = SharedPointer(body)
    guard let packing = try table.table(3) else {
      compression = nil
      return
    }
    let codec: Int8 = try packing.number(0, default: 0)
    guard let known = Compression(rawValue: codec) else {
      throw FormatError("the Arrow compression \(codec) is not supported", code: .unsupported)
    }
    compression = known
  }

  func node(_ index: Int) throws(FormatError) -> Node {
    guard nodes.indices.contains(index) else {
      throw ArrowFault.damaged("a record batch has fewer columns than the schema")
    }
    let (count, nulls) = nodes[index]
    return Node(count: Int(count), nullCount: Int(nulls))
  }

  /// The number of buffers to which the views of a column refer.
  func viewBufferCount(_ index: Int) throws(FormatError) -> Int {
    guard viewBuffers.indices.contains(index),
      (0...Int64(buffers.count)).contains(viewBuffers[index])
    else { throw ArrowFault.damaged("a column of views has no buffers") }
    return Int(viewBuffers[index])
  }

  /// The bytes of a buffer as they are stored, followed by readable padding.
  private func packed(_ index: Int) throws(FormatError) -> UnsafeRawBufferPointer {
    guard buffers.indices.contains(index) else {
      throw ArrowFault.damaged("a record batch has fewer buffers than the schema")
    }
    let (offset, count) = buffers[index]
    let size = Int64(body.pointer.count)
    guard (0...size).contains(offset), (0...size - offset).contains(count) else {
      throw ArrowFault.damaged("a buffer is outside its record batch")
    }
    return UnsafeRawBufferPointer(rebasing: body.pointer[Int(offset)..<Int(offset + count)])
  }

  /// The bytes of a buffer.
  ///
  /// - Parameter zstd: a decoder that only this thread uses.
  func buffer(_ index: Int, _ zstd: ZstdDecoder?) throws(FormatError) -> ArrowBuffer {
    let packed = try packed(index)
    guard let compression, !packed.isEmpty else { return ArrowBuffer(packed) }
    guard packed.count >= 8 else { throw ArrowFault.damaged("a compressed buffer has no size") }
    let size = Int64(littleEndian: packed.loadUnaligned(as: Int64.self))
    let input = UnsafeRawBufferPointer(rebasing: packed[8...])
    // The buffer is not compressed, because that would have made it larger.
    if size == -1 { return ArrowBuffer(input) }
    guard size >= 0 else { throw ArrowFault.damaged("a buffer has a negative size") }
    if size == 0 { return ArrowBuffer(UnsafeRawBufferPointer(rebasing: packed[..<0])) }
    try unpackedBudget.take(Int(size))
    let output = PaddedBytes(capacity: Int(size))
    let isComplete =
      switch compression {
      case .lz4: LZ4Frame.decode(input, into: output.base, byteCount: Int(size))
      case .zstd: zstd?.decode(input, into: output.prefix(Int(size)), of: Int(size)) ?? false
      }
    guard isComplete else {
      throw ArrowFault.damaged("a buffer is not valid \(compression == .lz4 ? "LZ4" : "ZSTD")")
    }
    return ArrowBuffer(output, count: Int(size))
  }
}

/// The bytes of a buffer, valid while the buffer lives and its message is valid.
struct ArrowBuffer {
  let bytes: UnsafeRawBufferPointer
  private let owner: PaddedBytes?

  init(_ bytes: UnsafeRawBufferPointer) { (self.bytes, owner) = (bytes, nil) }

  init(_ owner: PaddedBytes, count: Int) {
    (bytes, self.owner) = (UnsafeRawBufferPointer(owner.prefix(count)), owner)
  }

  /// Calls a closure with the bytes, and keeps them valid meanwhile.
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result: Result
    do throws(Failure) {
      result = try body(bytes)
    } catch {
      withExtendedLifetime(owner) {}
      throw error
    }
    withExtendedLifetime(owner) {}
    return result
  }
}
