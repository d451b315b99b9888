/// WebSocket frames of a server, which are not fragmented and not masked (RFC 6455, 5.2).
enum SocketFrame {
  enum Kind: UInt8 { case text = 1, close = 8, ping, pong }

  /// Close codes (RFC 6455, 7.4.1).
  enum Code: UInt16 {
    case normal = 1000, goingAway, protocolError, unacceptable
    case invalidText = 1007
    case tooLarge = 1009
    case tryLater = 1013
  }

  static func append(_ kind: Kind, _ content: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(0x80 | kind.rawValue)
    switch content.count {
    case ...125: bytes.append(UInt8(truncatingIfNeeded: content.count))
    case ...0xFFFF:
      bytes.append(126)
      appendNumber(content.count, bytes: 2, to: &bytes)
    default:
      bytes.append(127)
      appendNumber(content.count, bytes: 8, to: &bytes)
    }
    bytes += content
  }

  private static func appendNumber(_ number: Int, bytes count: Int, to bytes: inout [UInt8]) {
    for shift in (0..<count).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift)))
    }
  }

  /// Returns a close frame, with as much of the reason as fits.
  static func close(_ code: Code, _ reason: String) -> [UInt8] {
    var content: [UInt8] = []
    appendNumber(Int(code.rawValue), bytes: 2, to: &content)
    var text = reason
    while text.utf8.count > 123 { text.removeLast() }
    content += text.utf8
    var bytes: [UInt8] = []
    append(.close, content, to: &bytes)
    return bytes
  }
}
