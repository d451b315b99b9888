import PlumbCore
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writes the files of a store.
enum StoreFile {
  /// Writes a new file.
  static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(SystemError) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw SystemError(path.printable) }
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      #if canImport(Darwin)
        let count = Darwin.write(file, base + done, bytes.count - done)
      #else
        let count = Glibc.write(file, base + done, bytes.count - done)
      #endif
      if count < 0 {
        if errno == EINTR { continue }
        let error = SystemError(path.printable)
        close(file)
        throw error
      }
      done += count
    }
    guard close(file) == 0 else { throw SystemError(path.printable) }
  }

  static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    var result: Result<Void, SystemError> = .success(())
    bytes.withUnsafeBytes { bytes in
      result = Result { () throws(SystemError) in try write(bytes, to: path) }
    }
    try result.get()
  }

  static func makeFolder(_ path: String) throws(SystemError) {
    guard mkdir(path, 0o777) == 0 else { throw SystemError(path.printable) }
  }

  /// Moves a file, which replaces another one at once.
  static func move(_ path: String, to target: String) throws(SystemError) {
    guard rename(path, target) == 0 else { throw SystemError(target.printable) }
  }
}

/// The exclusive use of a store while dates are added to it.
final class StoreLock {
  private let file: Int32

  /// - Throws: if another run adds dates to the store.
  init(_ store: String) throws {
    file = open(store + "/.zgroup", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw SystemError((store + "/.zgroup").printable) }
    // If the file system has no locks, runs are not excluded.
    guard flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
      close(file)
      throw PlumbError("\(store.printable): another run adds dates to it", code: .system)
    }
  }

  deinit { close(file) }
}
