import CPlumb
import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What became of a thread's last call. Each thread has its own and frees it when it ends.
final class ThreadReport {
  /// Memory of the report's own, or a constant.
  private var code = Text()
  private var message = Text()
  /// Lines about the last call.
  var warnings: [String] = []

  /// A text that C reads.
  private struct Text {
    var owned: UnsafeMutablePointer<CChar>?
    var constant: StaticString = ""

    var pointer: UnsafePointer<CChar> {
      if let owned { return UnsafePointer(owned) }
      return UnsafeRawPointer(constant.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    mutating func set(_ text: String) {
      clear()
      owned = strdup(text)
    }

    mutating func set(_ text: StaticString) {
      clear()
      constant = text
    }

    private mutating func clear() {
      free(owned)
      owned = nil
      constant = ""
    }
  }

  deinit {
    code.set("")
    message.set("")
  }

  var codePointer: UnsafePointer<CChar> { code.pointer }
  var messagePointer: UnsafePointer<CChar> { message.pointer }

  /// Forgets the call before.
  func clear() {
    code.set("")
    message.set("")
    if !warnings.isEmpty { warnings = [] }
  }

  /// Keeps an error.
  ///
  /// - Returns: what the call returns.
  func fail(_ error: any Error) -> CInt {
    let (code, message) = CallError.facts(of: error)
    self.code.set(code)
    self.message.set(message)
    return code == "cancelled" ? PLUMB_CANCELLED : PLUMB_FAILED
  }

  /// Keeps that the process was forked, without anything that a lock may stand before.
  func failForked() -> CInt {
    code.set("forked" as StaticString)
    message.set(
      """
      the process was forked after Plumb had been loaded in it: start processes before that, or by \
      spawning
      """ as StaticString)
    return PLUMB_FAILED
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { pointer in
      // Darwin's may be none.
      let pointer: UnsafeMutableRawPointer? = pointer
      if let pointer { Unmanaged<ThreadReport>.fromOpaque(pointer).release() }
    }
    return key
  }()

  /// The calling thread's.
  static var current: ThreadReport {
    if let known = pthread_getspecific(key) {
      return Unmanaged<ThreadReport>.fromOpaque(known).takeUnretainedValue()
    }
    let report = ThreadReport()
    pthread_setspecific(key, Unmanaged.passRetained(report).toOpaque())
    return report
  }
}
