#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The walls that stand on one thread.
final class ThreadAccess {
  /// Nil where nothing is walled off.
  var access: GDALAccess?
  /// What a wall has held back since the outermost one went up: a clause for people.
  fileprivate(set) var refusal: String?

  /// Why bytes did not come over a network for the call of GDAL that is under way.
  var networkFault: String?

  /// What PROJ may open on this thread while a document's source is open; nil as long as GDAL's own
  /// context of PROJ has not been reached here.
  var referenceWall: ReferenceWall?

  /// When the outermost wall went up.
  private(set) var start = ContinuousClock.now

  func restart() {
    refusal = nil
    start = .now
  }

  /// Keeps the first reason: what fails next fails because of it.
  func refuse(_ reason: String) { if refusal == nil { refusal = reason } }

  /// The reason, once.
  func takeRefusal() -> String? {
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
