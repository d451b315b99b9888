import Foundation
import PlumbTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A connection that a test reads incrementally.
final class Wire {
  let handle: Int32
  private(set) var bytes: [UInt8] = []
  private var isClosed = false

  /// - Parameter bufferSize: the system's receive buffer in bytes; nil for the default.
  init(_ server: RunningServer, bufferSize: Int32? = nil) throws {
    handle = try server.connect()
    if var bufferSize {
      setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &bufferSize, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  deinit { leave() }

  func leave() {
    if !isClosed { close(handle) }
    isClosed = true
  }

  func send(_ bytes: [UInt8]) throws { try RunningServer.send(bytes, to: handle) }

  /// Sends a space, and returns whether the connection accepts it.
  func acceptsByte() -> Bool {
    Glibc.send(handle, " ", 1, Int32(truncatingIfNeeded: MSG_NOSIGNAL)) == 1
  }

  func sendRequest(_ server: RunningServer, _ path: String, _ headers: [String: String] = [:])
    throws
  {
    let all = ["Host": "127.0.0.1:\(server.port)"].merging(headers) { $1 }
    let lines = all.map { "\($0): \($1)\r\n" }.joined()
    try send(Array("GET \(path) HTTP/1.1\r\n\(lines)\r\n".utf8))
  }

  /// Reads the available bytes.
  ///
  /// - Returns: false at the end.
  @discardableResult
  func more(limit: Int = 1 << 16) -> Bool {
    let part = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      count = max(0, recv(handle, buffer.baseAddress, buffer.count, 0))
    }
    bytes += part
    return !part.isEmpty
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Reads until the recent text contains something.
  func read(until mark: String) throws {
    while !String(decoding: bytes.suffix(1 << 16), as: UTF8.self).contains(mark) {
      try #require(more(), "\(mark) in \(text.suffix(2000))")
    }
  }

  /// Reads to the end.
  func readAll() { while more() {} }

  // MARK: Server-sent events

  /// The blocks so far, except heartbeats, each as the names of its lines.
  var blocks: [[String: String]] {
    let body = text.firstRange(of: "\r\n\r\n").map { text[$0.upperBound...] } ?? ""
    var blocks = body.components(separatedBy: "\n\n")
    // The last block may be incomplete.
    blocks.removeLast()
    return blocks.filter { !$0.hasPrefix(":") }.map { block in
      var lines: [String: String] = [:]
      for line in block.split(separator: "\n") {
        let parts = line.components(separatedBy: ": ")
        lines[parts[0]] = parts.dropFirst().joined(separator: ": ")
      }
      return lines
    }
  }

  /// The blocks that clients show.
  var events: [[String: String]] { blocks.filter { $0["data"] != nil } }

  func read(events count: Int) throws {
    while events.count < count { try #require(more(), "\(events.count) of \(count): \(text)") }
  }

  // MARK: WebSocket

  /// Performs the handshake; the bytes after the head remain to be read.
  func upgrade(
    _ server: RunningServer, _ path: String, _ headers: [String: String] = [:]
  ) throws -> String {
    let all = [
      "Upgrade": "websocket", "Connection": "Upgrade",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13",
    ].merging(headers) { $1 }
    try sendRequest(server, path, all.filter { !$0.value.isEmpty })
    try read(until: "\r\n\r\n")
    let end = try #require(bytes.indices.first { bytes[$0...].starts(with: [13, 10, 13, 10]) })
    let head = String(decoding: bytes[..<end], as: UTF8.self)
    bytes.removeFirst(end + 4)
    return head
  }

  /// Sends a frame as a client does.
  func send(
    frame opcode: UInt8, _ content: [UInt8], isLast: Bool = true, isMasked: Bool = true,
    reserved: UInt8 = 0
  ) throws {
    var frame = [(isLast ? 0x80 : 0) | reserved | opcode]
    let mask: UInt8 = isMasked ? 0x80 : 0
    if content.count < 126 {
      frame.append(mask | UInt8(content.count))
    } else {
      frame += [mask | 127] + (0..<8).reversed().map { UInt8(content.count >> (8 * $0) & 255) }
    }
    let key: [UInt8] = [7, 99, 200, 1]
    if isMasked { frame += key }
    try send(frame + content.enumerated().map { isMasked ? $1 ^ key[$0 & 3] : $1 })
  }

  /// The next frame.
  func frame() throws -> (opcode: UInt8, content: [UInt8]) {
    func need(_ count: Int) throws {
      while bytes.count < count { try #require(more(), "the connection ended") }
    }
    try need(2)
    try #require(bytes[0] & 0x80 != 0 && bytes[1] & 0x80 == 0)
    var (start, count) = (2, Int(bytes[1]))
    if count > 125 {
      start = count == 126 ? 4 : 10
      try need(start)
      count = bytes[2..<start].reduce(0) { $0 << 8 | Int($1) }
    }
    try need(start + count)
    let opcode = bytes[0] & 15
    let content = Array(bytes[start..<start + count])
    bytes.removeFirst(start + count)
    return (opcode, content)
  }

  /// The next message.
  func message() throws -> [String: Any] {
    while true {
      let frame = try frame()
      if frame.opcode == 9 { continue }
      try #require(frame.opcode == 1, "\(frame)")
      let value = try JSONSerialization.jsonObject(with: Data(frame.content))
      return try #require(value as? [String: Any])
    }
  }

  /// The code of the closing frame; messages before it are skipped.
  func closeCode() throws -> Int {
    while true {
      let frame = try frame()
      if frame.opcode == 8 { return Int(frame.content[0]) << 8 | Int(frame.content[1]) }
    }
  }
}
