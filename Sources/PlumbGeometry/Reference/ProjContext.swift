import CPROJ
import PlumbCore
import Synchronization

/// A PROJ context with one owner, without network access and without messages on stderr. The class
/// is not thread-safe.
///
/// A context opens PROJ's database when a definition needs it, which takes several milliseconds. For
/// this reason a context from `init()` uses a connection of an earlier context, if one is idle.
final class ProjContext {
  private let connection: Connection
  private let isPooled: Bool
  var pointer: OpaquePointer { connection.pointer }

  /// PROJ's own context and the messages that it has reported.
  ///
  /// Invariant: a connection has one owner at a time, either a context or the pool; the pool
  /// transfers the ownership while it holds its lock. PROJ does not tie contexts to a thread.
  private final class Connection: @unchecked Sendable {
    let pointer: OpaquePointer
    var messages: [String] = []

    init() throws(GeometryError) {
      if let missing = plumb_proj_missing() {
        throw GeometryError(String(cString: missing), code: .missingLibrary)
      }
      pointer = proj_context_create()
      proj_context_set_enable_network(pointer, 0)
      proj_log_func(pointer, Unmanaged.passUnretained(self).toOpaque()) { owner, level, text in
        guard let owner, let text else { return }
        let connection = Unmanaged<Connection>.fromOpaque(owner).takeUnretainedValue()
        guard connection.messages.count < 8 else { return }
        connection.messages.append(String(cString: text).printable)
      }
      proj_log_level(pointer, PJ_LOG_ERROR)
    }

    deinit { proj_context_destroy(pointer) }
  }

  private static let idle = Mutex<[Connection]>([])
  /// The maximum number of idle connections, each with up to 2 MB of the database in memory.
  private static let limit = 8

  /// A context for definitions and their properties.
  ///
  /// - Throws: if PROJ is not installed.
  init() throws(GeometryError) {
    isPooled = true
    if let found = Self.idle.withLock({ $0.popLast() }) {
      connection = found
    } else {
      connection = try Connection()
    }
  }

  /// A separate context, for an operation that may be used for a long time.
  ///
  /// - Throws: if PROJ is not installed.
  static func separate() throws(GeometryError) -> ProjContext { try ProjContext(Connection()) }

  private init(_ connection: Connection) {
    (self.connection, isPooled) = (connection, false)
  }

  deinit {
    guard isPooled else { return }
    connection.messages = []
    let dropped = Self.idle.withLock { idle in
      idle.append(connection)
      return idle.count > Self.limit ? idle.removeFirst() : nil
    }
    // The dropped connection is closed here, without the lock held.
    withExtendedLifetime(dropped) {}
  }

  /// The newest PROJ message since the last call, or `fallback`.
  func removeMessage(_ fallback: String) -> String {
    defer { connection.messages = [] }
    return connection.messages.last ?? fallback
  }
}
