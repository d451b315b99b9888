import CSandbox
import PlumbCore
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A wall of Landlock in the making: what it lets through.
package struct KernelWall {
  private typealias Rights = UInt32

  private static let reading = rights(PLUMB_WALL_READ_FILE, PLUMB_WALL_READ_FOLDER)
  private static let writing = rights(
    PLUMB_WALL_WRITE_FILE, PLUMB_WALL_TRUNCATE, PLUMB_WALL_MAKE_FILE, PLUMB_WALL_MAKE_FOLDER,
    PLUMB_WALL_REMOVE_FILE, PLUMB_WALL_REMOVE_FOLDER, PLUMB_WALL_MOVE)
  /// What no run does anywhere.
  private static let never = rights(
    PLUMB_WALL_EXECUTE, PLUMB_WALL_MAKE_DEVICE, PLUMB_WALL_MAKE_SOCKET, PLUMB_WALL_MAKE_PIPE,
    PLUMB_WALL_MAKE_BLOCK_DEVICE, PLUMB_WALL_MAKE_LINK)

  private var rules: [(path: String, rights: Rights)] = []
  private var writesOutput = false

  package init() {}

  private static func rights(_ list: Int...) -> Rights {
    list.reduce(0) { $0 | Rights($1) }
  }

  /// Refuses sockets to the whole process.
  package static func stopSockets() -> Bool { plumb_seccomp_stop_sockets() == 0 }

  /// Refuses connections that are made by sending, which Landlock does not see.
  static func stopFastOpen() { _ = plumb_seccomp_stop_fast_open() }

  // MARK: What is let through

  private mutating func read(_ path: String) { rules.append((path, Self.reading)) }

  /// A folder and all below it.
  package mutating func read(folder: String) { read(folder) }

  /// The program of helper processes, which is started.
  package mutating func startHelpers() {
    let rights = Self.rights(PLUMB_WALL_EXECUTE, PLUMB_WALL_READ_FILE)
    for path in HelperProgram.files { rules.append((path, rights)) }
  }

  /// A document's folder, and the document itself should it lie elsewhere behind a link. One that is a
  /// folder is read alone.
  package mutating func read(document: String) {
    read(document)
    if FileKind(path: document) != .folder { read(Self.folder(of: document)) }
  }

  /// The folder of a file, and that of the file to which a link leads.
  package mutating func read(folderOf path: String) {
    read(Self.folder(of: path))
    if let real = realpath(path, nil) {
      read(Self.folder(of: String(cString: real)))
      free(real)
    }
  }

  /// A file, and those that belong to it by their name.
  package mutating func read(input: String) {
    guard input != "-" else { return }
    read(input)
    let (prefix, name) = (input.folderPrefix, input.lastPathWord)
    let lower = name.lowercasedASCII
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")),
      [".shp", ".gpkg", ".kml", ".gpx", ".fgb"].contains(where: { lower.hasBytes(atEnd: $0) })
    else { return }
    let stem = String(decoding: name.utf8[...dot], as: UTF8.self)
    for other in folderEntries(Self.folder(of: input)) where other.hasBytes(atStart: stem) {
      read(prefix + other)
    }
  }

  /// What belongs to an input that is more than one plain file.
  package mutating func read(all paths: [String]) {
    for path in paths { read(path) }
  }

  private static func folder(of path: String) -> String {
    let prefix = path.folderPrefix
    return prefix.isEmpty ? "." : prefix
  }

  /// Where a result is made and moved to; of a pipe or device itself.
  package mutating func write(output: String) {
    writesOutput = true
    // What a link leads to is written.
    var target = output
    if let real = realpath(output, nil) {
      target = String(cString: real)
      free(real)
    }
    rules.append((output, Self.reading | Self.writing))
    rules.append((Self.folder(of: target), Self.reading | Self.writing))
  }

  /// What libraries read beside the data: themselves, their tables, and what tells them of the
  /// machine.
  package mutating func readLibraries() {
    for path in LibraryPaths.all { read(path) }
  }

  /// What tells a process of its own threads and open files. Dispatch looks at threads by their numbers, as
  /// `/proc/NUMBER/stat`, and ends a process that cannot. Nothing else of another process is read: Landlock
  /// keeps its memory, files and environment from this one.
  package mutating func readThreads() {
    rules.append(("/proc", Self.rights(PLUMB_WALL_READ_FILE)))
    read("/proc/self/fd")
  }

  /// What tells libraries of names, ports and certificates.
  package mutating func readNetwork() {
    let paths = [
      "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf",
      "/etc/services", "/etc/protocols", "/etc/ssl", "/etc/pki", "/etc/ca-certificates",
      "/etc/gnutls", "/usr/lib/ssl", "/usr/share/ca-certificates", "/run/systemd/resolve",
      "/run/resolvconf", "/run/NetworkManager",
    ]
    // Where libraries keep what they sign in with.
    if let home = getenv("HOME").map({ String(cString: $0) }), home.hasBytes(atStart: "/") {
      for name in [".netrc", ".pgpass", ".pg_service.conf", ".my.cnf", ".aws", ".boto", ".azure"] {
        read(home + "/" + name)
      }
    }
    for path in paths { read(path) }
    // It is replaced where the network changes.
    if let real = realpath("/etc/resolv.conf", nil) {
      let folder = Self.folder(of: String(cString: real))
      if !folder.hasSameBytes(as: "/etc/") { read(folder) }
      free(real)
    }
    for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
      if let path = getenv(name) { read(String(cString: path)) }
    }
  }

  // MARK: Raising

  /// Which TCP connections a wall lets through.
  package enum Connections {
    case any
    /// To all ports; no port is listened at.
    case anyPort
    /// To these ports; no port is listened at.
    case ports([UInt16])
  }

  /// Whether the kernel tells ports of TCP apart.
  package static var limitsPorts: Bool { plumb_landlock_version() >= 4 }

  /// Files that were not named can be neither read nor written from then on.
  ///
  /// - Parameter connections: where the kernel tells them apart.
  /// - Returns: whether the wall stands.
  package func raise(_ connections: Connections) -> Bool {
    let version = plumb_landlock_version()
    // The first version lets no result be moved to its name.
    guard version >= (writesOutput ? 2 : 1) else { return false }
    let temporary = TemporaryFolder.own.map { [$0] } ?? []
    for path in temporary { TemporaryFolder.hold(path) }
    let stopped = Self.never | Self.writing | Self.reading
    let (net, ports): (Int, [UInt16]) =
      switch connections {
      case .any: (0, [])
      case .anyPort: (PLUMB_WALL_TCP_BIND, [])
      case .ports(let ports): (PLUMB_WALL_TCP_BIND | PLUMB_WALL_TCP_CONNECT, ports)
      }
    let wall = plumb_landlock_begin(stopped, version, Self.rights(net))
    guard wall >= 0 else { return false }
    let open =
      rules + temporary.map { ($0, Self.reading | Self.writing) }
      + ["/dev/null", "/dev/zero"].map { ($0, Self.reading | Self.writing) }
    for (path, rights) in open {
      let held = plumb_landlock_known(rights & stopped, version)
      if held != 0 { _ = plumb_landlock_allow(wall, path, held) }
    }
    if version >= 4 {
      for port in ports { _ = plumb_landlock_connect(wall, port) }
    }
    return plumb_landlock_raise(wall) == 0
  }
}
