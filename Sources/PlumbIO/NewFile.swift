#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Creates files and folders exclusively, so that two programs never write to the same file.
package enum NewFile {
  /// Creates a file with the given content.
  ///
  /// - Throws: if the path exists, or if the file cannot be written.
  package static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(SystemError) {
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

  package static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    var result: Result<Void, SystemError> = .success(())
    bytes.withUnsafeBytes { bytes in
      result = Result { () throws(SystemError) in try write(bytes, to: path) }
    }
    try result.get()
  }

  package static func makeFolder(_ path: String) throws(SystemError) {
    guard mkdir(path, 0o777) == 0 else { throw SystemError(path.printable) }
  }

  /// Moves a file, and atomically replaces the target if it exists.
  package static func move(_ path: String, to target: String) throws(SystemError) {
    guard rename(path, target) == 0 else { throw SystemError(target.printable) }
  }
}
