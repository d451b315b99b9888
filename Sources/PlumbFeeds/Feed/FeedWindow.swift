import PlumbCore
import PlumbIO

/// A contiguous buffer of the bytes of a feed that have arrived and are still needed.
///
/// Positions are offsets from `base`. `fill()` moves the bytes in use, so that `start` becomes 0.
final class FeedWindow {
  private let input: ByteInput?
  /// Converts text in another encoding to UTF-8.
  private var recoder: TextRecoder?
  private let path: String
  private var buffer: TrivialBuffer<UInt8>
  /// The bytes in use are `start..<end`.
  private(set) var start = 0
  private(set) var end = 0
  /// Whether all bytes of the input have been read.
  private(set) var isAtEnd = false
  /// The number, from 1, of the line that contains `start`.
  private(set) var line = 1
  /// Whether the input is a pipe, whose bytes arrive as they are written, instead of a file.
  let isLive: Bool

  /// The maximum size in bytes of a line, a feature or a tag.
  static let limit = 4 << 20
  private static let firstSize = 256 << 10

  init(_ input: ByteInput, path: String) {
    self.input = input
    self.path = path
    isLive = input.byteCount == nil
    buffer = TrivialBuffer(count: Self.firstSize)
  }

  /// Whether the window was created with all bytes of its input.
  var isComplete: Bool { input == nil && recoder == nil }

  /// The bytes in use as XML.
  var xml: XMLWindow { XMLWindow(base, start..<end, isAtEnd: isAtEnd, isFull: isFull) }

  /// Creates a window that contains the whole input.
  init(_ bytes: [UInt8], name: String) {
    input = nil
    path = name
    isLive = false
    buffer = TrivialBuffer(bytes)
    (end, isAtEnd) = (bytes.count, true)
  }

  var base: UnsafePointer<UInt8> { UnsafePointer(buffer.base) }

  /// Whether the buffer is full, so that bytes have to be consumed before more can be read.
  var isFull: Bool { start == 0 && end >= Self.limit }

  /// Consumes the bytes before a position.
  func advance(to position: Int) {
    let bytes = base
    var breaks = 0
    for index in start..<position { breaks &+= bytes[index] == 0x0A ? 1 : 0 }
    line += breaks
    start = position
  }

  /// Consumes one line. `position` is the position after the newline of this line.
  func advancePastLine(to position: Int) {
    line += 1
    start = position
  }

  /// Decodes the bytes in the window and all further bytes from the encoding that the user has
  /// chosen.
  ///
  /// - Throws: when the bytes are not in that encoding.
  func recode() throws(PlumbError) {
    guard let name = TextEncoding.current else { return }
    var buffered = Array(bytes(start..<end))
    (start, end) = (0, 0)
    do {
      let isComplete = isAtEnd
      recoder = try TextRecoder(name) { [input] buffer in
        if buffered.isEmpty { return isComplete ? 0 : try input?.read(buffer) ?? 0 }
        let count = min(buffer.count, buffered.count)
        buffered.withUnsafeBytes {
          buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
        buffered.removeFirst(count)
        return count
      }
    } catch {
      throw PlumbError("\(path.printable)", error)
    }
    isAtEnd = false
    try fill()
  }

  /// Waits for more bytes and reads them.
  func fill() throws(PlumbError) {
    guard !isAtEnd, input != nil || recoder != nil else { return }
    let kept = end - start
    if start > 0 {
      buffer.base.update(from: buffer.base + start, count: kept)
      (start, end) = (0, kept)
    }
    if end == buffer.count {
      let larger = TrivialBuffer<UInt8>(count: min(buffer.count * 2, Self.limit))
      guard larger.count > end else { return }
      larger.base.update(from: buffer.base, count: end)
      buffer = larger
    }
    do {
      let target = UnsafeMutableRawBufferPointer(
        start: buffer.base + end, count: buffer.count - end)
      let got = try recoder?.read(target) ?? input?.read(target) ?? 0
      if got == 0 { isAtEnd = true }
      end += got
    } catch let error as FormatError {
      throw PlumbError("\(path.printable)", error)
    } catch {
      throw PlumbError(error)
    }
  }

  /// Moves bytes out of the window. If the window is empty, waits for more bytes first.
  ///
  /// - Returns: the number of bytes; 0 at the end.
  func read(into target: UnsafeMutableRawBufferPointer) throws(PlumbError) -> Int {
    if start == end { try fill() }
    let count = min(target.count, end - start)
    target.copyMemory(from: UnsafeRawBufferPointer(start: base + start, count: count))
    start += count
    return count
  }

  /// Waits for more bytes, or for the end, with a timeout.
  ///
  /// - Returns: false if nothing arrived within the time.
  func hasMore(within milliseconds: Int32) throws(PlumbError) -> Bool {
    guard !isAtEnd, let input, recoder?.hasMore != true else { return true }
    do {
      return try input.isReadable(withinMilliseconds: milliseconds)
    } catch {
      throw PlumbError(error)
    }
  }

  /// Skips a byte order mark, and rejects compressed bytes and text in encodings with code units
  /// wider than a byte. The window must contain the first bytes of the input.
  ///
  /// - Parameter allowsBinary: whether the bytes may begin in the middle of a receiver's binary
  ///   packet.
  func checkEncoding(allowsBinary: Bool) throws(PlumbError) {
    let head = UnsafeBufferPointer(start: base + start, count: min(4, end - start))
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { return start += 3 }
    let hasMark = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
    let isWide = hasMark && (!allowsBinary || head.dropFirst(2).contains(0))
    if isWide || !allowsBinary && head.prefix(2).contains(0) { throw binaryError }
    if head.starts(with: [0x1F, 0x8B]) {
      throw PlumbError("\(path.printable) is compressed; unpack it first")
    }
    if let kind = Self.binaryKinds.first(where: { head.starts(with: $0.start) }) {
      throw PlumbError(
        "\(path.printable) is \(kind.name), which is not a feed format; convert it, for example "
          + "to GeoJSON with ogr2ogr")
    }
  }

  /// Binary formats, by their first bytes.
  private static let binaryKinds: [(start: [UInt8], name: String)] = [
    (Array("SQLi".utf8), "a GeoPackage or another SQLite database"),
    (Array("PAR1".utf8), "a Parquet file"), (Array("ARRO".utf8), "an Arrow file"),
    ([0xFF, 0xFF, 0xFF, 0xFF], "an Arrow stream"),
    (Array("fgb".utf8), "a FlatGeobuf file"), ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive"),
    ([0x89, 0x48, 0x44, 0x46], "an HDF5 or NetCDF file"), (Array("CDF".utf8), "a NetCDF file"),
    ([0, 0, 0x27, 0x0A], "a Shapefile"),
  ]

  var binaryError: PlumbError {
    PlumbError("\(path.printable): UTF-16, UTF-32 or binary; a feed is UTF-8 text")
  }
}
