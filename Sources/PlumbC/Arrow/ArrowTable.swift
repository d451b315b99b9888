import CPlumb
import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A table as a struct array of the Arrow C data interface: memory of its own for the schema and for the
/// data, each let go by its `release`.
struct ArrowTable: Sendable {
  var columns: [ArrowColumn]
  var count: Int

  /// Gives the table to a caller.
  ///
  /// - Parameters:
  ///   - schema: filled in; what it held is not looked at.
  ///   - array: likewise.
  func export(
    to schema: UnsafeMutablePointer<ArrowSchema>, _ array: UnsafeMutablePointer<ArrowArray>
  ) {
    SchemaMemory.fill(schema, format: "+s", name: "", metadata: [], flags: 0, children: columns)
    ArrayMemory.fill(
      array, buffers: [nil], count: count, nullCount: 0, owners: [], children: columns)
  }
}

/// What a schema points to.
private final class SchemaMemory {
  private var allocated: [UnsafeMutableRawPointer] = []
  private var children: UnsafeMutablePointer<UnsafeMutablePointer<ArrowSchema>?>?
  private var count = 0

  private func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar> {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 8)
    memory.copyMemory(from: bytes, byteCount: bytes.count)
    allocated.append(memory)
    return memory.assumingMemoryBound(to: CChar.self)
  }

  private func copy(_ text: String) -> UnsafeMutablePointer<CChar> { copy(Array(text.utf8) + [0]) }

  /// The count of pairs, then each key and value behind its length, all in native numbers.
  private static func encode(_ metadata: [(key: String, value: String)]) -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ number: Int) {
      withUnsafeBytes(of: Int32(number)) { bytes += Array($0) }
    }
    append(metadata.count)
    for (key, value) in metadata {
      for text in [key, value] {
        append(text.utf8.count)
        bytes += Array(text.utf8)
      }
    }
    return bytes
  }

  static func fill(
    _ schema: UnsafeMutablePointer<ArrowSchema>, format: String, name: String,
    metadata: [(key: String, value: String)], flags: Int64, children: [ArrowColumn]
  ) {
    let memory = SchemaMemory()
    let list = UnsafeMutablePointer<UnsafeMutablePointer<ArrowSchema>?>.allocate(
      capacity: max(1, children.count))
    for (number, column) in children.enumerated() {
      let child = UnsafeMutablePointer<ArrowSchema>.allocate(capacity: 1)
      fill(
        child, format: column.format, name: column.name, metadata: column.metadata,
        flags: Int64(ARROW_FLAG_NULLABLE), children: [])
      (list + number).initialize(to: child)
    }
    (memory.children, memory.count) = (list, children.count)
    schema.initialize(
      to: ArrowSchema(
        format: memory.copy(format), name: memory.copy(name),
        metadata: metadata.isEmpty ? nil : memory.copy(encode(metadata)), flags: flags,
        n_children: Int64(children.count), children: list, dictionary: nil,
        release: { SchemaMemory.release($0) },
        private_data: Unmanaged.passRetained(memory).toOpaque()))
  }

  private static func release(_ schema: UnsafeMutablePointer<ArrowSchema>?) {
    guard let schema, let data = schema.pointee.private_data, schema.pointee.release != nil else {
      return
    }
    let memory = Unmanaged<SchemaMemory>.fromOpaque(data).takeRetainedValue()
    for number in 0..<memory.count {
      guard let child = memory.children?[number] else { continue }
      // One that was moved out is released already.
      child.pointee.release?(child)
      child.deallocate()
    }
    memory.children?.deallocate()
    memory.allocated.forEach { $0.deallocate() }
    schema.pointee.release = nil
    schema.pointee.private_data = nil
  }
}

/// What an array points to.
private final class ArrayMemory {
  private var buffers: UnsafeMutablePointer<UnsafeRawPointer?>?
  private var children: UnsafeMutablePointer<UnsafeMutablePointer<ArrowArray>?>?
  private var count = 0
  /// Who hold the bytes.
  private let owners: [ArrowBuffer]

  private init(_ owners: [ArrowBuffer]) { self.owners = owners }

  static func fill(
    _ array: UnsafeMutablePointer<ArrowArray>, buffers: [UnsafeRawPointer?], count: Int,
    nullCount: Int, owners: [ArrowBuffer], children: [ArrowColumn]
  ) {
    let memory = ArrayMemory(owners)
    let pointers = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: buffers.count)
    pointers.initialize(from: buffers, count: buffers.count)
    let list = UnsafeMutablePointer<UnsafeMutablePointer<ArrowArray>?>.allocate(
      capacity: max(1, children.count))
    for (number, column) in children.enumerated() {
      let child = UnsafeMutablePointer<ArrowArray>.allocate(capacity: 1)
      // Without nulls there need be no bits.
      let validity = column.nullCount > 0 ? column.validity : nil
      fill(
        child,
        buffers: [validity.map { UnsafeRawPointer($0.base) }]
          + column.buffers.map { UnsafeRawPointer($0.base) },
        count: column.count, nullCount: column.nullCount,
        owners: (validity.map { [$0] } ?? []) + column.buffers, children: [])
      (list + number).initialize(to: child)
    }
    (memory.buffers, memory.children, memory.count) = (pointers, list, children.count)
    array.initialize(
      to: ArrowArray(
        length: Int64(count), null_count: Int64(nullCount), offset: 0,
        n_buffers: Int64(buffers.count), n_children: Int64(children.count), buffers: pointers,
        children: list, dictionary: nil, release: { ArrayMemory.release($0) },
        private_data: Unmanaged.passRetained(memory).toOpaque()))
  }

  private static func release(_ array: UnsafeMutablePointer<ArrowArray>?) {
    guard let array, let data = array.pointee.private_data, array.pointee.release != nil else {
      return
    }
    let memory = Unmanaged<ArrayMemory>.fromOpaque(data).takeRetainedValue()
    for number in 0..<memory.count {
      guard let child = memory.children?[number] else { continue }
      child.pointee.release?(child)
      child.deallocate()
    }
    memory.children?.deallocate()
    memory.buffers?.deallocate()
    array.pointee.release = nil
    array.pointee.private_data = nil
  }
}
