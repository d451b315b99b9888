import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A web server on the loopback that gives the files of a folder, in parts where a request names a
/// range, and counts what it is asked.
public final class RangeServer: Sendable {
  public struct Request: Sendable, Hashable {
    public var method: String
    public var path: String
    public var range: String?
    /// Bytes of the answer's body.
    public var byteCount = 0
  }

  public let port: UInt16
  private let file: Int32
  private let folder: String
  private let lists: Bool
  private let hasRanges: Bool
  private let seen = Mutex<[Request]>([])

  /// What has been asked so far.
  public var requests: [Request] { seen.withLock { $0 } }

  public func forget() { seen.withLock { $0 = [] } }

  /// - Parameters:
  ///   - lists: whether a folder's address gives a page with its files.
  ///   - hasRanges: whether a part of a file may be asked.
  public init(folder: String, lists: Bool = false, hasRanges: Bool = true) throws {
    (self.folder, self.lists, self.hasRanges) = (folder, lists, hasRanges)
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
        self.answer(connection)
        close(connection)
      }
    }
  }

  deinit {
    shutdown(file, Int32(2))
    close(file)
  }

  public func url(_ name: String) -> String { "http://127.0.0.1:\(port)/\(name)" }

  /// One request a connection.
  private func answer(_ connection: Int32) {
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(
      connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while head.count < 1 << 16, !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      let count = read(connection, &buffer, buffer.count)
      if count <= 0 { return }
      head += buffer[..<count]
    }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3 else { return }
    let range = lines.first { $0.lowercased().hasPrefix("range:") }
      .map { $0.dropFirst(6).trimmingCharacters(in: .whitespaces) }
    var request = Request(method: String(words[0]), path: String(words[1]), range: range)
    let (status, headers, body) = reply(to: request)
    let isHead = request.method == "HEAD"
    request.byteCount = isHead ? 0 : body.count
    seen.withLock { $0.append(request) }
    let text =
      "HTTP/1.1 \(status)\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\(headers)\r\n"
    send(Data(text.utf8), to: connection)
    if !isHead { send(body, to: connection) }
  }

  private func reply(to request: Request) -> (status: String, headers: String, body: Data) {
    let path = request.path.split(separator: "?").first.map(String.init) ?? "/"
    if path.hasSuffix("/") {
      guard lists, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
        return ("404 Not Found", "", Data())
      }
      let rows = names.sorted().map { "<a href=\"\($0)\">\($0)</a>  01-Jan-2026 00:00  123\n" }
      let page =
        "<html><head><title>Index of \(path)</title></head><body>\n<h1>Index of \(path)</h1><pre>\n"
        + rows.joined() + "</pre>\n</body></html>\n"
      return ("200 OK", "Content-Type: text/html\r\n", Data(page.utf8))
    }
    guard !path.contains(".."), let data = FileManager.default.contents(atPath: folder + path)
    else { return ("404 Not Found", "", Data()) }
    guard hasRanges else { return ("200 OK", "", data) }
    let ends = request.range?.drop { $0 != "=" }.dropFirst().split(separator: "-") ?? []
    guard let first = ends.first.flatMap({ Int($0) }), first < data.count else {
      return ("200 OK", "Accept-Ranges: bytes\r\n", data)
    }
    let last = min(ends.count > 1 ? Int(ends[1]) ?? data.count - 1 : data.count - 1, data.count - 1)
    guard last >= first else { return ("416 Range Not Satisfiable", "", Data()) }
    return (
      "206 Partial Content",
      "Accept-Ranges: bytes\r\nContent-Range: bytes \(first)-\(last)/\(data.count)\r\n",
      data.subdata(in: first..<last + 1)
    )
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
