import CGDAL
import PlumbCore

/// A source that one of GDAL's virtual formats (VRT of rasters, VRT of features) names.
package struct VirtualSource: Sendable, Hashable {
  /// A path, or another name that GDAL opens.
  package var text: String
  /// Whether it starts from the file that names it, not from the working folder; nil where GDAL's
  /// readers of rasters and of features take the attribute differently.
  package var isRelative: Bool?
  /// Whether its bytes are cells, whatever the format.
  package var isRaw = false
  /// The number of the band that has the source; 0 outside of bands.
  package var band = 0

  /// All sources in a file.
  ///
  /// - Throws: when the file cannot be read, or has an element, an attribute or a value that is not
  ///   known to name nothing else (`VirtualGrammar`).
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

  /// The paths that a source may stand for, seen from a file.
  ///
  /// GDAL starts from the file behind a link, or from the link, as the format has it.
  ///
  /// - Parameter folders: of the file, each with a slash at its end or empty.
  package func paths(from folders: [String]) -> [String] {
    let below = text.hasBytes(atStart: "/") ? [text] : folders.map { $0 + text }
    return switch isRelative {
    case true?: below
    case false?: [text]
    case nil: below + [text]
    }
  }
}
