#if os(Linux)
  import Foundation
  import Glibc
  import PlumbTestSupport
  import Testing

  /// The interface with a service manager such as systemd.
  @Suite struct ServiceManagerTests {
    private static let map = TestPaths.rasters + "/cape.json"

    /// A server that inherits a socket of the test as file descriptor 3, and its messages to the
    /// manager.
    private final class Managed {
      let folder: TemporaryFolder
      let process: pid_t
      private let listening: Int32
      private let notices: Int32
      let port: UInt16

      /// - Parameter address: the address to bind the socket to.
      init(_ address: String, _ arguments: [String]) throws {
        folder = try TemporaryFolder()
        let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var socketAddress = sockaddr_in()
        socketAddress.sin_family = sa_family_t(AF_INET)
        socketAddress.sin_addr.s_addr = inet_addr(address)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &socketAddress) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(handle, $0, size) == 0 && listen(handle, 16) == 0
              && getsockname(handle, $0, &size) == 0
          }
        }
        try #require(isBound)
        port = UInt16(bigEndian: socketAddress.sin_port)
        listening = handle
        notices = try Self.datagrams(at: folder.path("notify"))
        process = try Self.spawn(
          handle, log: folder.path("log"), notices: folder.path("notify"), arguments)
      }

      deinit {
        close(listening)
        close(notices)
        kill(process, SIGKILL)
      }

      private static func datagrams(at path: String) throws -> Int32 {
        let handle = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var socketAddress = sockaddr_un()
        socketAddress.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < 100)
        withUnsafeMutableBytes(of: &socketAddress.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &socketAddress) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(handle, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
          }
        }
        try #require(isBound)
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
          handle, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        return handle
      }

      private static func spawn(
        _ handle: Int32, log: String, notices: String, _ arguments: [String]
      ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 2, log, O_CREAT | O_WRONLY | O_APPEND, 0o600)
        // A duplicate of the descriptor would be closed when the program starts.
        let copy = dup(handle)
        posix_spawn_file_actions_adddup2(&actions, handle == 3 ? copy : handle, 3)
        let script =
          "export LISTEN_PID=$$ LISTEN_FDS=1 WATCHDOG_PID=$$ WATCHDOG_USEC=400000; exec \"$0\" \"$@\""
        let command = ["/bin/bash", "-c", script, TestPaths.program("plumb-server")] + arguments
        var settings = ProcessInfo.processInfo.environment
        settings["NOTIFY_SOCKET"] = notices
        var texts = command.map { strdup($0) } + [nil]
        var environment = settings.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in texts + environment { free(text) } }
        var process: pid_t = 0
        try #require(
          posix_spawn(&process, "/bin/bash", &actions, nil, &texts, &environment) == 0)
        close(copy)
        return process
      }

      /// The next message that begins with a word; messages before it are dropped.
      func notice(_ word: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<1000 {
          let count = recv(notices, &bytes, bytes.count, 0)
          guard count > 0 else { return nil }
          let text = String(decoding: bytes[..<count], as: UTF8.self)
          if text.hasPrefix(word) { return text }
        }
        return nil
      }

      /// The exit status.
      func status() -> Int32 {
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
      }

      var log: String {
        (try? String(contentsOfFile: folder.path("log"), encoding: .utf8)) ?? ""
      }
    }

    @Test func theManagerHearsOfEachState() throws {
      let managed = try Managed("127.0.0.1", [Self.map, "--port", "1"])
      #expect(managed.notice("READY=1") != nil)
      let client = RunningServer(port: managed.port)
      #expect(try client.request("/health").status == 200)
      #expect(managed.log.contains("listening on http://127.0.0.1:\(managed.port)/"))
      #expect(managed.notice("WATCHDOG=1") != nil)
      kill(managed.process, SIGHUP)
      #expect(managed.notice("RELOADING=1")?.contains("MONOTONIC_USEC=") == true)
      #expect(managed.notice("READY=1") != nil)
      kill(managed.process, SIGTERM)
      #expect(managed.notice("STOPPING=1") != nil)
      #expect(managed.status() == 0)
    }

    /// `--bind` does not apply to a socket that is passed in.
    @Test func socketsThatOthersReachNeedAToken() throws {
      let refused = try Managed("0.0.0.0", [Self.map])
      #expect(refused.status() == 64)
      #expect(
        refused.log.contains(
          "socket at 0.0.0.0 can be reached from other hosts: give --token-file"))
      let open = try Managed("0.0.0.0", [Self.map, "--open"])
      #expect(open.notice("READY=1") != nil)
      #expect(try RunningServer(port: open.port).request("/health").status == 200)
      kill(open.process, SIGTERM)
      #expect(open.status() == 0)
    }
  }
#endif
