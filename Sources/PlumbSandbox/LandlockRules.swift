import CSandbox
import PlumbCore
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The rules of a Landlock sandbox that the process has not entered yet.
struct LandlockRules {
  private typealias Rights = UInt32

  private static let reading = rights(PLUMB_LANDLOCK_READ_FILE, PLUMB_LANDLOCK_READ_FOLDER)
  private static let writing = rights(
    PLUMB_LANDLOCK_WRITE_FILE, PLUMB_LANDLOCK_TRUNCATE, PLUMB_LANDLOCK_MAKE_FILE,
    PLUMB_LANDLOCK_MAKE_FOLDER,
    PLUMB_LANDLOCK_REMOVE_FILE, PLUMB_LANDLOCK_REMOVE_FOLDER, PLUMB_LANDLOCK_MOVE)
  /// Access rights that are always denied.
  private static let never = rights(
    PLUMB_LANDLOCK_EXECUTE, PLUMB_LANDLOCK_MAKE_DEVICE, PLUMB_LANDLOCK_MAKE_SOCKET,
    PLUMB_LANDLOCK_MAKE_PIPE,
    PLUMB_LANDLOCK_MAKE_BLOCK_DEVICE, PLUMB_LANDLOCK_MAKE_LINK)

  private var rules: [(path: String, rights: Rights)] = []
  private var writesOutput = false

  package init() {}

  private static func rights(_ list: Int...) -> Rights {
    list.reduce(0) { $0 | Rights($1) }
  }

  /// Denies sockets to the whole process.
  static func stopSockets() -> Bool { plumb_seccomp_stop_sockets() == 0 }

  /// Denies TCP Fast Open, which opens a connection by sending data. Landlock does not restrict
  /// such connections.
  static func stopFastOpen() { _ = plumb_seccomp_stop_fast_open() }

  // MARK: Allowed paths

  private mutating func read(_ path: String) { rules.append((path, Self.reading)) }

  /// Allows reading a folder and everything below it.
  package mutating func read(folder: String) { read(folder) }

  /// Allows executing the program of helper processes.
  mutating func startHelpers() {
    let rights = Self.rights(PLUMB_LANDLOCK_EXECUTE, PLUMB_LANDLOCK_READ_FILE)
    for path in HelperProgram.files { rules.append((path, rights)) }
  }

  /// Allows reading a document and its folder. The document itself may be a link to a file in
  /// another folder. If the document is a folder, only that folder becomes readable.
  package mutating func read(document: String) {
    read(document)
    if FileKind(path: document) != .folder { read(Self.folder(of: document)) }
  }

  /// Allows reading the folder of a file and, if the file is a link, the folder of its target.
  package mutating func read(folderOf path: String) {
    read(Self.folder(of: path))
    if let real = realpath(path, nil) {
      read(Self.folder(of: String(cString: real)))
      free(real)
    }
  }

  /// Allows reading a file and its side files, which have the same name.
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

  /// Allows reading the paths of an input that is not a single plain file.
  package mutating func read(all paths: [String]) {
    for path in paths { read(path) }
  }

  private static func folder(of path: String) -> String {
    let prefix = path.folderPrefix
    return prefix.isEmpty ? "." : prefix
  }

  /// Allows writing in the folder of an output, where the result is created under a temporary name
  /// and then renamed. If the output is a pipe or a device, allows writing to it.
  package mutating func write(output: String) {
    writesOutput = true
    // If the output is a link, its target is written.
    var target = output
    if let real = realpath(output, nil) {
      target = String(cString: real)
      free(real)
    }
    rules.append((output, Self.reading | Self.writing))
    rules.append((Self.folder(of: target), Self.reading | Self.writing))
  }

  /// Allows reading the files that libraries need in addition to the data: the libraries
  /// themselves, their tables, and information about the machine.
  mutating func readLibraries() {
    for path in LibraryPaths.all { read(path) }
  }

  /// Allows reading information about this process's threads and open files. Dispatch reads
  /// `/proc/NUMBER/stat` of its threads, and ends the process if it cannot. The memory, files and
  /// environment of other processes are not readable, because Landlock protects them.
  mutating func readThreads() {
    rules.append(("/proc", Self.rights(PLUMB_LANDLOCK_READ_FILE)))
    read("/proc/self/fd")
  }

  /// Allows reading the files that libraries need for host names, ports and certificates.
  mutating func readNetwork() {
    let paths = [
      "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf",
      "/etc/services", "/etc/protocols", "/etc/ssl", "/etc/pki", "/etc/ca-certificates",
      "/etc/gnutls", "/usr/lib/ssl", "/usr/share/ca-certificates", "/run/systemd/resolve",
      "/run/resolvconf", "/run/NetworkManager",
      // The name of the user, with which libpq connects if the address of a database has none.
      "/etc/passwd",
    ]
    // Files with credentials that libraries use.
    if let home = getenv("HOME").map({ String(cString: $0) }), home.hasBytes(atStart: "/") {
      for name in [
        ".netrc", ".pgpass", ".pg_service.conf", ".postgresql", ".my.cnf", ".aws", ".boto",
        ".azure",
      ] {
        read(home + "/" + name)
      }
    }
    for path in paths { read(path) }
    // The target of `/etc/resolv.conf` is replaced when the network changes, so its folder must be
    // readable.
    if let real = realpath("/etc/resolv.conf", nil) {
      let folder = Self.folder(of: String(cString: real))
      if !folder.hasSameBytes(as: "/etc/") { read(folder) }
      free(real)
    }
    let variables = [
      "CURL_CA_BUNDLE", "SSL_CERT_FILE", "PGPASSFILE", "PGSERVICEFILE", "PGSYSCONFDIR",
      "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
      "GOOGLE_APPLICATION_CREDENTIALS", "CPL_GS_CREDENTIALS_FILE",
    ]
    for name in variables {
      if let path = getenv(name) { read(String(cString: path)) }
    }
    // This file is replaced while the process runs.
    if let path = getenv("AWS_WEB_IDENTITY_TOKEN_FILE") { read(folderOf: String(cString: path)) }
  }

  // MARK: Entering

  /// The allowed TCP connections.
  enum Connections {
    case any
    /// Connections to all ports. Listening is denied.
    case anyPort
    /// Connections to these ports. Listening is denied.
    case ports([UInt16])
  }

  /// Whether the kernel can restrict TCP ports.
  static var limitsPorts: Bool { plumb_landlock_version() >= 4 }

  /// Enters the sandbox, in which only the allowed files can be read or written.
  ///
  /// - Parameter connections: the allowed connections, which are enforced if the kernel can
  ///   restrict ports.
  /// - Returns: whether the process is in the sandbox.
  package func apply(_ connections: Connections) -> Bool {
    let version = plumb_landlock_version()
    // The first version of Landlock does not allow moving a result to its final name.
    guard version >= (writesOutput ? 2 : 1) else { return false }
    let temporary = TemporaryFolder.current.map { [$0] } ?? []
    for path in temporary { TemporaryFolder.keepOpen(path) }
    let stopped = Self.never | Self.writing | Self.reading
    let (net, ports): (Int, [UInt16]) =
      switch connections {
      case .any: (0, [])
      case .anyPort: (PLUMB_LANDLOCK_TCP_BIND, [])
      case .ports(let ports): (PLUMB_LANDLOCK_TCP_BIND | PLUMB_LANDLOCK_TCP_CONNECT, ports)
      }
    let ruleset = plumb_landlock_begin(stopped, version, Self.rights(net))
    guard ruleset >= 0 else { return false }
    let open =
      rules + temporary.map { ($0, Self.reading | Self.writing) }
      + ["/dev/null", "/dev/zero"].map { ($0, Self.reading | Self.writing) }
    for (path, rights) in open {
      let handled = plumb_landlock_known(rights & stopped, version)
      if handled != 0 { _ = plumb_landlock_allow(ruleset, path, handled) }
    }
    if version >= 4 {
      for port in ports { _ = plumb_landlock_connect(ruleset, port) }
    }
    return plumb_landlock_restrict(ruleset) == 0
  }
}
