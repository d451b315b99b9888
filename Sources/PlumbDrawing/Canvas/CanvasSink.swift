/// Collects the bytes that Cairo writes, or passes them on in chunks.
final class CanvasSink {
  /// The bytes that have not been passed on.
  private(set) var bytes: [UInt8] = []
  /// Receives chunks; nil to collect all bytes.
  var send: (([UInt8]) throws -> Void)?
  /// The error of `send`, after which no bytes are accepted.
  private(set) var failure: (any Error)?

  /// The chunk size in bytes.
  private static let chunk = 1 << 16
  /// Cairo's code `CAIRO_STATUS_WRITE_ERROR`.
  static let writeError: Int32 = 11

  /// Adds bytes.
  ///
  /// - Returns: false after a failure of `send`.
  func add(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
    guard failure == nil else { return false }
    bytes.append(contentsOf: part)
    guard let send else { return true }
    var start = 0
    do {
      while bytes.count - start >= Self.chunk {
        try send(Array(bytes[start..<start + Self.chunk]))
        start += Self.chunk
      }
    } catch {
      failure = error
      bytes = []
      return false
    }
    bytes.removeFirst(start)
    return true
  }

  /// Passes on the last bytes.
  func sendRest() throws {
    if !bytes.isEmpty { try send?(bytes) }
    bytes = []
  }
}
