import PlumbCore
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The exclusive use of a store while dates are added to it.
final class StoreLock {
  private let file: Int32

  /// - Throws: if another run is adding dates to the store.
  init(_ store: String) throws {
    file = open(store + "/.zgroup", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw SystemError((store + "/.zgroup").printable) }
    // If the file system does not support locks, concurrent runs are not prevented.
    guard flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
      close(file)
      throw PlumbError("\(store.printable): another run adds dates to it", code: .system)
    }
  }

  deinit { close(file) }
}
