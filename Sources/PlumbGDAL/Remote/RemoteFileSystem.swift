import CGDAL
import PlumbCore
import PlumbIO
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A GDAL file system for files that Plumb downloads: `/vsiplumb/NUMBER/NAME`.
enum RemoteFileSystem {
  private static let prefix = "/vsiplumb/"

  private struct Entry: Sendable {
    weak let raster: RemoteRaster?
  }

  private struct State: Sendable {
    var next = 0
    var byNumber: [Substring: Entry] = [:]
    /// The number of the newest raster with each name. The names are those used in messages.
    var numbers: [String: Substring] = [:]

    /// The caller must return the result from the closure that holds the lock, so that the last
    /// reference to a raster is not released while the lock is held.
    func raster(called name: String, _ settings: HTTPSettings) -> RemoteRaster? {
      guard let raster = numbers[name].flatMap({ byNumber[$0]?.raster }),
        raster.settings == settings, raster.file.isUsable
      else { return nil }
      return raster
    }
  }

  private static let state = Mutex(State())

  // MARK: Names

  static func newName(_ shown: String) -> String {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    return "\(prefix)\(number)/\(shown)"
  }

  /// A raster that is already open with the same settings.
  static func raster(called name: String, _ settings: HTTPSettings) -> RemoteRaster? {
    state.withLock { $0.raster(called: name, settings) }
  }

  /// - Returns: the registered raster. If another thread has already registered a raster of the
  ///   same file, the result is the raster of the other thread.
  static func add(_ raster: RemoteRaster) -> RemoteRaster {
    _ = installed
    guard let (number, _) = parts(raster.gdalName.dropFirst(prefix.count)) else { return raster }
    return state.withLock { state in
      if let known = state.raster(called: raster.shown, raster.settings) { return known }
      state.numbers[raster.shown] = number
      state.byNumber[number] = Entry(raster: raster)
      return raster
    }
  }

  static func forget(_ gdalName: String) {
    guard let (number, shown) = parts(gdalName.dropFirst(prefix.count)) else { return }
    state.withLock { state in
      state.byNumber[number] = nil
      if state.numbers[String(shown)] == number { state.numbers[String(shown)] = nil }
    }
  }

  private static func parts(_ name: Substring) -> (number: Substring, name: Substring)? {
    guard let slash = name.firstIndex(of: "/") else { return nil }
    return (name[..<slash], name[name.index(after: slash)...])
  }

  /// A message in which GDAL's names of remote files are replaced by the names that users
  /// specified.
  static func plain(_ text: String) -> String {
    guard text.contains(prefix) else { return text }
    var result = ""
    var rest = text[...]
    while let range = rest.firstRange(of: prefix) {
      result += rest[..<range.lowerBound]
      rest = rest[range.upperBound...].drop { $0.isNumber }.dropFirst()
    }
    return result + rest
  }

  // MARK: GDAL's callbacks

  /// A file that is open in GDAL.
  private final class Handle {
    let file: RemoteFile
    /// The raster. This reference keeps the raster registered.
    let raster: RemoteRaster
    var position = 0
    var isAtEnd = false

    init(_ file: RemoteFile, of raster: RemoteRaster) { (self.file, self.raster) = (file, raster) }

    static func of(_ pointer: UnsafeMutableRawPointer?) -> Handle? {
      pointer.map { Unmanaged<Handle>.fromOpaque($0).takeUnretainedValue() }
    }
  }

  /// Opens the file with a name in GDAL's file system; nil if the file does not exist or is not
  /// allowed. A file is allowed if the thread may use a network, or if the file is downloaded with
  /// the settings of the thread's access.
  private static func find(_ name: UnsafePointer<CChar>?) -> Handle? {
    let access = ThreadAccess.current.access
    guard let name, let (number, shown) = parts(Substring(String(cString: name))),
      let raster = state.withLock({ $0.byNumber[number]?.raster }),
      access?.allowsNetwork ?? true || access?.fetching == raster.settings,
      let file = raster.file(named: String(shown))
    else { return nil }
    return Handle(file, of: raster)
  }

  private static let installed: Void = {
    guard let calls = VSIAllocFilesystemPluginCallbacksStruct() else { return }
    defer { VSIFreeFilesystemPluginCallbacksStruct(calls) }
    calls.pointee.stat = { _, name, facts, _ in
      guard let handle = RemoteFileSystem.find(name) else {
        errno = ENOENT
        return -1
      }
      plumb_gdal_file_facts(facts, Int64(handle.file.byteCount))
      return 0
    }
    calls.pointee.open = { _, name, mode in
      guard let mode, mode.pointee == UInt8(ascii: "r"), mode[1] != UInt8(ascii: "+"),
        let handle = RemoteFileSystem.find(name)
      else {
        errno = ENOENT
        return nil
      }
      return Unmanaged.passRetained(handle).toOpaque()
    }
    calls.pointee.tell = { UInt64(Handle.of($0)?.position ?? 0) }
    calls.pointee.seek = { pointer, offset, whence in
      guard let handle = Handle.of(pointer) else { return -1 }
      let start =
        whence == SEEK_SET ? 0 : whence == SEEK_CUR ? handle.position : handle.file.byteCount
      // A negative offset is passed as an unsigned number with the same bits.
      let (target, overflow) = start.addingReportingOverflow(Int(truncatingIfNeeded: offset))
      guard !overflow, target >= 0 else { return -1 }
      handle.position = target
      handle.isAtEnd = false
      return 0
    }
    calls.pointee.read = { pointer, target, size, count in
      guard let handle = Handle.of(pointer), let target, size > 0 else { return 0 }
      let (wanted, overflow) = size.multipliedReportingOverflow(by: count)
      guard !overflow else { return 0 }
      do throws(HTTPError) {
        let got = try handle.file.read(
          UnsafeMutableRawBufferPointer(start: target, count: wanted), at: handle.position)
        handle.position += got
        handle.isAtEnd = got < wanted
        return got / size
      } catch {
        ThreadAccess.current.networkFault = error.message
        return 0
      }
    }
    calls.pointee.eof = { Handle.of($0).map { $0.isAtEnd ? 1 : 0 } ?? 1 }
    calls.pointee.close = { pointer in
      if let pointer { Unmanaged<Handle>.fromOpaque(pointer).release() }
      return 0
    }
    // GDAL keeps a pointer to this string, so the string is not freed.
    guard let prefix = strdup(prefix) else { return }
    VSIInstallPluginHandler(prefix, calls)
  }()
}
