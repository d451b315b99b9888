import CLoader
import CPlumb
import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Memory that the caller's arrays share with the tables built from them. The memory is allocated
/// by this class, or belongs to an Arrow array of any producer. The last holder frees the memory,
/// on any thread and at any time, without a call into the caller's language.
///
/// - Invariant: the holders coordinate their writes. This class neither reads nor writes the bytes.
final class SharedMemory: @unchecked Sendable {
  private enum Content {
    case bytes(UnsafeMutableRawPointer, count: Int, isPooled: Bool)
    case array(UnsafeMutablePointer<ArrowArray>)
  }

  private let content: Content

  /// Allocates memory with undefined content.
  init(byteCount: Int) {
    // A forked process may inherit the pool's lock in a locked state, without the thread that would
    // unlock it.
    let isPooled = plumb_process_is_copy() == 0
    let bytes =
      isPooled
      ? LargeMemory.allocate(byteCount: byteCount)
      : .allocate(byteCount: max(1, byteCount), alignment: 64)
    content = .bytes(bytes, count: byteCount, isPooled: isPooled)
  }

  /// Takes ownership of an array, and marks the producer's structure as released.
  init(moving array: UnsafeMutablePointer<ArrowArray>) {
    let copy = UnsafeMutablePointer<ArrowArray>.allocate(capacity: 1)
    copy.initialize(to: array.pointee)
    array.pointee.release = nil
    content = .array(copy)
  }

  deinit {
    switch content {
    case .bytes(let bytes, let count, let isPooled):
      guard isPooled else { return bytes.deallocate() }
      if plumb_process_is_copy() == 0 { LargeMemory.deallocate(bytes, byteCount: count) }
    case .array(let array):
      array.pointee.release?(array)
      array.deallocate()
    }
  }

  /// The first byte of allocated memory; nil for an Arrow array.
  var bytes: UnsafeMutableRawPointer? {
    if case .bytes(let bytes, _, _) = content { bytes } else { nil }
  }

  /// The Arrow array; nil for allocated memory.
  var array: UnsafeMutablePointer<ArrowArray>? {
    if case .array(let array) = content { array } else { nil }
  }

  /// Returns a pointer to this object that counts as a holder.
  func retained() -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

  /// Returns the object to which a holder's pointer points.
  static func at(_ pointer: OpaquePointer) -> SharedMemory {
    Unmanaged<SharedMemory>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
  }
}

/// Runs the body of a function that only fills in memory, and is therefore allowed in a forked
/// process. The thread's warnings do not change.
private func making(_ body: () throws -> Void) -> CInt {
  do {
    try body()
    return PLUMB_OK
  } catch {
    return ThreadReport.current.fail(error)
  }
}

/// Allocates memory that arrays and tables share.
@c @implementation
public func plumb_memory_new(
  _ size: Int64, _ memory: UnsafeMutablePointer<OpaquePointer?>?,
  _ bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> CInt {
  making {
    guard let memory, let bytes else { throw CallError.null("the pointer to the memory") }
    guard size >= 0, size < 1 << 48 else {
      throw CallError.bad("\(size) is not a valid number of bytes")
    }
    let shared = SharedMemory(byteCount: Int(size))
    bytes.pointee = shared.bytes
    memory.pointee = shared.retained()
  }
}

/// Takes ownership of an array.
@c @implementation
public func plumb_memory_of_array(
  _ array: UnsafeMutablePointer<ArrowArray>?, _ memory: UnsafeMutablePointer<OpaquePointer?>?,
  _ result: UnsafeMutablePointer<UnsafeMutablePointer<ArrowArray>?>?
) -> CInt {
  making {
    guard let array, array.pointee.release != nil else { throw CallError.null("the array") }
    guard let memory, let result else { throw CallError.null("the pointer to the memory") }
    let shared = SharedMemory(moving: array)
    result.pointee = shared.array
    memory.pointee = shared.retained()
  }
}

/// Releases a holder.
@c @implementation
public func plumb_memory_release(_ memory: OpaquePointer?) {
  guard let memory else { return }
  Unmanaged<SharedMemory>.fromOpaque(UnsafeRawPointer(memory)).release()
}

/// Builds an array from its parts.
@c @implementation
public func plumb_array_make(
  _ array: UnsafeMutablePointer<ArrowArray>?, _ length: Int64, _ nullCount: Int64,
  _ offset: Int64, _ buffers: UnsafePointer<UnsafeRawPointer?>?, _ bufferCount: Int64,
  _ children: UnsafePointer<UnsafeMutablePointer<ArrowArray>?>?, _ childCount: Int64,
  _ dictionary: UnsafeMutablePointer<ArrowArray>?, _ owners: UnsafePointer<OpaquePointer?>?,
  _ ownerCount: Int64
) -> CInt {
  making {
    guard let array else { throw CallError.null("the array") }
    let owners = items(owners, ownerCount).compactMap { $0.map(SharedMemory.at) }
    ArrayMemory.fill(
      array, buffers: items(buffers, bufferCount), count: Int(length), nullCount: Int(nullCount),
      offset: Int(offset), owners: owners, children: moved(children, childCount),
      dictionary: dictionary.map(moved))
  }
}

/// Builds a schema from its parts.
@c @implementation
public func plumb_schema_make(
  _ schema: UnsafeMutablePointer<ArrowSchema>?, _ format: UnsafePointer<CChar>?,
  _ name: UnsafePointer<CChar>?, _ metadata: UnsafePointer<CChar>?, _ metadataSize: Int64,
  _ flags: Int64, _ children: UnsafePointer<UnsafeMutablePointer<ArrowSchema>?>?,
  _ childCount: Int64, _ dictionary: UnsafeMutablePointer<ArrowSchema>?
) -> CInt {
  making {
    guard let schema, let format, let name else { throw CallError.null("the schema") }
    let bytes = UnsafeRawBufferPointer(
      start: metadata, count: metadata == nil ? 0 : Int(metadataSize))
    SchemaMemory.fill(
      schema, format: Array(UnsafeRawBufferPointer(start: format, count: strlen(format))),
      name: Array(UnsafeRawBufferPointer(start: name, count: strlen(name))),
      metadata: Array(bytes), flags: flags,
      children: items(children, childCount).compactMap { $0.map(moved) },
      dictionary: dictionary.map(moved))
  }
}

/// Creates a stream from a schema and arrays.
@c @implementation
public func plumb_stream_make(
  _ schema: UnsafeMutablePointer<ArrowSchema>?,
  _ arrays: UnsafePointer<UnsafeMutablePointer<ArrowArray>?>?, _ count: Int64,
  _ stream: UnsafeMutablePointer<UnsafeMutablePointer<ArrowArrayStream>?>?
) -> CInt {
  making {
    guard let schema, let stream else { throw CallError.null("the pointer to the stream") }
    stream.pointee = TableStream(moved(schema), moved(arrays, count)).made()
  }
}

private func items<Element>(_ list: UnsafePointer<Element>?, _ count: Int64) -> [Element] {
  Array(UnsafeBufferPointer(start: list, count: list == nil ? 0 : Int(count)))
}

private func moved(_ array: UnsafeMutablePointer<ArrowArray>) -> ArrowArray {
  defer { array.pointee.release = nil }
  return array.pointee
}

private func moved(_ schema: UnsafeMutablePointer<ArrowSchema>) -> ArrowSchema {
  defer { schema.pointee.release = nil }
  return schema.pointee
}

private func moved(
  _ arrays: UnsafePointer<UnsafeMutablePointer<ArrowArray>?>?, _ count: Int64
) -> [ArrowArray] {
  items(arrays, count).compactMap { $0.map(moved) }
}
