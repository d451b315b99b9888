import CSandbox
import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A wall of Landlock in the making: what it lets through.
struct KernelWall {
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

  private static func rights(_ list: Int...) -> Rights {
    list.reduce(0) { $0 | Rights($1) }
  }

  /// Refuses sockets to the whole process.
  static func stopSockets() -> Bool { plumb_seccomp_stop_sockets() == 0 }

  // MARK: What is let through

  private mutating func read(_ path: String) { rules.append((path, Self.reading)) }

  /// A document's folder, and the document itself should it lie elsewhere behind a link.
  mutating func read(document: String) {
    read(document)
    read(Self.folder(of: document))
  }

  /// A file, and those that belong to it by their name.
  mutating func read(input: String) {
    guard input != "-" else { return }
    read(input)
    let slash = input.lastIndex(of: "/")
    let name = slash.map { input[input.index(after: $0)...] } ?? input[...]
    let prefix = slash.map { input[...$0] } ?? ""
    guard let dot = name.lastIndex(of: "."), Self.hasSideFiles(name[dot...]) else { return }
    for other in folderEntries(Self.folder(of: input))
    where other.hasPrefix(name[...dot]) || other.hasPrefix(name) {
      read(prefix + other)
    }
  }

  private static func hasSideFiles(_ ending: Substring) -> Bool {
    [".shp", ".gpkg", ".kml", ".gpx", ".fgb"].contains(ending.lowercased())
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Where a result is made and moved to; of a pipe or device itself.
  mutating func write(output: String) {
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
  mutating func readLibraries() {
    for path in LibraryPaths.all { read(path) }
  }

  /// What tells libraries of names, ports and certificates.
  mutating func readNetwork() {
    let paths = [
      "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf",
      "/etc/services", "/etc/protocols", "/etc/ssl", "/etc/pki", "/etc/ca-certificates",
      "/etc/gnutls", "/usr/lib/ssl", "/usr/share/ca-certificates", "/run/systemd/resolve",
      "/run/resolvconf",
    ]
    for path in paths { read(path) }
    for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
      if let path = getenv(name) { read(String(cString: path)) }
    }
  }

  // MARK: Raising

  /// - Parameters:
  ///   - stopsReading: whether files that were not named cannot be read either.
  ///   - stopsNetwork: whether TCP is stopped too.
  /// - Returns: whether the wall stands.
  func raise(stopsReading: Bool, stopsNetwork: Bool) -> Bool {
    let version = plumb_landlock_version()
    // The first version lets no result be moved to its name.
    guard version >= (writesOutput ? 2 : 1) else { return false }
    let temporary = stopsReading ? TemporaryFolder.own.map { [$0] } ?? [] : TemporaryFolder.all
    let stopped = Self.never | Self.writing | (stopsReading ? Self.reading : 0)
    let wall = plumb_landlock_begin(stopped, version, stopsNetwork ? 1 : 0)
    guard wall >= 0 else { return false }
    let open =
      rules + temporary.map { ($0, Self.reading | Self.writing) }
      + ["/dev/null", "/dev/zero"].map { ($0, Self.reading | Self.writing) }
    for (path, rights) in open {
      let held = plumb_landlock_known(rights & stopped, version)
      if held != 0 { _ = plumb_landlock_allow(wall, path, held) }
    }
    return plumb_landlock_raise(wall) == 0
  }
}
