import CPlumb
import Plumb
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A stream of a table whose chunks are all in memory.
///
/// Only one thread at a time may use a stream, as the Arrow C stream interface requires.
final class TableStream {
  private var schema: ArrowSchema
  private var arrays: [ArrowArray]
  private var position = 0

  /// Takes ownership of the schema and the arrays.
  init(_ schema: ArrowSchema, _ arrays: [ArrowArray]) {
    (self.schema, self.arrays) = (schema, arrays)
  }

  deinit {
    schema.release?(&schema)
    while position < arrays.count {
      arrays[position].release?(&arrays[position])
      position += 1
    }
  }

  /// Returns the stream as a structure of the Arrow C stream interface. This function allocates the
  /// structure's memory, which has to be freed after the structure has been released.
  func made() -> UnsafeMutablePointer<ArrowArrayStream> {
    let stream = UnsafeMutablePointer<ArrowArrayStream>.allocate(capacity: 1)
    stream.initialize(
      to: ArrowArrayStream(
        get_schema: { stream, target in
          guard let target, let stream = TableStream.of(stream) else { return EINVAL }
          SchemaMemory.copy(&stream.schema, to: target)
          return 0
        },
        get_next: { stream, target in
          guard let target, let stream = TableStream.of(stream) else { return EINVAL }
          stream.next(target)
          return 0
        },
        get_last_error: { _ in nil },
        release: { stream in
          guard let stream, let data = stream.pointee.private_data else { return }
          stream.pointee.release = nil
          stream.pointee.private_data = nil
          Unmanaged<TableStream>.fromOpaque(data).release()
        },
        private_data: Unmanaged.passRetained(self).toOpaque()))
    return stream
  }

  private static func of(_ stream: UnsafeMutablePointer<ArrowArrayStream>?) -> TableStream? {
    stream?.pointee.private_data.map {
      Unmanaged<TableStream>.fromOpaque($0).takeUnretainedValue()
    }
  }

  private func next(_ target: UnsafeMutablePointer<ArrowArray>) {
    guard position < arrays.count else {
      target.initialize(to: ArrowArray())
      return
    }
    target.initialize(to: arrays[position])
    arrays[position].release = nil
    position += 1
  }
}

/// The address of `PyCapsule_GetPointer`, which the caller passes because the library does not link Python.
private let capsulePointer = Atomic<UInt>(0)

/// The name of Python capsules that contain streams.
private let capsuleName: StaticString = "arrow_array_stream"

/// Stores the function that returns a capsule's content.
@c @implementation
public func plumb_capsule_use(
  _ pointer:
    (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> UnsafeMutableRawPointer?)?
) -> UnsafePointer<CChar>? {
  capsulePointer.store(
    UInt(bitPattern: unsafeBitCast(pointer, to: UnsafeRawPointer?.self)), ordering: .releasing)
  return UnsafeRawPointer(capsuleName.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// Frees the stream of a capsule.
@c @implementation
public func plumb_capsule_free(_ capsule: UnsafeMutableRawPointer?) {
  typealias Getter =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> UnsafeMutableRawPointer?
  let name = UnsafeRawPointer(capsuleName.utf8Start).assumingMemoryBound(to: CChar.self)
  guard
    let address = UnsafeRawPointer(bitPattern: capsulePointer.load(ordering: .acquiring)),
    let content = unsafeBitCast(address, to: Getter.self)(capsule, name)
  else { return }
  let stream = content.assumingMemoryBound(to: ArrowArrayStream.self)
  stream.pointee.release?(stream)
  stream.deallocate()
}
