import CGDAL
import PlumbCore
import PlumbGeometry
import PlumbIO

/// Reads the XML tree of a VRT, which GDAL has parsed, and collects its sources.
///
/// GDAL finds elements and attributes with the same functions, without regard to ASCII case.
/// Therefore, elements and attributes share two lists: the names whose values GDAL never opens, and
/// the names of sources. Any other name is an error. This includes names that a later version of
/// GDAL adds.
struct VirtualGrammar {
  typealias Node = UnsafeMutablePointer<CPLXMLNode>

  /// Whether every name and value must be in the lists. If false, only sources are collected, and
  /// only parts that GDAL would ignore silently are errors.
  let isStrict: Bool
  private(set) var sources: [VirtualSource] = []
  private var bandCount = 0

  init(isStrict: Bool) { self.isStrict = isStrict }

  /// A node that has not been read yet.
  private struct Open {
    var node: Node
    /// The name of the enclosing element or attribute.
    var parent: String
    var band: Int
    var isRaw: Bool
  }

  /// - Parameter root: the first node. Its siblings are also read.
  /// - Returns: a clause that names the part that is not allowed; nil if all parts are known.
  mutating func read(_ root: Node) -> String? {
    // An explicit stack is used instead of recursion, because the file determines the depth.
    var open = [Open(node: root, parent: "", band: 0, isRaw: false)]
    while var next = open.popLast() {
      let node = next.node
      if let sibling = node.pointee.psNext {
        open.append(Open(node: sibling, parent: next.parent, band: next.band, isRaw: next.isRaw))
      }
      switch node.pointee.eType {
      case CXT_Element, CXT_Attribute:
        let isElement = node.pointee.eType == CXT_Element
        if Self.sourceNames.contains(where: { Self.isNamed(node, $0) }) {
          // Only a source directly below a raw band is raw. GDAL opens a source elsewhere in the
          // band as a raster.
          let isRaw = next.isRaw && next.parent.hasSameBytes(as: "vrtrasterband")
          if let fault = source(node, isElement, next.band, isRaw) { return fault }
          continue
        }
        if isElement, Self.isNamed(node, "VRTDataset"),
          let fault = VirtualSupport.fault(ofClass: Self.text(node, "subClass"))
        {
          return fault
        }
        let isBand = isElement && Self.isNamed(node, "VRTRasterBand")
        if isBand {
          if let fault = VirtualSupport.fault(ofBand: node) { return fault }
          bandCount += 1
          next.band = bandCount
          next.isRaw = Self.text(node, "subClass")?.lowercasedASCII == "vrtrawrasterband"
        }
        // If the check is not strict, the only relevant parent name is the name of the band's
        // element.
        var name = isBand ? "vrtrasterband" : ""
        if isStrict {
          guard let value = self.value(of: node) else { return Self.notUTF8 }
          name = value.lowercasedASCII
          if let fault = Self.fault(of: node, name, value, isElement, next.parent) { return fault }
        }
        let isClosed = isStrict && Self.isClosed(node, name)
        if let child = node.pointee.psChild, !isClosed {
          open.append(Open(node: child, parent: name, band: next.band, isRaw: next.isRaw))
        }
      case CXT_Text where isStrict:
        guard let value = self.value(of: node) else { return Self.notUTF8 }
        if let fault = Self.fault(ofText: value, in: next.parent) { return fault }
      case CXT_Literal where isStrict:
        // The node is a DOCTYPE. GDAL's VRT reader ignores it, but other readers do not.
        return "has a declaration"
      default: break
      }
    }
    return nil
  }

  // MARK: Sources

  /// The names of elements and attributes whose values GDAL opens.
  private static let sourceNames: [StaticString] = [
    "SourceFilename", "SourceDataset", "SrcDataSource",
  ]

  private mutating func source(
    _ node: Node, _ isElement: Bool, _ band: Int, _ isRaw: Bool
  ) -> String? {
    // A source consists of attributes, if it is an element, followed by one text node. GDAL accepts
    // nothing else.
    var text: String?
    var count = 0
    var relative: String?
    var child = node.pointee.psChild
    while let next = child {
      guard let value = self.value(of: next) else { return Self.notUTF8 }
      switch next.pointee.eType {
      case CXT_Attribute:
        switch value.lowercasedASCII {
        case "relativetovrt":
          relative = relative ?? next.pointee.psChild.flatMap { self.value(of: $0) }
        case "shared": break
        default: if isStrict { return "has a source with the attribute \(value.printable)" }
        }
      case CXT_Text:
        text = value
        count += 1
      default: count += 2
      }
      child = next.pointee.psNext
    }
    if isStrict, !isElement || count > 1 {
      return "has a source that is not plain text"
    }
    guard let text, !text.isEmpty else { return nil }
    let isRelative: Bool? =
      switch relative {
      case nil, "0"?: false
      case "1"?: true
      default: nil
      }
    sources.append(
      VirtualSource(
        text: text, isRelative: isRelative,
        isRaw: isRaw && Self.isNamed(node, "SourceFilename"), band: band))
    return nil
  }

  // MARK: Other nodes

  private static func fault(
    of node: Node, _ name: String, _ shown: String, _ isElement: Bool, _ parent: String
  ) -> String? {
    let known = ByteName(name)
    // The arguments of GDAL's own pixel functions are numbers.
    if parent == "pixelfunctionarguments", !isElement { return nil }
    guard Names.inert.contains(known) || Names.references.contains(known) else {
      return "has a \(shown.printable)"
    }
    switch name {
    case "subclass":
      let value = child(node)?.lowercasedASCII ?? ""
      return Names.classes.contains(ByteName(value)) ? nil : "has the class \(value.printable)"
    case "pixelfunctionlanguage":
      let value = child(node) ?? ""
      return ["C", "builtin"].contains { $0.hasSameBytes(as: value) }
        ? nil : "has a pixel function in the language \(value.printable)"
    case "option":
      let key = (text(node, "name") ?? text(node, "key") ?? "").lowercasedASCII
      return Names.options.contains(ByteName(key)) ? nil : "has the option \(key.printable)"
    case "metadata":
      let domain = (text(node, "domain") ?? "").lowercasedASCII
      return isPlain(domain: domain) ? nil : "has metadata \(domain.printable)"
    case "mdi":
      let key = (text(node, "key") ?? "").lowercasedASCII
      return Names.filesInMetadata.contains(ByteName(key)) ? "names \(key.printable)" : nil
    default: return nil
    }
  }

  /// Whether the children of a node are not checked, because the node is metadata that is itself
  /// XML.
  private static func isClosed(_ node: Node, _ name: String) -> Bool {
    guard name == "metadata", text(node, "format")?.lowercasedASCII == "xml" else { return false }
    return text(node, "domain")?.lowercasedASCII.hasBytes(atStart: "xml:") == true
  }

  private static func isPlain(domain: String) -> Bool {
    if domain.hasBytes(atStart: "xml:") { return !domain.hasSameBytes(as: "xml:vrt") }
    return domain.isEmpty || Names.domains.contains(ByteName(domain))
  }

  private static func fault(ofText text: String, in parent: String) -> String? {
    let name = ByteName(parent)
    if Names.references.contains(name) {
      return referenceFault(text).map { "is refused: its CRS names \($0.printable)" }
    }
    // The value is a coordinate operation.
    if parent == "option", let file = SpatialReference.file(namedIn: text) {
      return "names \(file.printable)"
    }
    // GDAL opens none of the other values. If a value contains the name of a file system or a
    // service, the element is probably missing from the lists.
    let isFree = Names.freeTexts.contains(name)
    guard isFree || !text.hasBytes(of: "://") && !text.hasBytes(of: "/vsi") else {
      return "names \(text.printable)"
    }
    return nil
  }

  /// The file or URL that a CRS refers to; nil for a self-contained definition.
  private static func referenceFault(_ text: String) -> String? {
    if let file = SpatialReference.file(namedIn: text) { return file }
    let plain = text.trimmingASCIISpace().lowercasedASCII
    let isNumberOfOGC = ["http://www.opengis.net/def/crs/", "http://opengis.net/def/crs/"]
      .contains { plain.hasBytes(atStart: $0) }
    let isAddress = ["http:", "https:", "ftp:", "/vsi", "file:"].contains {
      plain.hasBytes(atStart: $0)
    }
    if isAddress, !isNumberOfOGC { return text }
    // If a file with that name exists, GDAL reads it.
    let isFile = text.utf8.count < 4096 && FileKind(path: text) != nil
    return isFile ? text : nil
  }

  // MARK: Nodes

  /// The name or value of a node. If the check is strict, nil for a string that is not UTF-8,
  /// because a Swift string cannot represent the name that GDAL would use.
  private func value(of node: Node) -> String? {
    guard let text = node.pointee.pszValue else { return "" }
    return isStrict ? String(validatingCString: text) : String(cString: text)
  }

  /// Whether a node has the given name, without regard to ASCII case.
  private static func isNamed(_ node: Node, _ name: StaticString) -> Bool {
    guard let nodeName = node.pointee.pszValue else { return false }
    return name.withUTF8Buffer { name in
      for (index, byte) in name.enumerated()
      where UInt8(bitPattern: nodeName[index]).lowercasedASCII != byte.lowercasedASCII {
        return false
      }
      return nodeName[name.count] == 0
    }
  }

  private static let notUTF8 = "has text that is not UTF-8"

  /// The value of an attribute or element below a node. If several have the name, the first is
  /// used, as in GDAL.
  private static func text(_ node: Node, _ name: String) -> String? {
    CPLGetXMLValue(node, name, nil).map { String(cString: $0) }
  }

  /// The value of an attribute or element.
  private static func child(_ node: Node) -> String? {
    CPLGetXMLValue(node, nil, nil).map { String(cString: $0) }
  }
}
