import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A web server on the loopback interface that serves the files of a folder, supports range
/// requests, counts the requests, and can inject faults.
public final class RangeServer: Sendable {
  public struct Request: Sendable, Hashable {
    public var method: String
    public var path: String
    public var range: String?
    /// The header lines.
    public var lines: [String] = []
    /// The number of bytes sent of the response body.
    public var byteCount = 0
  }

  /// A fault of a response.
  public enum Fault: Sendable {
    /// Sends this many bytes of a body with a greater length, then closes the connection.
    case short(Int)
    /// Sends this many bytes of a body without a length, then closes the connection.
    case shortUnsaid(Int)
    /// Sends this many bytes of the body, then resets the connection.
    case reset(Int)
    /// More bytes than the range has, with a matching length.
    case long(Int)
    /// No `Content-Range` header.
    case noContentRange
    case contentRange(String)
    /// A status line without a reason, and parts of a file of unknown length: `bytes 0-99/*`.
    case terse
    /// The whole file, with status 200.
    case whole
    /// A `Content-Encoding: gzip` header.
    case packed
    /// Another status, with other headers.
    case status(String, headers: String = "")
    /// No response, and the connection is closed.
    case nothing
  }

  private struct State {
    var requests: [Request] = []
    var connections = 0
    /// The number of requests read; some responses may not have been sent yet.
    var readCount = 0
  }

  public let port: UInt16
  private let file: Int32
  private let folder: String
  private let lists: Bool
  private let hasRanges: Bool
  private let delay: Double
  private let fault: @Sendable (Int, Request) -> Fault?
  private let state = Mutex(State())

  /// The requests so far.
  public var requests: [Request] { state.withLock { $0.requests } }

  /// The number of connections so far.
  public var connections: Int { state.withLock { $0.connections } }

  public func forget() { state.withLock { $0 = State() } }

  /// - Parameters:
  ///   - lists: whether a folder's address returns a page with its files.
  ///   - hasRanges: whether range requests are supported.
  ///   - delay: seconds before each response.
  ///   - fault: the fault of a response, given the number of requests before it; nil for none.
  public init(
    folder: String, lists: Bool = false, hasRanges: Bool = true, delay: Double = 0,
    fault: @escaping @Sendable (_ number: Int, _ request: Request) -> Fault? = { _, _ in nil }
  ) throws {
    (self.folder, self.lists, self.hasRanges) = (folder, lists, hasRanges)
    (self.delay, self.fault) = (delay, fault)
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
        bind(descriptor, address, length) == 0 && listen(descriptor, 64) == 0
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
        self.state.withLock { $0.connections += 1 }
        Thread.detachNewThread {
          while self.respond(connection) {}
          close(connection)
        }
      }
    }
  }

  deinit {
    shutdown(file, Int32(2))
    close(file)
  }

  public func url(_ name: String) -> String { "http://127.0.0.1:\(port)/\(name)" }

  // MARK: Replies

  private struct Response {
    var status: String
    var headers: [String] = []
    var body = Data()
  }

  /// - Returns: whether the connection stays open.
  private func respond(_ connection: Int32) -> Bool {
    guard let lines = readHead(connection) else { return false }
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3 else { return false }
    let range = lines.first { $0.lowercased().hasPrefix("range:") }
      .map { $0.dropFirst(6).trimmingCharacters(in: .whitespaces) }
    var request = Request(method: String(words[0]), path: String(words[1]), range: range)
    request.lines = lines.dropFirst().map(String.init)
    // Each request has a different number, regardless of the number of connections.
    let number = state.withLock { state in
      defer { state.readCount += 1 }
      return state.readCount
    }
    let wrong = fault(number, request)
    var response = respond(to: request)
    var (length, sentCount): (Int?, Int) = (response.body.count, response.body.count)
    var isReset = false
    switch wrong {
    case nil: break
    case .short(let count): sentCount = min(count, sentCount)
    case .shortUnsaid(let count): (sentCount, length) = (min(count, sentCount), nil)
    case .reset(let count): (sentCount, isReset) = (min(count, sentCount), true)
    case .long(let count):
      response.body += Data(repeating: 7, count: count)
      (length, sentCount) = (response.body.count, response.body.count)
    case .noContentRange: response.headers.removeAll { $0.hasPrefix("Content-Range") }
    case .contentRange(let text):
      response.headers.removeAll { $0.hasPrefix("Content-Range") }
      response.headers.append("Content-Range: " + text)
    case .terse:
      response.status = String(response.status.prefix(3))
      response.headers = response.headers.map { line in
        guard line.hasPrefix("Content-Range"), let slash = line.lastIndex(of: "/") else {
          return line
        }
        return line[..<slash] + "/*"
      }
    case .whole:
      response = whole(request.path)
      (length, sentCount) = (response.body.count, response.body.count)
    case .packed: response.headers.append("Content-Encoding: gzip")
    case .status(let status, let headers):
      response = Response(status: status, headers: headers.isEmpty ? [] : [headers])
      (length, sentCount) = (0, 0)
    case .nothing:
      state.withLock { $0.requests.append(request) }
      return false
    }
    let isHead = request.method == "HEAD"
    if isHead { sentCount = 0 }
    request.byteCount = sentCount
    state.withLock { $0.requests.append(request) }
    if delay > 0 { Thread.sleep(forTimeInterval: delay) }
    let isWhole = isHead || sentCount == response.body.count && length != nil
    if let length { response.headers.append("Content-Length: \(length)") }
    response.headers.append("Connection: " + (isWhole ? "keep-alive" : "close"))
    let text = (["HTTP/1.1 " + response.status] + response.headers).joined(separator: "\r\n")
    send(Data((text + "\r\n\r\n").utf8) + response.body.prefix(sentCount), to: connection)
    if isReset {
      // Waits until the sent bytes have left, and then resets the connection instead of closing it.
      Thread.sleep(forTimeInterval: 0.02)
      var hard = linger(l_onoff: 1, l_linger: 0)
      setsockopt(
        connection, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
    }
    return isWhole && !isReset
  }

  private func readHead(_ connection: Int32) -> [Substring]? {
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(
      connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while head.count < 1 << 16, !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      let count = read(connection, &buffer, buffer.count)
      if count <= 0 { return nil }
      head += buffer[..<count]
    }
    return String(decoding: head, as: UTF8.self).split(separator: "\r\n")
  }

  /// - Parameter range: the range of bytes; nil for the whole file.
  private func whole(_ path: String, range: (first: Int, last: Int?)? = nil) -> Response {
    let path = path.prefix { $0 != "?" }
    guard !path.contains(".."), let file = FileHandle(forReadingAtPath: folder + path),
      let facts = try? FileManager.default.attributesOfItem(atPath: folder + path),
      let size = facts[.size] as? Int, facts[.type] as? FileAttributeType == .typeRegular
    else { return Response(status: "404 Not Found") }
    defer { try? file.close() }
    // A different tag for each version of a file.
    let date = (facts[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
    let tag = "ETag: \"\(facts[.systemFileNumber] ?? 0)-\(date)\""
    guard let range, hasRanges else {
      let body = (try? file.readToEnd()) ?? Data()
      return Response(status: "200 OK", headers: [tag], body: body)
    }
    // If the first byte is negative, it counts from the end.
    let first = range.first < 0 ? max(0, size + range.first) : range.first
    let last = min(range.last ?? size - 1, size - 1)
    guard last >= first else { return Response(status: "416 Range Not Satisfiable") }
    try? file.seek(toOffset: UInt64(first))
    let body = (try? file.read(upToCount: last - first + 1)) ?? Data()
    let part = "Content-Range: bytes \(first)-\(last)/\(size)"
    return Response(
      status: "206 Partial Content", headers: [tag, "Accept-Ranges: bytes", part], body: body)
  }

  private func respond(to request: Request) -> Response {
    let path = String(request.path.prefix { $0 != "?" })
    if path.hasSuffix("/") {
      guard lists, let names = try? FileManager.default.contentsOfDirectory(atPath: folder + path)
      else { return Response(status: "404 Not Found") }
      let rows = names.sorted().map { "<a href=\"\($0)\">\($0)</a>  01-Jan-2026 00:00  123\n" }
      let page =
        "<html><head><title>Index of \(path)</title></head><body>\n<h1>Index of \(path)</h1><pre>\n"
        + rows.joined() + "</pre>\n</body></html>\n"
      return Response(status: "200 OK", headers: ["Content-Type: text/html"], body: Data(page.utf8))
    }
    let range = request.range?.drop { $0 != "=" }.dropFirst() ?? ""
    let ends = range.split(separator: "-")
    if range.hasPrefix("-"), let count = ends.first.flatMap({ Int($0) }) {
      return whole(path, range: (-count, nil))
    }
    guard let first = ends.first.flatMap({ Int($0) }) else { return whole(path) }
    return whole(path, range: (first, ends.count > 1 ? Int(ends[1]) : nil))
  }

  private func send(_ data: Data, to connection: Int32) {
    data.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        #if canImport(Darwin)
          let flags: Int32 = 0
        #else
          let flags = Int32(MSG_NOSIGNAL)
        #endif
        guard let base = bytes.baseAddress else { return }
        #if canImport(Darwin)
          let count = Darwin.send(connection, base + done, bytes.count - done, flags)
        #else
          let count = Glibc.send(connection, base + done, bytes.count - done, flags)
        #endif
        if count <= 0 { return }
        done += count
      }
    }
  }
}
