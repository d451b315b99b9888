import Synchronization

/// Allocates handle numbers that are unique across all kinds of handles.
private enum HandleNumber {
  private static let last = Atomic<UInt>(0x1001)

  /// Returns the next number. The number is odd, so that it cannot be the address of a structure.
  static func next() -> UInt { last.wrappingAdd(2, ordering: .relaxed).newValue }
}

/// The open handles of one kind, by number. A value is deallocated after it has been removed and
/// the last call that uses it has ended.
final class HandleTable<Value: Sendable>: Sendable {
  private let values = Mutex<[UInt: Value]>([:])

  /// - Returns: the number as an opaque pointer.
  func insert(_ value: Value) -> OpaquePointer {
    let number = HandleNumber.next()
    values.withLock { $0[number] = value }
    guard let handle = OpaquePointer(bitPattern: number) else {
      preconditionFailure("numbers are not 0")
    }
    return handle
  }

  /// - Throws: if the handle is null, closed or of another kind.
  subscript(handle: OpaquePointer?) -> Value {
    get throws {
      guard let handle else { throw CallError.null("the handle") }
      guard let value = values.withLock({ $0[UInt(bitPattern: handle)] }) else {
        throw CallError.closed
      }
      return value
    }
  }

  /// Removes a handle.
  ///
  /// - Throws: if the handle is null, closed or of another kind.
  func remove(_ handle: OpaquePointer?) throws {
    guard let handle else { throw CallError.null("the handle") }
    // The value is released outside the lock, because closing its files may take a long time.
    guard let value = values.withLock({ $0.removeValue(forKey: UInt(bitPattern: handle)) }) else {
      throw CallError.closed
    }
    withExtendedLifetime(value) {}
  }
}
