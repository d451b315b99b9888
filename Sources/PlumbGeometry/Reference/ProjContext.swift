import CPROJ
import PlumbCore

/// A PROJ context with one owner, without network access and without messages on stderr. The class
/// is not thread-safe.
final class ProjContext {
  let pointer: OpaquePointer
  private var messages: [String] = []

  /// - Throws: if PROJ is not installed.
  init() throws(GeometryError) {
    if let missing = plumb_proj_missing() {
      throw GeometryError(String(cString: missing), code: .missingLibrary)
    }
    pointer = proj_context_create()
    proj_context_set_enable_network(pointer, 0)
    proj_log_func(pointer, Unmanaged.passUnretained(self).toOpaque()) { owner, level, text in
      guard let owner, let text else { return }
      let context = Unmanaged<ProjContext>.fromOpaque(owner).takeUnretainedValue()
      if context.messages.count < 8 { context.messages.append(String(cString: text).printable) }
    }
    proj_log_level(pointer, PJ_LOG_ERROR)
  }

  deinit { proj_context_destroy(pointer) }

  /// The newest PROJ message since the last call, or `fallback`.
  func removeMessage(_ fallback: String) -> String {
    defer { messages = [] }
    return messages.last ?? fallback
  }
}
