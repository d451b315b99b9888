import CGDAL
import PlumbCore

/// A source that one of GDAL's virtual formats (VRT of rasters, VRT of features) names.
package struct VirtualSource: Sendable, Hashable {
  /// A path, or another name that GDAL opens.
  package var text: String
  /// Whether the path is relative to the file that names it, not to the working directory; nil if GDAL's
  /// readers of rasters and of features interpret the attribute differently.
  package var isRelative: Bool?
  /// Whether the bytes of the source are cells, regardless of its format.
  package var isRaw = false
  /// The number of the band that has the source; 0 outside of bands.
  package var band = 0

  /// Returns all sources in a file.
  ///
  /// - Throws: when the file cannot be read, or has an unknown element, attribute or value, which may
  ///   name further sources (`VirtualGrammar`).
  package static func list(inFile path: String) throws(GDALError) -> [VirtualSource] {
    try GDALLibrary.load()
    CPLErrorReset()
    guard let root = CPLParseXMLFile(path) else {
      throw GDALError(GDALLibrary.lastError("\(path.printable) is not XML"))
    }
    defer { CPLDestroyXMLNode(root) }
    var grammar = VirtualGrammar(isStrict: true)
    if let fault = grammar.read(root) { throw GDALError("\(path.printable) \(fault)") }
    return grammar.sources
  }

  /// The possible paths of a source, relative to the file that names it.
  ///
  /// Depending on the format, GDAL resolves relative paths from the folder of a link or of the link's target.
  ///
  /// - Parameter folders: the file's folders, each with a slash at its end or empty.
  package func paths(from folders: [String]) -> [String] {
    let below = text.hasBytes(atStart: "/") ? [text] : folders.map { $0 + text }
    return switch isRelative {
    case true?: below
    case false?: [text]
    case nil: below + [text]
    }
  }
}
