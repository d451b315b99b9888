#if os(Linux)
  import Foundation
  import PlumbTestSupport
  import Testing

  /// The kernel denies any access that the documents of the server do not need.
  @Suite(.enabled(if: hasSandbox, "this kernel has no Landlock or seccomp"))
  struct SandboxTests {
    /// Replaces `accept4`: each connection attempts operations that the sandbox denies and
    /// operations that it allows.
    private static let attack = #"""
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <errno.h>
      #include <fcntl.h>
      #include <netinet/in.h>
      #include <spawn.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/socket.h>
      #include <sys/stat.h>
      #include <sys/syscall.h>
      #include <unistd.h>

      static void say(const char *what, long result) {
        dprintf(2, "attack %s: %s\n", what, result >= 0 ? "done" : strerrorname_np(errno));
      }

      static const char *at(const char *name) {
        static char path[4096];
        snprintf(path, sizeof path, "%s/%s", getenv("ATTACK"), name);
        return path;
      }

      static void go(void) {
        say("read of a document", open(at("map/map.json"), O_RDONLY));
        say("read outside", open(at("outside/secret"), O_RDONLY));
        say("read through a link", open(at("map/link"), O_RDONLY));
        say("list outside", open(at("outside"), O_RDONLY | O_DIRECTORY));
        say("list of processes", open("/proc", O_RDONLY | O_DIRECTORY));
        say("read of its parent", open(at(""), O_RDONLY));
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/environ", getppid());
        say("environment of its parent", open(path, O_RDONLY));
        say("write of a document", open(at("map/map.json"), O_WRONLY));
        say("new file", open(at("map/new"), O_CREAT | O_WRONLY, 0600));
        say("new file outside", open(at("outside/new"), O_CREAT | O_WRONLY, 0600));
        say("removal", unlink(at("map/map.json")));
        say("new folder", mkdir(at("map/folder"), 0700));
        say("new link", symlink("/", at("map/other")));
        say("new pipe", mkfifo(at("map/pipe"), 0600));
        say("truncation", truncate(at("map/map.json"), 0));
        pid_t child;
        char *arguments[] = {"true", NULL};
        errno = posix_spawn(&child, "/bin/true", NULL, NULL, arguments, NULL);
        say("program", errno ? -1 : 0);
        // Rejected before they are read; for the allowed one, the error is in the file.
        struct msghdr message = {0};
        say("sending that connects", sendto(-1, "x", 1, MSG_FASTOPEN, NULL, 0));
        say("message that connects", sendmsg(-1, &message, MSG_FASTOPEN));
        say("sending", sendto(-1, "x", 1, 0, NULL, 0));
        int stream = socket(AF_INET, SOCK_STREAM, 0);
        say("socket", stream);
        say("local socket", socket(AF_UNIX, SOCK_STREAM, 0));
        say("io_uring", syscall(425, 1, NULL));
        if (stream < 0) return;
        struct sockaddr_in address = {.sin_family = AF_INET};
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(atoi(getenv("ATTACK_PORT")));
        say("connection", connect(stream, (struct sockaddr *)&address, sizeof address));
        address.sin_port = htons(9);
        int other = socket(AF_INET, SOCK_STREAM, 0);
        say("other connection", connect(other, (struct sockaddr *)&address, sizeof address));
        address.sin_port = 0;
        say("bound socket", bind(other, (struct sockaddr *)&address, sizeof address));
      }

      int accept4(int handle, struct sockaddr *address, socklen_t *size, int flags) {
        static int (*real)(int, struct sockaddr *, socklen_t *, int);
        static int count;
        if (!real) real = dlsym(RTLD_NEXT, "accept4");
        int found = real(handle, address, size, flags);
        if (found >= 0 && count++ == 0) go();
        return found;
      }
      """#

    private struct Scene {
      let folder: TemporaryFolder
      let library: String
      var map: String { folder.path("map/map.json") }

      init() throws {
        folder = try TemporaryFolder()
        for name in ["map", "outside", "code"] {
          try FileManager.default.createDirectory(
            atPath: folder.path(name), withIntermediateDirectories: true)
        }
        try folder.write("outside/secret", "secret\n")
        try folder.write(
          "map/p.geojson",
          #"{"type":"Feature","properties":{"n":1},"geometry":{"type":"Point","coordinates":[1,2]}}"#
        )
        try folder.write(
          "map/map.json",
          #"{"operationalLayers":[{"id":"p","layerType":"ArcGISFeatureLayer","url":"p.geojson"}],"#
            + #""version":"2.31"}"#)
        try FileManager.default.createSymbolicLink(
          atPath: folder.path("map/link"), withDestinationPath: "../outside/secret")
        try folder.write("attack.c", attack)
        // The folders of loaded libraries are readable.
        library = folder.path("code/attack.so")
        let compiled = try ProgramRun(
          "/usr/bin/gcc",
          ["-shared", "-fPIC", "-O1", "-o", library, folder.path("attack.c"), "-ldl"])
        #expect(compiled.status == 0, "\(compiled)")
      }

      /// The result of each attempt.
      ///
      /// - Parameter maps: nil for the maps of the scene.
      func outcomes(
        _ options: [String], maps: [String]? = nil, port: UInt16 = 9
      ) throws -> [String: String] {
        let server = try RunningServer(
          (maps ?? [map]) + options,
          settings: [
            "LD_PRELOAD": library, "ATTACK": folder.path, "ATTACK_PORT": "\(port)",
          ])
        #expect(try server.request("/health").status == 200)
        #expect(server.logs("attack io_uring: "))
        // The remaining attempts need sockets.
        _ = try server.request("/health")
        var found: [String: String] = [:]
        for line in server.log.split(separator: "\n") where line.hasPrefix("attack ") {
          let parts = line.dropFirst(7).split(separator: ":")
          found[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        #expect(try server.request("/api/identify", ["X-A": "b"]).status != 500)
        return found
      }
    }

    private static let always = [
      "read of a document": "done", "read outside": "EACCES", "read through a link": "EACCES",
      "list outside": "EACCES", "list of processes": "EACCES", "read of its parent": "EACCES",
      "environment of its parent": "EACCES", "write of a document": "EACCES", "new file": "EACCES",
      "new file outside": "EACCES", "removal": "EACCES", "new folder": "EACCES",
      "new link": "EACCES", "new pipe": "EACCES", "truncation": "EACCES", "program": "EACCES",
      "sending that connects": "EOPNOTSUPP", "message that connects": "EOPNOTSUPP",
      "sending": "EBADF",
    ]

    private static let noSockets = [
      "socket": "EACCES", "local socket": "EACCES", "io_uring": "ENOSYS",
    ]

    @Test func nothingElseIsReached() throws {
      let scene = try Scene()
      #expect(try scene.outcomes([]) == Self.always.merging(Self.noSockets) { $1 })
    }

    /// A folder of rasters gives access neither to its siblings nor to its parents.
    @Test func foldersOfRastersAreReadAlone() throws {
      let scene = try Scene()
      try FileManager.default.copyItem(
        atPath: TestPaths.rasters + "/dem", toPath: scene.folder.path("tiles"))
      var expected = Self.always.merging(Self.noSockets) { $1 }
      expected["read of a document"] = "EACCES"
      let found = try scene.outcomes([], maps: [scene.folder.path("tiles")])
      #expect(found == expected)
    }

    /// An address in a document allows requests to its host, at any port.
    @Test func mapsOfOtherServersAreRequested() throws {
      let scene = try Scene()
      let other = try RunningServer([TestPaths.rasters + "/cape.json"])
      let address = "http://127.0.0.1:\(other.port)/arcgis/rest/services/cape/MapServer"
      let found = try scene.outcomes([], maps: [address], port: other.port)
      #expect(found["read outside"] == "EACCES" && found["read of a document"] == "EACCES")
      #expect(found["connection"] == "done" && found["program"] == "EACCES")
      let server = try RunningServer([address])
      let reply = try server.request("/arcgis/rest/services/MapServer/MapServer?f=json")
      #expect(reply.text.contains("places"), "\(reply.text.prefix(300))")
    }

    @Test func hostsAreReachedAtTheirPorts() throws {
      let scene = try Scene()
      let other = try RunningServer([scene.map])
      var found = try scene.outcomes(
        ["--allow-host", "127.0.0.1:\(other.port)"], port: other.port)
      #expect(found["socket"] == "done" && found["connection"] == "done")
      #expect(found["other connection"] == (limitsPorts ? "EACCES" : "ECONNREFUSED"))
      #expect(found["bound socket"] == (limitsPorts ? "EACCES" : "done"))
      for name in [
        "socket", "local socket", "io_uring", "connection", "other connection",
        "bound socket",
      ] {
        found[name] = nil
      }
      #expect(found == Self.always)
    }

    @Test func documentsWithAllowOutsideAreNotRestricted() throws {
      let scene = try Scene()
      let found = try scene.outcomes(["--allow-outside"])
      #expect(found["read outside"] == "done" && found["new file outside"] == "done")
      #expect(found["program"] == "done" && found["socket"] == "done")
      #expect(found["sending that connects"] == "EBADF")
    }

    /// Landlock restricts access by folder, so files added later can be read.
    @Test func documentsThatAreReplacedAreRead() throws {
      let scene = try Scene()
      let server = try RunningServer([scene.map])
      let path = "/arcgis/rest/services/map/FeatureServer/0/query?where=1=1&outFields=n&f=json"
      #expect(try server.request(path).text.contains(#""n":1"#))
      try scene.folder.write(
        "map/q.geojson",
        #"{"type":"Feature","properties":{"n":7},"geometry":{"type":"Point","coordinates":[1,2]}}"#)
      try scene.folder.write(
        "map/next.json",
        #"{"operationalLayers":[{"id":"p","layerType":"ArcGISFeatureLayer","url":"q.geojson"}],"#
          + #""version":"2.31"}"#)
      #expect(rename(scene.folder.path("map/next.json"), scene.map) == 0)
      server.signal(SIGHUP)
      #expect(server.logs("reloaded"))
      #expect(try server.request(path).text.contains(#""n":7"#))
    }
  }

  private let startLine: String = {
    let server = try? RunningServer([TestPaths.rasters + "/cape.json", "--allow-host", "e.org:443"])
    return server?.log ?? ""
  }()
  private let hasSandbox = startLine.contains("the kernel restricts this run: reading")
  private let limitsPorts = startLine.contains("TCP connections only to ports 53, 443")
#endif
