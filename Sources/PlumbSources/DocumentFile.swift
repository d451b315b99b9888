import PlumbCore
import PlumbFormats
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The bytes of a document, with a size limit.
package struct DocumentFile {
  /// The size limit in bytes; a larger file is not a map document.
  package static let sizeLimit = 64 << 20

  package let bytes: [UInt8]
  /// Whether the file is longer than the bytes that were read.
  package let isTruncated: Bool

  /// Reads a whole regular file.
  ///
  /// - Parameter limit: the limit in bytes; a larger file is an error.
  /// - Throws: an error that names the path.
  package init(path: String, limit: Int = sizeLimit) throws(PlumbError) {
    try self.init(startOf: path, limit: limit)
    guard !isTruncated else {
      throw PlumbError(
        "\(path.printable) has over \(limit >> 20) MB, the limit for such a file",
        code: .limit, context: FailureContext(file: path))
    }
  }

  /// Reads a regular file, or only the first bytes of a longer file, which identify the file's
  /// format.
  ///
  /// - Parameter limit: the number of bytes to read.
  /// - Throws: an error that names the path.
  package init(startOf path: String, limit: Int = sizeLimit) throws(PlumbError) {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      throw PlumbError(SystemError(opening: path))
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw PlumbError("\(path.printable) is not a file")
    }
    guard let file = fopen(path, "rb") else {
      throw PlumbError(SystemError(path.printable))
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    while bytes.count <= limit {
      let count = fread(&piece, 1, piece.count, file)
      if count == 0 { break }
      bytes.append(contentsOf: piece[..<count])
    }
    guard ferror(file) == 0 else { throw PlumbError(SystemError(path.printable)) }
    isTruncated = bytes.count > limit
    self.bytes = bytes
  }

  /// The reason why the text is not in UTF-8; nil for UTF-8. Names in another encoding would not
  /// match other names.
  package var encodingFault: String? {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      return "the text is in UTF-16; save the document as UTF-8"
    }
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    return "the text is not in UTF-8; save the document as UTF-8"
  }

  /// The reason why a file that was given as a map document is not a map document; nil if the file
  /// is a map document, or does not look like JSON.
  package static func formatFault(path: String) -> String? {
    let endings = [".json", ".mapx", ".lyrx", ".webmap"]
    guard size(of: path) != nil, endings.contains(where: { path.lowercased().hasSuffix($0) }),
      let file = try? DocumentFile(startOf: path)
    else { return nil }
    if let fault = file.encodingFault { return fault }
    guard startsLikeObject(path: path), !file.hasRootMember("operationalLayers") else { return nil }
    let kind = otherKinds.first { kind in kind.members.allSatisfy(file.hasRootMember) }?.name
    return "the JSON has no operationalLayers, which a map document has"
      + (kind.map { ": it looks like \($0)" } ?? "")
  }

  /// Other kinds of JSON documents, which are recognized by their members.
  private static let otherKinds: [(members: [String], name: String)] = [
    (
      ["mapDefinition", "layerDefinitions"],
      "a map file of ArcGIS Pro (.mapx): share it as a web map"
    ),
    (["layerDefinitions"], "a layer file of ArcGIS Pro (.lyrx)"),
    (["version", "sources", "layers"], "a style of vector tiles"),
    (["layers", "initialState"], "a map of another program"),
    (["mapName", "layers"], "the description of a map service: name it in a map document's layer"),
    (
      ["currentVersion", "layers"],
      "the description of a service: name it in a map document's layer"
    ),
    (["widgets"], "the settings of an app, not of its map"),
  ]

  /// The size of a regular file in bytes; nil for anything else.
  package static func size(of path: String) -> Int? {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(facts.st_size)
  }

  /// Whether the first nonblank byte of a regular file begins a JSON object.
  package static func startsLikeObject(path: String) -> Bool {
    guard size(of: path) != nil, let file = fopen(path, "rb") else { return false }
    defer { fclose(file) }
    var piece = [UInt8](repeating: 0, count: 4096)
    let start = piece[..<fread(&piece, 1, piece.count, file)]
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = start.starts(with: mark) ? start.dropFirst(mark.count) : start
    return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
  }

  /// Whether the root object has a member. If the text has a syntax error, the quoted name may be
  /// anywhere in the text, so that the error is reported when the document is opened.
  package func hasRootMember(_ name: String) -> Bool {
    bytes.withUnsafeBytes { bytes in
      let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      var scanner = JSONScanner(bytes, at: mark)
      guard scanner.peek() == UInt8(ascii: "{") else { return false }
      do throws(FormatError) {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
          if scanner.text(of: key) == name { return true }
          try scanner.skipValue()
        }
        return false
      } catch {
        let quoted = Array("\"\(name)\"".utf8)
        return bytes.indices.contains { start in
          bytes[start] == quoted[0] && bytes[start...].starts(with: quoted)
        }
      }
    }
  }
}
