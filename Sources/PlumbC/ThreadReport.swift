import CPlumb
import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The error and warnings of a thread's last call. Each thread has its own report, which is freed when
/// the thread ends.
final class ThreadReport {
  /// The code of the error; empty if there is no error.
  private var code = Text()
  private var message = Text()
  /// Warnings of the last call.
  var warnings: [String] = []

  /// A string for C, in memory that the report owns or as a constant.
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

  /// Clears the report of the previous call.
  func clear() {
    code.set("")
    message.set("")
    if !warnings.isEmpty { warnings = [] }
  }

  /// Records an error.
  ///
  /// - Returns: the return value of the call.
  func fail(_ error: any Error) -> CInt {
    let (code, message) = CallError.facts(of: error)
    self.code.set(code)
    self.message.set(message)
    return code == "cancelled" ? PLUMB_CANCELLED : PLUMB_FAILED
  }

  /// Records that the process was forked, without using anything that may take a lock.
  func failForked() -> CInt {
    code.set("forked" as StaticString)
    message.set(
      """
      the process was forked after Plumb was loaded: start processes before that, or \
      spawn them
      """ as StaticString)
    return PLUMB_FAILED
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { pointer in
      // The parameter is an optional on Linux, but not on Darwin.
      let pointer: UnsafeMutableRawPointer? = pointer
      if let pointer { Unmanaged<ThreadReport>.fromOpaque(pointer).release() }
    }
    return key
  }()

  /// The report of the calling thread.
  static var current: ThreadReport {
    if let known = pthread_getspecific(key) {
      return Unmanaged<ThreadReport>.fromOpaque(known).takeUnretainedValue()
    }
    let report = ThreadReport()
    pthread_setspecific(key, Unmanaged.passRetained(report).toOpaque())
    return report
  }
}
