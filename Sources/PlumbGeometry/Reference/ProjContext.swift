import CPROJ
import PlumbCore
import Synchronization

/// A PROJ context with one owner, without network access and without messages on stderr. Not thread-safe.
///
/// A context opens PROJ's database and parses its schema when it first looks up a reference. A few contexts are
/// therefore kept for later owners.
final class ProjContext {
  let pointer: OpaquePointer
  private var messages: [String] = []

  /// Contexts without an owner.
  private static let idle = Mutex<[SharedPointer<OpaquePointer>]>([])
  /// The maximum number of contexts without an owner.
  private static let idleLimit = 4

  /// Whether a later owner may use the context. False if PROJ has cached that a grid is missing, which may be
  /// installed later.
  var isReusable = true

  /// - Throws: if PROJ is not installed.
  init() throws(GeometryError) {
    if let missing = plumb_proj_missing() {
      throw GeometryError(String(cString: missing), code: .missingLibrary)
    }
    let idle = Self.idle.withLock { $0.popLast() }
    pointer = idle?.pointer ?? proj_context_create()
    proj_context_set_enable_network(pointer, 0)
    proj_log_func(pointer, Unmanaged.passUnretained(self).toOpaque()) { owner, level, text in
      guard let owner, let text else { return }
      let context = Unmanaged<ProjContext>.fromOpaque(owner).takeUnretainedValue()
      if context.messages.count < 8 { context.messages.append(String(cString: text).printable) }
    }
    proj_log_level(pointer, PJ_LOG_ERROR)
  }

  deinit {
    proj_log_func(pointer, nil, nil)
    let (pointer, isReusable) = (SharedPointer(pointer), isReusable)
    let isKept = Self.idle.withLock { idle in
      guard isReusable, idle.count < Self.idleLimit else { return false }
      idle.append(pointer)
      return true
    }
    if !isKept { proj_context_destroy(pointer.pointer) }
  }

  /// The newest PROJ message since the last call, or `fallback`.
  func takeMessage(_ fallback: String) -> String {
    defer { messages = [] }
    return messages.last ?? fallback
  }
}
