import CGEOS
import PlumbCore

/// A GEOS context with one owner. The class is not thread-safe.
final class GEOSContext {
  let handle: GEOSContextHandle_t
  private var message: String?

  /// - Throws: if GEOS is not installed.
  init() throws(GeometryError) {
    if let missing = plumb_geos_missing() {
      throw GeometryError(String(cString: missing), code: .missingLibrary)
    }
    _ = Self.endsCancelledCalls
    handle = GEOS_init_r()
    GEOSContext_setErrorMessageHandler_r(
      handle,
      { text, owner in
        guard let owner, let text else { return }
        let context = Unmanaged<GEOSContext>.fromOpaque(owner).takeUnretainedValue()
        context.message = String(cString: text).printable
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { GEOS_finish_r(handle) }

  /// Registers, once per process, a callback that makes GEOS calls fail early when the calling thread's work
  /// is cancelled.
  private static let endsCancelledCalls: Void = plumb_geos_end_calls {
    WorkCancellation.isCurrentCancelled
  }

  /// An error with GEOS's message about its last failure.
  func failure(_ operation: String) -> GeometryError {
    defer { message = nil }
    return GeometryError("\(operation): \(message ?? "GEOS gives no reason")")
  }

  /// Takes ownership of a new shape from GEOS.
  func adopt(
    _ pointer: OpaquePointer?, _ operation: String
  ) throws(GeometryError) -> GEOSShape {
    guard let pointer else { throw failure(operation) }
    return GEOSShape(pointer, self)
  }

  /// The result of a GEOS predicate as a boolean.
  func checkedResult(_ result: CChar, _ operation: String) throws(GeometryError) -> Bool {
    guard result == 0 || result == 1 else { throw failure(operation) }
    return result == 1
  }
}

/// A GEOS geometry with one owner.
struct GEOSShape: ~Copyable {
  let pointer: OpaquePointer
  let context: GEOSContext
  private var isOwner = true

  init(_ pointer: OpaquePointer, _ context: GEOSContext) {
    self.pointer = pointer
    self.context = context
  }

  deinit {
    if isOwner { GEOSGeom_destroy_r(context.handle, pointer) }
  }

  /// Transfers ownership of the shape to the caller, for example for a GEOS collection.
  consuming func take() -> OpaquePointer {
    isOwner = false
    return pointer
  }
}
