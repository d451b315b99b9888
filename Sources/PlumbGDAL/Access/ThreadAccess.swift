#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The restrictions that apply to one thread.
final class ThreadAccess {
  /// The restrictions; nil if the thread is not restricted.
  var access: GDALAccess?
  /// The first access that was blocked since the outermost restrictions were applied, as a clause.
  fileprivate(set) var refusal: String?

  /// The reason why bytes could not be fetched over a network during the current call of GDAL.
  var networkFault: String?

  /// The restriction on the files that PROJ may open on this thread while a document's source is
  /// open; nil until the thread's PROJ context in GDAL has been found.
  var projRestriction: ProjRestriction?

  /// The number of connections to SQLite files that were restricted on this thread.
  var restrictedConnections = 0

  /// The time at which the outermost restrictions were applied.
  private(set) var start = ContinuousClock.now

  func restart() {
    refusal = nil
    start = .now
  }

  /// Stores the first reason, because later failures are its consequences.
  func refuse(_ reason: String) { if refusal == nil { refusal = reason } }

  /// Returns the reason of the refusal, and clears it.
  func removeRefusal() -> String? {
    defer { refusal = nil }
    return refusal
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { value in
      #if canImport(Darwin)
        Unmanaged<ThreadAccess>.fromOpaque(value).release()
      #else
        if let value { Unmanaged<ThreadAccess>.fromOpaque(value).release() }
      #endif
    }
    return key
  }()

  static var current: ThreadAccess {
    if let value = pthread_getspecific(key) {
      return Unmanaged<ThreadAccess>.fromOpaque(value).takeUnretainedValue()
    }
    let made = ThreadAccess()
    pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
    return made
  }
}
