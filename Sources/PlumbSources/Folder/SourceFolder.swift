import PlumbCore
import PlumbGDAL
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The base folder of the paths in a document, and the limits on the files that the paths may
/// access.
package struct SourceFolder: Sendable {
  /// The prefix of relative paths; empty, or ending with a slash.
  package let prefix: String
  /// The document's folder without symbolic links; nil if files may be anywhere.
  package let boundary: String?
  /// Whether the document comes from a service and so cannot refer to local files.
  private let isRemote: Bool
  /// The hosts of databases to which the document may refer; nil for all.
  private let hosts: HostAccess?
  private let links = FolderLinks()

  /// Creates the folder of a document.
  ///
  /// - Parameter isRemote: whether the path is an address.
  /// - Throws: if the folder cannot be resolved.
  package init(
    ofDocument path: String, isRemote: Bool = false, access: DocumentAccess
  ) throws(PlumbError) {
    self.isRemote = isRemote
    hosts = access.hosts
    if isRemote {
      prefix = ""
      boundary = access.isUnlimited ? nil : ""
      return
    }
    prefix = Self.prefix(of: path)
    switch access {
    case .anywhere: boundary = nil
    case .folder, .hosts:
      guard let folder = realPath(prefix.isEmpty ? "." : prefix) else {
        throw PlumbError("the folder of \(path.printable) cannot be reached")
      }
      boundary = folder
    }
  }

  private init(prefix: String, _ other: SourceFolder) {
    self.prefix = prefix
    (boundary, isRemote, hosts) = (other.boundary, other.isRemote, other.hosts)
  }

  /// Returns the folder of another document to which this document refers.
  package func folder(ofDocument path: String) -> SourceFolder {
    SourceFolder(prefix: Self.prefix(of: path), self)
  }

  private static func prefix(of path: String) -> String {
    path.folderPrefix
  }

  // MARK: Paths

  /// Returns the path that a string in a document refers to.
  ///
  /// - Parameter isPattern: whether `*`, `?` and `[…]` may match several files.
  /// - Throws: an error that contains the string, if the file does not exist or is outside the permitted
  ///   folder.
  package func path(of text: String, isPattern: Bool = false) throws(PlumbError) -> String {
    guard !text.isEmpty else { throw PlumbError("the path is empty") }
    if boundary != nil, BucketName(text) != nil {
      throw PlumbError(
        "\(text.printable) is in a bucket, where a document may name only single files of GeoTIFF, Zarr and "
          + "Parquet", code: .notAllowed, remedies: ["other files need \(.allowOutside)"])
    }
    guard !isRemote || boundary == nil else {
      throw PlumbError(
        "\(text.printable) is a path: a service's document cannot refer to local files",
        code: .notAllowed, remedies: ["this requires \(.allowOutside)"])
    }
    var written = text
    if text.lowercasedASCII.hasBytes(atStart: "file:") { written = try Self.path(ofURL: text) }
    guard !written.utf8.contains(0) else {
      throw PlumbError("\(text.printable) is not a path: it has a zero byte")
    }
    if boundary != nil, let hosts, let address = DatabaseAddress(written) {
      return try DatabaseAccess.checked(address, hosts).text
    }
    if boundary != nil, Self.isVirtual(written) {
      throw PlumbError(
        "\(text.printable) is not a path in the map's folder", code: .notAllowed,
        remedies: ["a network or virtual source needs \(.allowOutside)"])
    }
    let path = written.hasBytes(atStart: "/") ? written : prefix + written
    if FileKind(path: path) != nil {
      try check(path, as: text)
      return path
    }
    if isPattern, let selection = ArraySelection(written),
      FileKind(path: (written.hasBytes(atStart: "/") ? "" : prefix) + selection.path) != nil
        || Self.isPattern(selection.path)
    {
      return "\(try self.path(of: selection.path, isPattern: true))#\(selection.label)"
    }
    if isPattern, Self.isPattern(written) {
      return try pattern(written, as: text)
    }
    if boundary == nil, Self.isVirtual(written) { return written }
    // Checks the components of the path as text, so that the error does not reveal whether a file
    // outside the folder exists.
    try checkWords(written, as: text)
    throw noSuchFile(text)
  }

  /// - Parameter withLinks: whether the path itself will be opened. Opening a path also opens files
  ///   that belong to it by name or, for a folder, files in the folder.
  /// - Throws: if a file is outside the folder, or is a pipe or a device, which may block a reader
  ///   forever.
  package func check(_ path: String, as text: String, withLinks: Bool = true) throws(PlumbError) {
    guard let boundary else { return }
    guard let real = realPath(path), Self.contains(boundary, real) else {
      throw Self.outside(text)
    }
    if let fault = SideFile.kindFault(real, as: text) { throw PlumbError(fault) }
    guard withLinks else { return }
    for point in path == real ? [path] : [path, real] {
      for link in links.belonging(to: point) {
        guard link.kind != .stream else {
          throw PlumbError(
            "\(text.printable) leads to \(link.path.printable), which is a pipe or a device, "
              + "not a file")
        }
        if link.kind != nil, !(link.target.map { Self.contains(boundary, $0) } ?? false) {
          throw PlumbError(
            "\(text.printable) leads to \(link.path.printable), which lies outside the map's folder",
            code: .notAllowed, remedies: ["this requires \(.allowOutside)"])
        }
      }
    }
  }

  package static func outside(_ text: String) -> PlumbError {
    PlumbError(
      "\(text.printable) lies outside the map's folder", code: .notAllowed,
      remedies: ["this requires \(.allowOutside)"])
  }

  private static func contains(_ folder: String, _ path: String) -> Bool {
    path.hasSameBytes(as: folder) || path.hasBytes(atStart: folder == "/" ? folder : folder + "/")
  }

  /// - Throws: if the components of a path that does not exist lead outside the folder.
  private func checkWords(_ written: String, as text: String) throws(PlumbError) {
    guard let boundary else { return }
    guard let start = realPath(prefix.isEmpty ? "." : prefix) else { throw Self.outside(text) }
    var words = written.hasBytes(atStart: "/") ? [] : start.pathWords.filter { !$0.isEmpty }
    for word in written.pathWords where !word.isEmpty && !word.hasSameBytes(as: ".") {
      if word.hasSameBytes(as: "..") { _ = words.popLast() } else { words.append(word) }
    }
    guard Self.contains(boundary, "/" + words.joined(separator: "/")) else {
      throw Self.outside(text)
    }
  }

  /// Returns a pattern for `Raster.open`; the caller has to check the files that match the pattern.
  private func pattern(_ written: String, as text: String) throws(PlumbError) -> String {
    let words = written.pathWords
    let plain = words.prefix { !Self.isPattern($0) }
    let isUpward = words.dropFirst(plain.count).contains { $0.hasSameBytes(as: "..") }
    if boundary != nil, isUpward { throw Self.outside(text) }
    let isAbsolute = written.hasBytes(atStart: "/")
    let folder = plain.joined(separator: "/")
    let start = isAbsolute ? folder + "/" : prefix + (folder.isEmpty ? "." : folder)
    if FileKind(path: start) != nil {
      try check(start, as: text, withLinks: false)
    } else {
      try checkWords(isAbsolute ? start : folder, as: text)
    }
    guard !isAbsolute else { return written }
    // Escapes special characters in the path of the map's folder.
    var result: [UInt8] = []
    for byte in prefix.utf8 {
      if "*?[\\".utf8.contains(byte) { result.append(UInt8(ascii: "\\")) }
      result.append(byte)
    }
    return String(decoding: result, as: UTF8.self) + written
  }

  private static func isPattern(_ text: String) -> Bool {
    text.utf8.contains { "*?[".utf8.contains($0) }
  }

  /// Whether a string is a network or virtual source instead of a path, such as `http:`,
  /// `/vsicurl/`, `PG:`, or a description in XML or JSON.
  package static func isVirtual(_ text: String) -> Bool {
    let bytes = text.utf8.drop { $0 <= 0x20 }
    guard let first = bytes.first else { return false }
    if "<{".utf8.contains(first) || bytes.starts(with: "/vsi".utf8) { return true }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return false }
    return bytes[..<colon].allSatisfy {
      $0.isAlphanumericASCII || $0 >= 0x80 || "+-._".utf8.contains($0)
    }
  }

  /// The path of a `file:` URL, with percent-encoding decoded.
  private static func path(ofURL text: String) throws(PlumbError) -> String {
    var rest = text.utf8.dropFirst("file:".utf8.count)
    if rest.starts(with: "//".utf8) {
      rest = rest.dropFirst(2)
      let host = rest.prefix { $0 != UInt8(ascii: "/") }
      let name = String(decoding: host, as: UTF8.self).lowercasedASCII
      guard name.isEmpty || name.hasSameBytes(as: "localhost") else {
        throw PlumbError("\(text.printable) names a host; a path is file:///…")
      }
      rest = rest.dropFirst(host.count)
    }
    var bytes: [UInt8] = []
    var source = rest.makeIterator()
    while let byte = source.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = [source.next(), source.next()].compactMap { digit in
        digit.flatMap { hexDigit($0) }
      }
      guard digits.count == 2 else {
        throw PlumbError("\(text.printable) has a % without two hexadecimal digits")
      }
      bytes.append(digits[0] << 4 | digits[1])
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The path without symbolic links; nil if the file does not exist, or the path is not UTF-8.
package func realPath(_ path: String) -> String? {
  guard let buffer = realpath(path, nil) else { return nil }
  defer { free(buffer) }
  return String(validatingCString: buffer)
}
