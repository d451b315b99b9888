import CGDAL
import PlumbCore
import PlumbRaster

/// A VRT whose bands consist of unchanged windows of other rasters, without resampling, arithmetic
/// or masks.
package struct VirtualMosaic {
  /// A raster that the VRT refers to.
  package struct Source: Hashable {
    package var path: String
    /// Whether the path is relative to the VRT's folder.
    package var isRelative: Bool

    package static func == (a: Source, b: Source) -> Bool {
      a.isRelative == b.isRelative && a.path.hasSameBytes(as: b.path)
    }

    package func hash(into hasher: inout Hasher) {
      ByteName(path).hash(into: &hasher)
      hasher.combine(isRelative)
    }
  }

  /// The sources without duplicates.
  package private(set) var sources: [Source] = []
  /// The parts of each band. Where parts overlap, the last one is on top.
  package private(set) var parts: [[CompositeTileSource.Part]] = []
  /// The numbers of columns and rows of a tile that matches the sources' tiles.
  package private(set) var tile = (width: 512, height: 512)

  private var numbers: [Source: Int] = [:]
  /// The block size of the sources, as declared in the VRT; nil if two sources differ, or if the
  /// blocks of a source are not aligned.
  private var block: (width: Int, height: Int)?
  private var isFirst = true

  /// - Parameters:
  ///   - path: the path of a VRT file.
  ///   - profile: the VRT's profile from GDAL.
  /// - Returns: nil for a VRT of any other kind.
  package init?(path: String, profile: RasterProfile) {
    guard !profile.isInterleaved,
      profile.bands.allSatisfy({
        if case .mask = $0.validity { false } else { !$0.pixelType.isComplex }
      }), let root = CPLParseXMLFile(path)
    else { return nil }
    defer { CPLDestroyXMLNode(root) }
    guard let dataset = CPLGetXMLNode(root, "=VRTDataset"),
      CPLGetXMLValue(dataset, "subClass", nil) == nil,
      CPLGetXMLNode(dataset, "MaskBand") == nil
    else { return nil }
    for node in Children(dataset) where node.isElement("VRTRasterBand") {
      guard parts.count < profile.bands.count,
        let list = read(band: node, profile.bands[parts.count].pixelType, profile.grid)
      else { return nil }
      parts.append(list)
    }
    guard parts.count == profile.bands.count, !sources.isEmpty else { return nil }
    if let block { tile = block }
  }

  /// The elements of a band, other than sources, that do not change cells.
  private static let inert: Set<String> = [
    "ColorInterp", "NoDataValue", "Metadata", "Description", "UnitType", "Offset", "Scale",
    "CategoryNames", "ColorTable", "GDALRasterAttributeTable", "Histograms", "Overview",
  ]
  /// The supported elements of a source.
  private static let known: Set<String> = [
    "SourceFilename", "SourceBand", "SourceProperties", "SrcRect", "DstRect", "NODATA",
  ]

  private mutating func read(
    band: XMLNode, _ type: PixelType, _ grid: TileGrid
  ) -> [CompositeTileSource.Part]? {
    guard band.value("subClass") == nil else { return nil }
    var list: [CompositeTileSource.Part] = []
    for node in Children(band.node) where node.isElement {
      switch node.name {
      case "SimpleSource", "ComplexSource":
        switch read(source: node, type, grid) {
        case .part(let part): list.append(part)
        case .nothing: break
        case .other: return nil
        }
      case let name where Self.inert.contains(name): break
      default: return nil
      }
    }
    return list
  }

  private enum Reading {
    case part(CompositeTileSource.Part)
    /// A source outside the raster.
    case nothing
    case other
  }

  private mutating func read(source node: XMLNode, _ type: PixelType, _ grid: TileGrid) -> Reading {
    for child in Children(node.node) where child.isElement && !Self.known.contains(child.name) {
      return .other
    }
    guard let name = CPLGetXMLNode(node.node, "SourceFilename").map({ XMLNode(node: $0) }),
      let path = name.value(""), !path.isEmpty, !NetworkName.leadsToNetwork(path),
      let from = Window(node, "SrcRect"), let to = Window(node, "DstRect"),
      from.width == to.width, from.height == to.height, from.column >= 0, from.row >= 0,
      let band = Int(node.value("SourceBand") ?? "1"), band > 0
    else { return .other }
    var noData: NoData?
    if let text = node.value("NODATA") {
      guard node.name == "ComplexSource", let value = Self.number(text, of: type) else {
        return .other
      }
      noData = value
    }
    // The window is clipped to the raster. The window in the source is clipped by the same numbers
    // of columns and rows.
    let left = max(0, -to.column)
    let top = max(0, -to.row)
    let width = min(to.width - left, grid.width - to.column - left)
    let height = min(to.height - top, grid.height - to.row - top)
    guard width > 0, height > 0 else { return .nothing }
    let isRelative = name.value("relativeToVRT").map { Int($0) ?? (CPLTestBool($0) ? 1 : 0) } ?? 0
    let source = Source(path: path, isRelative: isRelative != 0)
    let number = numbers[source] ?? sources.count
    if number == sources.count {
      sources.append(source)
      numbers[source] = number
    }
    let part = CompositeTileSource.Part(
      source: number, band: band - 1,
      window: CellWindow(
        column: to.column + left, row: to.row + top, width: width, height: height),
      column: from.column + left, row: from.row + top, noData: noData)
    keepBlock(of: node, part, grid)
    return .part(part)
  }

  /// Stores the block size of the sources while all sources have the same block size and their
  /// block edges are aligned to one grid of the raster.
  private mutating func keepBlock(
    of node: XMLNode, _ part: CompositeTileSource.Part, _ grid: TileGrid
  ) {
    defer { isFirst = false }
    guard isFirst || block != nil else { return }
    guard let width = node.value("SourceProperties.BlockXSize").flatMap({ Int($0) }),
      let height = node.value("SourceProperties.BlockYSize").flatMap({ Int($0) }), width > 0,
      height > 0, width <= 4096, height <= 4096, width * height >= 64 * 64,
      (part.window.column - part.column) % width == 0,
      (part.window.row - part.row) % height == 0, isFirst || block! == (width, height)
    else {
      block = nil
      return
    }
    block = (width, height)
  }

  /// Returns the nodata value of a source. GDAL compares it as a float or double, regardless of the
  /// pixel type.
  private static func number(_ text: String, of type: PixelType) -> NoData? {
    guard let value = Double(text.filter { !$0.isWhitespace }) else { return nil }
    switch type {
    case .float32, .float64: return .real(value)
    case .uint8, .int8, .uint16, .int16, .uint32, .int32:
      // GDAL compares a value outside the range of the cells differently.
      return Int32(exactly: value) != nil || UInt32(exactly: value) != nil ? .real(value) : nil
    default: return nil
    }
  }

  /// A window of integer cells.
  private struct Window {
    var column: Int
    var row: Int
    var width: Int
    var height: Int

    init?(_ node: XMLNode, _ name: String) {
      func number(_ attribute: String) -> Int? {
        node.value("\(name).\(attribute)").flatMap { Double($0) }.flatMap { Int(exactly: $0) }
          .flatMap { $0.magnitude <= UInt(Int32.max) ? $0 : nil }
      }
      guard let column = number("xOff"), let row = number("yOff"), let width = number("xSize"),
        let height = number("ySize"), width > 0, height > 0
      else { return nil }
      (self.column, self.row, self.width, self.height) = (column, row, width, height)
    }
  }
}

/// A node of GDAL's XML tree. The tree must outlive it.
private struct XMLNode {
  let node: UnsafeMutablePointer<CPLXMLNode>

  var name: String { node.pointee.pszValue.map { String(cString: $0) } ?? "" }
  var isElement: Bool { node.pointee.eType == CXT_Element }

  func isElement(_ name: String) -> Bool { isElement && self.name == name }

  /// The value of an element or attribute below the node; nil if it does not exist.
  func value(_ path: String) -> String? {
    CPLGetXMLValue(node, path, nil).map { String(cString: $0) }
  }
}

private struct Children: Sequence, IteratorProtocol {
  private var current: UnsafeMutablePointer<CPLXMLNode>?

  init(_ parent: UnsafeMutablePointer<CPLXMLNode>) { current = parent.pointee.psChild }

  mutating func next() -> XMLNode? {
    guard let node = current else { return nil }
    current = node.pointee.psNext
    return XMLNode(node: node)
  }
}
