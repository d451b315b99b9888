import CGDAL
import PlumbCore
import Synchronization

/// Checks whether the installed GDAL supports all parts of a VRT. GDAL silently ignores sources and
/// classes that only later versions support, and returns nodata or 0 for their cells. Therefore, a
/// VRT is checked for such parts before GDAL opens it.
///
/// The checks use GDAL itself where possible: its list of parsers for sources, and its error for an
/// unknown pixel function.
enum VirtualSupport {
  typealias Node = UnsafeMutablePointer<CPLXMLNode>

  /// A clause that names the class of a dataset if GDAL does not support it; nil if GDAL supports the class.
  ///
  /// - Parameter subclass: the subclass of the element `VRTDataset`.
  static func fault(ofClass subclass: String?) -> String? {
    guard let subclass, !subclass.isEmpty else { return nil }
    var known = ["vrtwarpeddataset", "vrtpansharpeneddataset"]
    if versionNumber >= 3_090_000 { known.append("vrtprocesseddataset") }
    return known.contains(subclass.lowercasedASCII) ? nil : clause("the class", subclass.printable)
  }

  /// A clause that names an unsupported source or the unsupported pixel function of a band; nil if GDAL
  /// supports all sources and the pixel function.
  static func fault(ofBand band: Node) -> String? {
    var child = band.pointee.psChild
    while let node = child {
      child = node.pointee.psNext
      guard node.pointee.eType == CXT_Element, let name = node.pointee.pszValue else { continue }
      if isSource(node, name), !sources.contains(where: { isEqual($0, name) }) {
        return clause("the source", "<\(String(cString: name).printable)>")
      }
    }
    guard let subclass = CPLGetXMLValue(band, "subClass", nil),
      isEqual("VRTDerivedRasterBand", subclass),
      isEqual("C", CPLGetXMLValue(band, "PixelFunctionLanguage", "C")),
      let function = CPLGetXMLValue(band, "PixelFunctionType", nil).map({ String(cString: $0) }),
      !has(function: function)
    else { return nil }
    return clause("the pixel function", function.printable)
  }

  private static func clause(_ kind: String, _ name: String) -> String {
    "needs another GDAL: GDAL \(version) does not support \(kind) \(name); convert it to a raster with "
      + "gdal_translate of a version that does"
  }

  private static func isEqual(_ text: String, _ other: UnsafePointer<CChar>?) -> Bool {
    other.map { String(cString: $0).lowercasedASCII == text.lowercasedASCII } ?? false
  }

  // MARK: Sources

  /// Whether an element of a band is a source of cells from other rasters.
  private static func isSource(_ node: Node, _ name: UnsafePointer<CChar>) -> Bool {
    let name = String(cString: name).lowercasedASCII
    if name.hasBytes(atEnd: "source") { return true }
    guard !["overview", "maskband"].contains(name) else { return false }
    return CPLGetXMLNode(node, "SourceFilename") != nil
      || CPLGetXMLNode(node, "SourceDataset") != nil
  }

  /// The names of the sources that GDAL has parsers for.
  private static let sources: [String] = {
    var names: [String] = []
    let driver = GDALGetDriverByName("VRT")
    var next = driver.flatMap { GDALGetMetadata($0, "SourceParsers") }
    while let item = next?.pointee {
      names.append(String(String(cString: item).prefix { $0 != "=" }))
      next = next?.advanced(by: 1)
    }
    // These sources exist in all versions.
    return names.isEmpty
      ? ["SimpleSource", "ComplexSource", "AveragedSource", "KernelFilteredSource"] : names
  }()

  // MARK: Pixel functions

  private static let functions = Mutex<[ByteName: Bool]>([:])

  /// Whether a pixel function is built in or registered. The function is tested by reading a cell
  /// with it.
  private static func has(function: String) -> Bool {
    let key = ByteName(function)
    if let known = functions.withLock({ $0[key] }) { return known }
    // Names that need escaping in XML are not tested. For these, GDAL reports its own error.
    guard function.utf8.allSatisfy({ $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }) else {
      return true
    }
    let text = """
      <VRTDataset rasterXSize="1" rasterYSize="1"><VRTRasterBand dataType="Float32" band="1" \
      subClass="VRTDerivedRasterBand"><PixelFunctionType>\(function)</PixelFunctionType>\
      </VRTRasterBand></VRTDataset>
      """
    CPLErrorReset()
    defer { CPLErrorReset() }
    if let dataset = withNames(["VRT"], { GDALOpenEx(text, UInt32(GDAL_OF_RASTER), $0, nil, nil) })
    {
      var cell: Float = 0
      _ = GDALRasterIOEx(
        GDALGetRasterBand(dataset, 1), GF_Read, 0, 0, 1, 1, &cell, 1, 1, GDT_Float32, 0, 0, nil)
      GDALClose(dataset)
    }
    // Because the test has no sources or arguments, a function may fail with other errors.
    let message = CPLGetLastErrorMsg().map { String(cString: $0) } ?? ""
    let isKnown = !message.contains("not registered")
    functions.withLock { functions in
      if functions.count >= 256 { functions = [:] }
      functions[key] = isKnown
    }
    return isKnown
  }

  // MARK: Versions

  private static func info(_ request: String) -> String {
    GDALVersionInfo(request).map { String(cString: $0) } ?? ""
  }

  /// The version of GDAL, such as `3.6.2`.
  private static let version = info("RELEASE_NAME")
  /// The version of GDAL as a number, such as 3060200.
  private static let versionNumber = Int(info("VERSION_NUM")) ?? 0
}
