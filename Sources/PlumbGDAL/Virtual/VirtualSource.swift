import CGDAL
import PlumbCore

/// A source of a file in one of GDAL's virtual formats (raster VRT or OGR VRT).
package struct VirtualSource: Sendable, Hashable {
  /// A path, or another name that GDAL opens.
  package var text: String
  /// Whether the path is relative to the folder of the virtual file and not to the working
  /// directory; nil if GDAL's readers of rasters and of features interpret the attribute
  /// differently.
  package var isRelative: Bool?
  /// Whether the bytes of the source are cells, regardless of its format.
  package var isRaw = false
  /// The number of the band that has the source; 0 if the source is not in a band.
  package var band = 0

  /// Returns all sources in a file.
  ///
  /// - Throws: if the file cannot be read, or contains an unknown element, attribute or value,
  ///   which may refer to further sources (see `VirtualGrammar`).
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

  /// Returns the possible paths of a source of a virtual file.
  ///
  /// If the virtual file is a link, GDAL resolves relative paths from the folder of the link or of
  /// its target, depending on the format.
  ///
  /// - Parameter folders: the folders of the virtual file. Each is empty or ends with a slash.
  package func paths(from folders: [String]) -> [String] {
    let below = text.hasBytes(atStart: "/") ? [text] : folders.map { $0 + text }
    return switch isRelative {
    case true?: below
    case false?: [text]
    case nil: below + [text]
    }
  }
}
