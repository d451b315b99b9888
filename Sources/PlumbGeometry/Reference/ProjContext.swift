import CPROJ
import PlumbCore
import Synchronization

/// A PROJ context with one owner, without network access and without messages on stderr. The class
/// is not thread-safe.
///
/// PROJ opens its database when a definition needs it, which takes several milliseconds. For this
/// reason `init()` uses PROJ's context of an earlier object, if one is idle. PROJ does not tie contexts
/// to a thread.
final class ProjContext {
  let pointer: OpaquePointer
  private var isPooled: Bool
  private var messages: [String] = []

  /// PROJ's contexts that have no owner.
  private static let idle = Mutex<[SharedPointer<OpaquePointer>]>([])
  /// The maximum number of idle contexts, each with up to 2 MB of the database in memory.
  private static let limit = 8

  /// A context for definitions and their properties.
  ///
  /// - Throws: if PROJ is not installed, or if its database cannot be read.
  convenience init() throws(GeometryError) {
    if let found = Self.idle.withLock({ $0.popLast() }) {
      self.init(found.pointer, isPooled: true)
    } else {
      self.init(try Self.make(), isPooled: true)
      try checkDatabase()
    }
  }

  /// Checks that PROJ can read its database. Without the database, PROJ does not find most CRSs, reads
  /// others incompletely and does not find transformations.
  private func checkDatabase() throws(GeometryError) {
    if proj_context_get_database_path(pointer) != nil { return }
    isPooled = false
    // PROJ's message starts with the name of the function, and then with the SQL that failed.
    let reason = removeMessage("not found").split(separator: ": ").last ?? "not found"
    throw GeometryError(
      "PROJ cannot read its database proj.db (\(reason)); check PROJ_DATA and the installation of PROJ",
      code: .missingLibrary)
  }

  /// A separate context, for an operation that may be used for a long time.
  ///
  /// - Throws: if PROJ is not installed.
  static func separate() throws(GeometryError) -> ProjContext {
    ProjContext(try make(), isPooled: false)
  }

  private init(_ pointer: OpaquePointer, isPooled: Bool) {
    (self.pointer, self.isPooled) = (pointer, isPooled)
    proj_log_func(pointer, Unmanaged.passUnretained(self).toOpaque()) { owner, level, text in
      guard let owner, let text else { return }
      let context = Unmanaged<ProjContext>.fromOpaque(owner).takeUnretainedValue()
      if context.messages.count < 8 { context.messages.append(String(cString: text).printable) }
    }
  }

  private static func make() throws(GeometryError) -> OpaquePointer {
    if let missing = plumb_proj_missing() {
      throw GeometryError(String(cString: missing), code: .missingLibrary)
    }
    guard let pointer = proj_context_create() else {
      throw GeometryError("PROJ is out of memory", code: .missingLibrary)
    }
    proj_context_set_enable_network(pointer, 0)
    proj_log_level(pointer, PJ_LOG_ERROR)
    return pointer
  }

  deinit {
    var dropped: OpaquePointer? = pointer
    if isPooled {
      let shared = SharedPointer(pointer)
      let oldest = Self.idle.withLock { idle in
        idle.append(shared)
        return idle.count > Self.limit ? idle.removeFirst() : nil
      }
      dropped = oldest?.pointer
    }
    // The dropped context closes the database here, without the lock held.
    if let dropped { proj_context_destroy(dropped) }
  }

  /// The newest PROJ message since the last call, or `fallback`.
  func removeMessage(_ fallback: String) -> String {
    defer { messages = [] }
    return messages.last ?? fallback
  }
}
