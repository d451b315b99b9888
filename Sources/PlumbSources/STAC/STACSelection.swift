import PlumbCore
import PlumbIO

/// An asset of the items of a STAC document: `items.json#EVI`.
package struct STACSelection: Sendable {
  /// The location of a document.
  enum Place: Sendable, Hashable {
    case file(String)
    case address(String)

    /// The name in messages.
    var text: String {
      switch self {
      case .file(let path): path
      case .address(let url): url
      }
    }

    var isAddress: Bool { if case .address = self { true } else { false } }
  }

  /// The documents; several if the path is a pattern.
  let documents: [Place]
  /// The key of the asset.
  let asset: String

  /// - Parameter files: the existing files for a path or a pattern of paths.
  /// - Returns: nil for text of another form, and if there is no such file.
  init?(_ text: String, files: (String) throws -> [String]) rethrows {
    let bytes = Array(text.utf8)
    guard let hash = bytes.lastIndex(of: UInt8(ascii: "#")), hash > 0, hash + 1 < bytes.count else {
      return nil
    }
    let path = String(decoding: bytes[..<hash], as: UTF8.self)
    asset = String(decoding: bytes[(hash + 1)...], as: UTF8.self)
    if Self.isAddress(path) {
      guard Self.isDocument(address: path) else { return nil }
      documents = [.address(path)]
      return
    }
    let paths = try files(path)
    guard !paths.isEmpty, paths.allSatisfy({ Self.isDocument($0) }) else { return nil }
    documents = paths.map { .file($0) }
  }

  /// Whether an argument is an asset of a STAC document.
  package static func isAsset(_ argument: String) -> Bool {
    guard FileKind(path: argument) == nil else { return false }
    return STACSelection(argument, files: { FileKind(path: $0) == nil ? [] : [$0] }) != nil
  }

  private static let endings = [".json", ".geojson"]

  /// Whether text is an http or https address.
  static func isAddress(_ text: String) -> Bool {
    let lower = String(decoding: text.utf8.prefix(8), as: UTF8.self).lowercasedASCII
    return lower.hasBytes(atStart: "http://") || lower.hasBytes(atStart: "https://")
  }

  /// Whether text is the name of a remote file: an http or https address, or a file in a bucket.
  static func isRemote(_ text: String) -> Bool { isAddress(text) || BucketName(text) != nil }

  /// Whether a file is JSON, by its extension or its first byte.
  private static func isDocument(_ path: String) -> Bool {
    guard FileKind(path: path) == .file else { return false }
    let lower = path.lowercasedASCII
    return endings.contains { lower.hasBytes(atEnd: $0) }
      || DocumentFile.startsLikeObject(path: path)
  }

  /// Whether an address refers to JSON: the file has a JSON extension or, as in an API, no
  /// extension.
  private static func isDocument(address: String) -> Bool {
    let path = String(decoding: address.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    let name = path.lastPathWord.lowercasedASCII
    return !name.utf8.contains(UInt8(ascii: ".")) || endings.contains { name.hasBytes(atEnd: $0) }
  }
}
