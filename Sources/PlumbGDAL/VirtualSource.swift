import CGDAL
import PlumbCore

/// The sources that GDAL's virtual formats (VRT of rasters, VRT of features) name.
package struct VirtualSource: Sendable, Hashable {
  /// A path, or whatever else GDAL opens.
  package var text: String
  /// Whether it starts from the file that names it, not from the working folder.
  package var isRelative: Bool

  /// Elements that hold a source.
  private static let sources: Set<String> = [
    "sourcefilename", "sourcedataset", "srcdatasource",
  ]
  /// Elements that may open what no list tells: SQL that joins other files, options of drivers,
  /// heights for a camera's model, code.
  private static let doors: Set<String> = [
    "srcsql", "openoptions", "dempath", "pixelfunctioncode", "geoloctransformer",
  ]

  /// All sources in a file.
  ///
  /// - Throws: when it cannot be read, or has more than its sources that may lead elsewhere.
  package static func list(inFile path: String) throws(GDALError) -> [VirtualSource] {
    try GDALLibrary.load()
    CPLErrorReset()
    guard let root = CPLParseXMLFile(path) else {
      throw GDALError(GDALLibrary.lastError("\(path.printable) is not XML"))
    }
    defer { CPLDestroyXMLNode(root) }
    var result: [VirtualSource] = []
    // A stack of its own: the file says how deep it is.
    var open: [(node: UnsafeMutablePointer<CPLXMLNode>, element: String)] = [(root, "")]
    while let (node, element) = open.popLast() {
      if let next = node.pointee.psNext { open.append((next, element)) }
      let value = node.pointee.pszValue.map { String(cString: $0) } ?? ""
      switch node.pointee.eType {
      case CXT_Element:
        let name = value.lowercased()
        guard !doors.contains(name) else {
          throw GDALError("\(path.printable) has a \(value.printable)")
        }
        if sources.contains(name) {
          let text = CPLGetXMLValue(node, "", "").map { String(cString: $0) } ?? ""
          let relative = CPLGetXMLValue(node, "relativeToVRT", "0").map { String(cString: $0) }
          result.append(VirtualSource(text: text, isRelative: relative.map { isTrue($0) } ?? false))
        }
        if let child = node.pointee.psChild { open.append((child, name)) }
      case CXT_Attribute:
        // GDAL takes an attribute where it looks for an element.
        guard !doors.contains(value.lowercased()), !sources.contains(value.lowercased()) else {
          throw GDALError("\(path.printable) has a \(value.printable)")
        }
        if let child = node.pointee.psChild { open.append((child, element)) }
      case CXT_Text:
        let text = value.lowercased()
        let isDataset = ["x_dataset", "y_dataset", "overview_file", "overviews"].contains(text)
        let isInert = element == "mdi" || element == "description"
        guard !isDataset, isInert || !text.contains("://") && !text.contains("/vsi") else {
          throw GDALError("\(path.printable) names \(value.printable)")
        }
      default: break
      }
    }
    return result
  }

  /// As GDAL reads the attribute: a number, or a word.
  private static func isTrue(_ text: String) -> Bool {
    Int(text).map { $0 != 0 } ?? CPLTestBool(text)
  }
}
