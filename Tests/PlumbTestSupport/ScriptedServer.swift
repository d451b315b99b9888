import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A web server on the loopback interface that sends a test's replies and records the requests.
public final class ScriptedServer: Sendable {
  /// A received request.
  public struct Request: Sendable {
    public var method: String
    /// The path, without the query.
    public var path: String
    /// The decoded parameters of the query and of a posted form.
    public var parameters: [String: String]
    /// Headers by lower-case name.
    public var headers: [String: String]
    public var body: String
  }

  /// A reply.
  public struct Reply: Sendable {
    public var status = "200 OK"
    public var headers: [String] = []
    public var body = Data()
    /// The number of bytes of the body to send; nil for all.
    public var truncated: Int?

    public init(_ body: String, type: String = "application/json", status: String = "200 OK") {
      self.status = status
      self.body = Data(body.utf8)
      headers = ["Content-Type: \(type)"]
    }
  }

  public let port: UInt16
  private let file: Int32
  private let answer: @Sendable (Request) -> Reply
  private let received = Mutex<[Request]>([])

  /// The requests so far.
  public var requests: [Request] { received.withLock { $0 } }

  public init(answer: @escaping @Sendable (Request) -> Reply) throws {
    self.answer = answer
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    file = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (descriptor, length) = (file, size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && listen(descriptor, 128) == 0
          && getsockname(descriptor, address, &size) == 0
      }
    }
    guard bound else { throw POSIXError(.EADDRNOTAVAIL) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0, let self else {
          if connection >= 0 { close(connection) }
          return
        }
        Thread.detachNewThread {
          self.serve(connection)
          close(connection)
        }
      }
    }
  }

  deinit {
    shutdown(file, Int32(2))
    close(file)
  }

  /// An address on the server.
  public func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

  private func serve(_ connection: Int32) {
    guard let request = read(connection) else { return }
    received.withLock { $0.append(request) }
    let reply = answer(request)
    var head = ["HTTP/1.1 \(reply.status)"] + reply.headers
    head += ["Content-Length: \(reply.body.count)", "Connection: close"]
    let bytes = Data((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    send(bytes + reply.body.prefix(reply.truncated ?? reply.body.count), to: connection)
  }

  private func send(_ data: Data, to connection: Int32) {
    var rest = data[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        #if canImport(Darwin)
          write(connection, bytes.baseAddress, bytes.count)
        #else
          Glibc.send(
            connection, bytes.baseAddress, bytes.count, Int32(truncatingIfNeeded: MSG_NOSIGNAL))
        #endif
      }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }

  private func read(_ connection: Int32) -> Request? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var end: Int?
    while end == nil {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { return nil }
      bytes += buffer[..<count]
      end = bytes.indices.first { bytes[$0...].starts(with: [13, 10, 13, 10]) }
    }
    let lines = String(decoding: bytes[..<(end ?? 0)], as: UTF8.self).components(
      separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count == 3 else { return nil }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] =
        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    var body = Array(bytes[((end ?? 0) + 4)...])
    while body.count < Int(headers["content-length"] ?? "") ?? 0 {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { break }
      body += buffer[..<count]
    }
    let parts = words[1].split(separator: "?", maxSplits: 1).map(String.init)
    let text = String(decoding: body, as: UTF8.self)
    var parameters = Self.parameters(parts.count > 1 ? parts[1] : "")
    parameters.merge(Self.parameters(text)) { $1 }
    return Request(
      method: String(words[0]), path: parts[0], parameters: parameters, headers: headers, body: text
    )
  }

  private static func parameters(_ text: String) -> [String: String] {
    var found: [String: String] = [:]
    for part in text.split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = halves.count > 1 ? String(halves[1]) : ""
      found[String(halves[0])] = value.removingPercentEncoding ?? value
    }
    return found
  }
}
