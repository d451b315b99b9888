import CPROJ

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Checks the files that PROJ is about to open in contexts that other libraries create and do not expose.
///
/// A definition may name any file (`+init=/x:y`), and PROJ opens it while it parses the definition.
/// New contexts are copies of PROJ's default context, in which this class installs a file finder.
/// The finder never finds a file, but it receives the context that searches for a file, and thereby
/// gives access to the context.
package final class ProjFileGuard: Sendable {
  /// A function that returns whether to check the context that is searching for a file.
  package typealias Choice = @Sendable () -> Bool
  /// A function that decides whether PROJ may open a path: a file in a folder of PROJ's data, or a path in a
  /// definition.
  package typealias Verdict = @Sendable (_ path: String) -> Decision

  /// Whether PROJ may open a file.
  package enum Decision: Sendable {
    case allowed, refused
    /// PROJ opens an empty file instead.
    case empty
  }

  private let isNeeded: Choice
  private let allows: Verdict

  /// Installs the check for all contexts that are created afterwards; the check cannot be removed.
  ///
  /// - Parameters:
  ///   - isNeeded: called on the context's thread when the context searches for a file name without a folder.
  ///   - allows: called before a context for which `isNeeded` returned true opens any file.
  package static func install(isNeeded: @escaping Choice, allows: @escaping Verdict) {
    let fileGuard = ProjFileGuard(isNeeded: isNeeded, allows: allows)
    proj_context_set_file_finder(
      nil,
      { context, _, owner in
        guard let owner else { return nil }
        let fileGuard = Unmanaged<ProjFileGuard>.fromOpaque(owner).takeUnretainedValue()
        if fileGuard.isNeeded() { fileGuard.install(in: context) }
        return nil
      }, Unmanaged.passRetained(fileGuard).toOpaque())
  }

  private init(isNeeded: @escaping Choice, allows: @escaping Verdict) {
    self.isNeeded = isNeeded
    self.allows = allows
  }

  /// Makes the context open only files that are allowed.
  private func install(in context: OpaquePointer?) {
    var files = PROJ_FILE_API()
    files.version = 1
    files.open_cbk = { _, path, access, owner in
      guard let path, let owner else { return nil }
      let fileGuard = Unmanaged<ProjFileGuard>.fromOpaque(owner).takeUnretainedValue()
      switch fileGuard.allows(String(cString: path)) {
      case .allowed: break
      case .refused: return nil
      case .empty: return fmemopen(nil, 1, "w+b").map { OpaquePointer($0) }
      }
      let mode =
        switch access {
        case PROJ_OPEN_ACCESS_READ_UPDATE: "r+b"
        case PROJ_OPEN_ACCESS_CREATE: "w+b"
        default: "rb"
        }
      return fopen(path, mode).map { OpaquePointer($0) }
    }
    files.read_cbk = { _, file, buffer, size, _ in fread(buffer, 1, size, stream(file)) }
    files.write_cbk = { _, file, buffer, size, _ in fwrite(buffer, 1, size, stream(file)) }
    files.seek_cbk = { _, file, offset, whence, _ in
      fseek(stream(file), Int(offset), whence) == 0 ? 1 : 0
    }
    files.tell_cbk = { _, file, _ in UInt64(bitPattern: Int64(ftell(stream(file)))) }
    files.close_cbk = { _, file, _ in _ = fclose(stream(file)) }
    files.exists_cbk = { _, path, _ in path.map { access($0, F_OK) == 0 } == true ? 1 : 0 }
    files.mkdir_cbk = { _, path, _ in path.map { mkdir($0, 0o755) == 0 } == true ? 1 : 0 }
    files.unlink_cbk = { _, path, _ in path.map { unlink($0) == 0 } == true ? 1 : 0 }
    files.rename_cbk = { _, from, to, _ in
      guard let from, let to else { return 0 }
      return rename(from, to) == 0 ? 1 : 0
    }
    _ = proj_context_set_fileapi(context, &files, Unmanaged.passUnretained(self).toOpaque())
  }
}

private func stream(_ file: OpaquePointer?) -> UnsafeMutablePointer<FILE> {
  UnsafeMutablePointer(file!)
}
