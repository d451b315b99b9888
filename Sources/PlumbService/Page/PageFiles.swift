import CPage
import PlumbIO

/// The files of the web page, which are compiled into the program, and the files of Leaflet, which
/// are read from the system's package.
package struct PageFiles: Sendable {
  /// The Leaflet folder.
  private let leaflet: String

  /// The folder in the bundle, or of Debian's package `libjs-leaflet`.
  static let defaultLeaflet =
    ProgramBundle.path("share/leaflet") ?? "/usr/share/javascript/leaflet"
  /// An upper bound for the size of a Leaflet file in bytes.
  private static let sizeLimit = 8 << 20
  /// The content security policy, which allows only files of this server and images that the page
  /// creates.
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  private static let types = [
    "html": ContentType.html, "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml; charset=utf-8",
    "png": "image/png",
  ]

  package init(leaflet: String = defaultLeaflet) { self.leaflet = leaflet }

  private static let contents: [String: [UInt8]] = {
    var files: [String: [UInt8]] = [:]
    for index in 0..<plumb_page_count() {
      let file = plumb_page_file(index)
      guard let name = file.name, let bytes = file.bytes else { continue }
      files[String(cString: name)] = Array(UnsafeBufferPointer(start: bytes, count: file.count))
    }
    return files
  }()

  /// The names of the page's files.
  package static var names: [String] { contents.keys.sorted() }

  /// Returns the file at a path; nil for other paths. No token is required, because the files do
  /// not contain data of the documents.
  package func reply(at path: String) -> ServiceReply? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    guard let first = parts.first else { return Self.file("index.html") }
    switch first {
    case "page": return parts.count == 2 ? Self.file(parts[1]) ?? Self.missing : Self.missing
    case "leaflet": return leafletFile(Array(parts.dropFirst()))
    default: return nil
    }
  }

  private static func file(_ name: String) -> ServiceReply? {
    contents[name].map { reply($0, name) }
  }

  private static func reply(_ bytes: [UInt8], _ name: String) -> ServiceReply {
    let ending = name.split(separator: ".").last.map(String.init) ?? ""
    var reply = ServiceReply(.bytes(bytes), types[ending] ?? "application/octet-stream")
    // The files change with the version of the program, so clients must check whether a cached file
    // is current.
    reply.headers = [("Cache-Control", "no-cache"), ("Content-Security-Policy", policy)]
    return reply
  }

  private static var missing: ServiceReply {
    ServiceReply(
      .bytes(Array("there is nothing at this address\n".utf8)), ContentType.text, status: 404)
  }

  /// - Parameter parts: the path below the folder. Only names with letters, digits, `-`, `_` and
  ///   dots are accepted.
  private func leafletFile(_ parts: [String]) -> ServiceReply {
    let isPlain = parts.allSatisfy { part in
      part.first != "."
        && part.utf8.allSatisfy { byte in
          switch byte {
          case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
          default: false
          }
        }
    }
    let ending = parts.last?.split(separator: ".").last.map(String.init) ?? ""
    guard isPlain, (1...2).contains(parts.count), Self.types[ending] != nil,
      let bytes = Self.bytes(of: leaflet + "/" + parts.joined(separator: "/"))
    else { return Self.missing }
    return Self.reply(bytes, parts[parts.count - 1])
  }

  private static func bytes(of path: String) -> [UInt8]? {
    guard FileKind(path: path) == .file else { return nil }
    return (try? SmallFile.bytes(of: path, limit: sizeLimit)) ?? nil
  }
}
