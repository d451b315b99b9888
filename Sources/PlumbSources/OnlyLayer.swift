import PlumbCore
import PlumbGDAL
import PlumbIO

/// The only layer of a file without named layers, such as delimited text and GeoJSON. Users may refer to the
/// layer by the name in listings.
package enum OnlyLayer {
  /// The names of the layer: the file's name without its extension, and the file's name up to the first dot.
  package static func names(of path: String) -> [String] {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let start = file.utf8.firstIndex(of: UInt8(ascii: ".")).map { String(file[..<$0]) } ?? file
    return [stem(path), start]
  }

  /// The file's name without its extension.
  package static func stem(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
  }

  /// - Throws: `bad_option` if `layer` is not the name of the file's only layer.
  static func check(_ layer: String?, of path: String, _ access: DocumentAccess) throws {
    guard let layer, !names(of: path).contains(layer) else { return }
    let isFile = FileKind(path: path) == .file
    // A GeoJSON file may contain a layer name.
    let listed =
      isFile
      ? try? SourceInspection.layerNames(of: path, access: access.named ?? .named(path)) : nil
    if listed?.contains(layer) == true { return }
    let hint = isFile ? " but \(stem(path).printable)" : ""
    throw PlumbError(
      messageTemplate: "\(.layer) is for files with layers; \(path.printable) has none\(hint)",
      code: .badOption, context: FailureContext(file: path))
  }
}
