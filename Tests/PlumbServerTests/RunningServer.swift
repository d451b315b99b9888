import Foundation
import PlumbTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A server in a separate process, on a free port.
final class RunningServer {
  let port: UInt16
  private let process: Process?
  private let work: TemporaryFolder?

  /// - Parameters:
  ///   - files: the limit of open files; nil for the limit of this process.
  ///   - settings: environment variables, in addition to those of this process.
  init(_ arguments: [String], files: Int? = nil, settings: [String: String] = [:]) throws {
    let work = try TemporaryFolder()
    try work.write("log", "")
    let process = Process()
    (self.work, self.process) = (work, process)
    let command = [TestPaths.program("plumb-server")] + arguments + ["--port", "0"]
    if let files {
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      process.arguments = ["-c", "ulimit -n \(files); exec \"$0\" \"$@\""] + command
    } else {
      process.executableURL = URL(fileURLWithPath: command[0])
      process.arguments = Array(command.dropFirst())
    }
    process.currentDirectoryURL = URL(fileURLWithPath: TestPaths.root)
    process.environment = ProcessInfo.processInfo.environment.merging(settings) { $1 }
    process.standardError = FileHandle(forWritingAtPath: work.path("log"))
    try process.run()
    var found: UInt16?
    try waitUntil("the log has the address") {
      let text = (try? String(contentsOfFile: work.path("log"), encoding: .utf8)) ?? ""
      if let range = text.firstRange(of: /https?:\/\/[^:]*:(\d+)\//) {
        found = UInt16(text[range].split(separator: ":").last?.dropLast() ?? "")
      }
      return found != nil || !process.isRunning
    }
    let text = (try? String(contentsOfFile: work.path("log"), encoding: .utf8)) ?? ""
    port = try #require(found, "\(text)")
  }

  /// A server that the test has started and terminates.
  init(port: UInt16) {
    self.port = port
    (process, work) = (nil, nil)
  }

  deinit { if let process, process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  var log: String {
    work.flatMap { try? String(contentsOfFile: $0.path("log"), encoding: .utf8) } ?? ""
  }

  /// Waits until the log contains some text; false if it does not within a minute.
  func logs(_ text: String) -> Bool {
    (try? waitUntil(text) { log.contains(text) }) != nil
  }

  func signal(_ number: Int32) { if let process { kill(process.processIdentifier, number) } }

  /// Waits for the end of the process. Returns -1 if a signal ended it, or if it does not end.
  func status() -> Int32 {
    guard let process, (try? process.waitForExit(seconds: 120)) != nil else { return -1 }
    return process.terminationReason == .exit ? process.terminationStatus : -1
  }

  /// A connection; the test decides what is sent and received.
  func connect() throws -> Int32 {
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(status == 0)
    var timeout = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(
      handle, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    return handle
  }

  struct Reply {
    var status: Int
    var head: String
    var body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }

    init(_ bytes: [UInt8]) {
      let end =
        bytes.indices.first {
          bytes[$0...].starts(with: [13, 10, 13, 10])
        } ?? bytes.count
      head = String(decoding: bytes[..<end], as: UTF8.self)
      body = Array(bytes.dropFirst(end + 4))
      status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
      if head.lowercased().contains("transfer-encoding: chunked") { body = Self.joined(body) }
    }

    private static func joined(_ chunks: [UInt8]) -> [UInt8] {
      var rest = chunks[...]
      var all: [UInt8] = []
      while let end = rest.firstIndex(of: 13) {
        let count = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16) ?? 0
        if count == 0 { break }
        all += rest[(end + 2)..<min(rest.endIndex, end + 2 + count)]
        rest = rest.dropFirst(end + 2 + count + 2 - rest.startIndex)
      }
      return all
    }
  }

  /// Sends bytes and reads until the other side closes.
  func exchange(_ bytes: [UInt8]) throws -> Reply {
    let handle = try connect()
    defer { close(handle) }
    try Self.send(bytes, to: handle)
    return Reply(Self.receive(handle))
  }

  static func send(_ bytes: [UInt8], to handle: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(handle, $0.baseAddress, $0.count, Int32(truncatingIfNeeded: MSG_NOSIGNAL))
      }
      // A rejection may arrive before the whole request is sent.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  static func receive(_ handle: Int32) -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let part = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        count = max(0, recv(handle, buffer.baseAddress, buffer.count, 0))
      }
      if part.isEmpty { return all }
      all += part
    }
  }

  func request(_ path: String, _ headers: [String: String] = [:]) throws -> Reply {
    try request("GET", path, headers)
  }

  func request(
    _ method: String, _ path: String, _ headers: [String: String] = [:],
    body: [UInt8] = []
  ) throws -> Reply {
    var all = ["Host": "127.0.0.1:\(port)", "Connection": "close"]
    if method == "POST" || method == "PUT" { all["Content-Length"] = "\(body.count)" }
    all.merge(headers) { $1 }
    let head = all.map { "\($0): \($1)\r\n" }.joined()
    return try exchange(Array("\(method) \(path) HTTP/1.1\r\n\(head)\r\n".utf8) + body)
  }
}
