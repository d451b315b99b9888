import CTIFF
import PlumbCore
import PlumbIO
import PlumbRaster

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An open libtiff handle with its last error message. The handle is closed when the object is
/// released. Only one thread may use the object.
final class TIFFHandle {
  /// A remote file and its last error.
  private final class Ranges {
    let file: RemoteFile
    var fault: RasterError?

    init(_ file: RemoteFile) { self.file = file }

    func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
      do throws(HTTPError) {
        return try file.read(target, at: offset)
      } catch {
        fault = RasterError(error)
        return nil
      }
    }
  }

  let tiff: OpaquePointer
  private let message: UnsafeMutablePointer<plumb_tiff_message>
  private let ranges: Ranges?
  /// The callbacks with which libtiff reads a remote file; nil for a local file.
  private let door: UnsafeMutablePointer<plumb_tiff_ranges>?

  /// - Parameter remote: the remote file; nil for a local file.
  init?(path: String, remote: RemoteFile?, largestTile: Int) {
    let message = UnsafeMutablePointer<plumb_tiff_message>.allocate(capacity: 1)
    message.initialize(to: plumb_tiff_message())
    // libtiff's memory limit is twice the size of a tile, because the codec also needs memory, and
    // at least 64 MB, for the tables of offsets.
    let limit = Int64(max(64 << 20, largestTile.multipliedReportingOverflow(by: 2).partialValue))
    var opened: OpaquePointer?
    ranges = remote.map { Ranges($0) }
    if let ranges {
      let door = UnsafeMutablePointer<plumb_tiff_ranges>.allocate(capacity: 1)
      door.initialize(to: Self.door(to: ranges))
      self.door = door
      opened = plumb_tiff_open_ranges(path, door, message, limit)
    } else {
      door = nil
      opened = plumb_tiff_open(path, message, limit)
    }
    guard let opened else {
      message.deallocate()
      door?.deallocate()
      return nil
    }
    tiff = opened
    self.message = message
  }

  deinit {
    TIFFClose(tiff)
    message.deallocate()
    door?.deallocate()
  }

  private static func door(to ranges: Ranges) -> plumb_tiff_ranges {
    plumb_tiff_ranges(
      read: { context, bytes, count, offset in
        guard let context, let bytes else { return -1 }
        let ranges = Unmanaged<Ranges>.fromOpaque(context).takeUnretainedValue()
        let target = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
        return ranges.read(target, at: Int(offset)).map { Int64($0) } ?? -1
      },
      context: Unmanaged.passUnretained(ranges).toOpaque(), size: Int64(ranges.file.byteCount),
      position: 0)
  }

  // MARK: Bytes

  var isRemote: Bool { ranges != nil }

  /// Reads bytes of the file; returns false unless all of them are read.
  func read(_ target: UnsafeMutableRawBufferPointer, at start: Int) -> Bool {
    if let ranges { return ranges.read(target, at: start) == target.count }
    guard let base = target.baseAddress else { return true }
    let file = TIFFFileno(tiff)
    var done = 0
    while done < target.count {
      let count = pread(file, base + done, target.count - done, off_t(start + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  // MARK: Faults

  func forgetFaults() {
    message.pointee.text.0 = 0
    ranges?.fault = nil
  }

  /// The network error since errors were last cleared; nil if there is none.
  var networkFault: RasterError? { ranges?.fault }

  var lastMessage: String? {
    if let fault = networkFault { return fault.message }
    let text = withUnsafeBytes(of: &message.pointee.text) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    return text.isEmpty ? nil : text.printable
  }
}
