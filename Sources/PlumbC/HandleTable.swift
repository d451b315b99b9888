import Synchronization

/// The numbers of all handles that were ever given.
private enum HandleNumber {
  private static let last = Atomic<UInt>(0x1001)

  /// Odd, as no address of a structure is.
  static func next() -> UInt { last.wrappingAdd(2, ordering: .relaxed).newValue }
}

/// The open handles of one kind, by number. A value lives until it was removed and the last call
/// that uses it has ended.
final class HandleTable<Value: Sendable>: Sendable {
  private let values = Mutex<[UInt: Value]>([:])

  /// - Returns: the number, dressed as a pointer.
  func insert(_ value: Value) -> OpaquePointer {
    let number = HandleNumber.next()
    values.withLock { $0[number] = value }
    guard let handle = OpaquePointer(bitPattern: number) else {
      preconditionFailure("numbers are not 0")
    }
    return handle
  }

  /// - Throws: when the handle is null, closed or never was one of this kind.
  subscript(handle: OpaquePointer?) -> Value {
    get throws {
      guard let handle else { throw CallError.null("the handle") }
      guard let value = values.withLock({ $0[UInt(bitPattern: handle)] }) else {
        throw CallError.closed
      }
      return value
    }
  }

  /// Forgets a handle.
  ///
  /// - Throws: as the subscript does.
  func remove(_ handle: OpaquePointer?) throws {
    guard let handle else { throw CallError.null("the handle") }
    // Let go outside of the lock: a value may take its time to close files.
    guard let value = values.withLock({ $0.removeValue(forKey: UInt(bitPattern: handle)) }) else {
      throw CallError.closed
    }
    withExtendedLifetime(value) {}
  }
}
