import CGDAL
import PlumbCore
import PlumbGeometry
import PlumbIO

/// A layer of a source that OGR has opened, with the properties that are available before a feature
/// is read.
///
/// Only one thread at a time may use a layer.
final class VectorLayer {
  let name: String
  /// The columns with their OGR declarations.
  let fields: [VectorField]
  /// The CRS as a code or WKT 2:2019; nil if the layer has none.
  let referenceText: String?
  /// The number of features; nil if it is known only after reading all of them.
  let featureCount: Int?
  let hasGeometry: Bool
  /// Whether the source is a database that evaluates conditions itself.
  let isDatabase: Bool
  /// Whether the first coordinate is a northing.
  let isSwapped: Bool
  /// The files of the source that its driver reports.
  let files: [String]

  /// The resources that GDAL may use for the layer. Callers must call `enter()` before they read
  /// features.
  let access: GDALAccess

  private let path: String
  private let dataset: GDALDatasetH
  private let fault: FaultLine
  private let layer: OGRLayerH

  /// - Parameters:
  ///   - path: a file, or any other source that OGR opens.
  ///   - name: the layer's name; nil for the only layer of the source.
  ///   - keepsText: whether strings that look like dates remain strings in formats without dates.
  ///   - access: the resources that GDAL may use for the source.
  /// - Throws: `GDALError` if the source cannot be opened, with a message that lists the layers if
  ///   the name is missing or unknown.
  init(
    path: String, layer name: String?, keepsText: Bool = false, access: GDALAccess
  ) throws(GDALError) {
    try GDALLibrary.load()
    let stay = try access.enterToOpen()
    defer { stay.leave() }
    self.access = access
    self.path = path
    if let fault = SideFile.openingFault(path, access) { throw fault }
    CPLErrorReset()
    let flags = UInt32(GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR)
    let opened = openDataset(path, flags, access.drivers, keepsText: keepsText)
    guard let dataset = opened else {
      let isPlain = !path.hasPrefix("/vsi") && !path.contains(":")
      if isPlain, FileKind(path: path) == nil {
        throw GDALError(noSuchFile(path).message, code: .notFound)
      }
      if ThreadAccess.current.refusal == nil, let advice = UnsupportedFileAdvice.advice(path) {
        throw GDALError(advice, code: .unsupported)
      }
      throw Self.fault(path, "\(path.printable) is not a vector source that GDAL can open")
    }
    let layer: OGRLayerH
    do throws(GDALError) {
      layer = try Self.layer(name, of: dataset, path)
    } catch {
      GDALClose(dataset)
      throw ThreadAccess.current.refusal == nil ? error : Self.fault(path, error.message)
    }
    fault = FaultLine(path: path, dataset: dataset)
    isDatabase = DatabaseSession.isDatabase(dataset)
    self.dataset = dataset
    self.layer = layer
    self.name = OGR_L_GetName(layer).map { String(cString: $0) } ?? ""
    let definition = OGR_L_GetLayerDefn(layer)
    fields = (0..<OGR_FD_GetFieldCount(definition)).compactMap { index in
      OGR_FD_GetFieldDefn(definition, index).map { VectorField(definition: $0) }
    }
    hasGeometry = OGR_FD_GetGeomFieldCount(definition) > 0 && OGR_L_GetGeomType(layer) != wkbNone
    let isQuery = ["GPKG", "SQLite"].contains(Self.driverName(of: dataset))
    let reference = OGR_L_GetSpatialRef(layer)
    referenceText = reference.flatMap { PlumbGDAL.referenceText($0) }
    isSwapped = reference.map { northingComesFirst($0) } ?? false
    let count =
      OGR_L_TestCapability(layer, OLCFastFeatureCount) != 0
      ? Int(OGR_L_GetFeatureCount(layer, 0)) : -1
    featureCount = count < 0 ? nil : count
    if isDatabase {
      guard CPLGetLastErrorType().rawValue < CE_Failure.rawValue else {
        throw DatabaseSession.fault(path, "the table cannot be read")
      }
      try DatabaseSession(dataset: dataset, path: path).checkReference(of: layer)
    }
    files = Self.files(of: dataset)
    OGR_L_ResetReading(layer)
    if access.trust == .document, let text = referenceText,
      let file = SpatialReference.file(namedIn: text)
    {
      throw .refusal(of: path, "its CRS names \(file.printable)")
    }
    guard ThreadAccess.current.refusal == nil else {
      throw Self.fault(path, "\(path.printable) is refused")
    }
    // If a layer refers to another layer or is a query, a missing table may be detected only now.
    if fields.isEmpty, !hasGeometry || isQuery,
      CPLGetLastErrorType().rawValue >= CE_Failure.rawValue
    {
      throw Self.fault(path, "\(path.printable) has a layer that cannot be opened")
    }
  }

  deinit { GDALClose(dataset) }

  /// GDAL's error, preceded by the name of the source unless the message contains it.
  private static func fault(_ path: String, _ fallback: String) -> GDALError {
    let isRefused = ThreadAccess.current.refusal != nil
    if !isRefused, DatabaseAddress.isAddress(path) { return DatabaseSession.fault(path, fallback) }
    let message = GDALLibrary.lastError(fallback)
    if isRefused { return .refusal(of: path, message) }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return GDALError(
      message.contains(name.printable) ? message : "\(path.printable): \(message)")
  }

  private static func layer(
    _ name: String?, of dataset: GDALDatasetH, _ path: String
  ) throws(GDALError) -> OGRLayerH {
    if let name {
      if let layer = GDALDatasetGetLayerByName(dataset, name) { return layer }
      throw GDALError(
        "\(path.printable) has no layer \"\(name.printable)\"; it has \(layerNames(dataset))")
    }
    let count = GDALDatasetGetLayerCount(dataset)
    if count == 1, let layer = GDALDatasetGetLayer(dataset, 0) { return layer }
    if count <= 0 { throw GDALError("\(path.printable) has no vector layer") }
    throw GDALError(
      "\(path.printable) has several layers; name one of them: \(layerNames(dataset))")
  }

  private static func layerNames(_ dataset: GDALDatasetH) -> String {
    let count = GDALDatasetGetLayerCount(dataset)
    var names = (0..<min(count, 10)).compactMap { index in
      GDALDatasetGetLayer(dataset, index).flatMap { OGR_L_GetName($0) }
        .map { "\"" + String(cString: $0).printable + "\"" }
    }
    if count > 10 { names.append("and \(count - 10) more") }
    return names.isEmpty ? "none" : names.joined(separator: ", ")
  }

  private static func files(of dataset: GDALDatasetH) -> [String] {
    let list = GDALGetFileList(dataset)
    defer { CSLDestroy(list) }
    var files: [String] = []
    var next = list
    while let file = next?.pointee {
      files.append(String(cString: file))
      next = next?.advanced(by: 1)
    }
    return files
  }

  /// The extent of all geometries, with x before y; nil if it is known only after reading all of
  /// them.
  var extent: (xMin: Double, yMin: Double, xMax: Double, yMax: Double)? {
    var box = OGREnvelope()
    guard hasGeometry, OGR_L_TestCapability(layer, OLCFastGetExtent) != 0,
      OGR_L_GetExtent(layer, &box, 0) == OGRERR_NONE
    else { return nil }
    return isSwapped
      ? (box.MinY, box.MinX, box.MaxY, box.MaxX) : (box.MinX, box.MinY, box.MaxX, box.MaxY)
  }

  /// Whether the source is a GeoJSON or EsriJSON document, whose features may have ids.
  var isJSON: Bool { ["GeoJSON", "ESRIJSON"].contains(Self.driverName(of: dataset)) }

  /// The column of the features' ids; nil if the source has no ids and the driver numbers the
  /// features.
  var numberColumn: String? {
    OGR_L_GetFIDColumn(layer).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  // MARK: Features

  /// Whether features in a window are found without reading all features.
  ///
  /// The value is false for virtual layers. They may number their features differently in each
  /// window, so that the same feature cannot be recognized in different windows.
  var hasSpatialIndex: Bool {
    hasGeometry && OGR_L_TestCapability(layer, OLCFastSpatialFilter) != 0 && !isVirtual
  }

  private var isVirtual: Bool { Self.driverName(of: dataset) == "OGR_VRT" }

  private static func driverName(of dataset: GDALDatasetH) -> String {
    GDALGetDatasetDriver(dataset).flatMap { GDALGetDriverShortName($0) }
      .map { String(cString: $0) } ?? ""
  }

  /// The declared geometry type, with the name used in WKT; nil if the layer has no geometries.
  var geometryKind: String? {
    guard hasGeometry else { return nil }
    let type = OGR_L_GetGeomType(layer)
    let name: String
    switch OGR_GT_Flatten(type) {
    case wkbPoint: name = "Point"
    case wkbLineString: name = "LineString"
    case wkbPolygon: name = "Polygon"
    case wkbMultiPoint: name = "MultiPoint"
    case wkbMultiLineString: name = "MultiLineString"
    case wkbMultiPolygon: name = "MultiPolygon"
    case wkbGeometryCollection: name = "GeometryCollection"
    case wkbCircularString: name = "CircularString"
    case wkbCompoundCurve: name = "CompoundCurve"
    case wkbCurvePolygon: name = "CurvePolygon"
    case wkbMultiCurve: name = "MultiCurve"
    case wkbMultiSurface: name = "MultiSurface"
    case wkbCurve: name = "Curve"
    case wkbSurface: name = "Surface"
    case wkbPolyhedralSurface: name = "PolyhedralSurface"
    case wkbTIN: name = "TIN"
    case wkbTriangle: name = "Triangle"
    default: name = "Geometry"
    }
    let suffix = (OGR_GT_HasZ(type) != 0 ? "Z" : "") + (OGR_GT_HasM(type) != 0 ? "M" : "")
    return suffix.isEmpty ? name : name + " " + suffix
  }

  /// Restarts at the first feature that intersects a window, or at the first feature of the layer
  /// if the window is nil.
  func restart(in window: Envelope?) {
    if let window {
      isSwapped
        ? OGR_L_SetSpatialFilterRect(layer, window.yMin, window.xMin, window.yMax, window.xMax)
        : OGR_L_SetSpatialFilterRect(layer, window.xMin, window.yMin, window.xMax, window.yMax)
    } else {
      OGR_L_SetSpatialFilter(layer, nil)
    }
    OGR_L_ResetReading(layer)
  }

  /// Restricts the features to those that meet a condition in the SQL of the database; nil for all.
  /// Takes effect at the next restart.
  func select(_ condition: String?) {
    guard isDatabase else { return }
    OGR_L_SetAttributeFilter(layer, condition)
  }

  /// Returns the next feature, which the caller must destroy; nil at the end.
  func nextFeature() throws(GDALError) -> OGRFeatureH? {
    CPLErrorReset()
    if let feature = fault.whileInside({ OGR_L_GetNextFeature(layer) }) { return feature }
    if CPLGetLastErrorType().rawValue >= CE_Failure.rawValue {
      if ThreadAccess.current.refusal != nil { throw Self.fault(path, "") }
      if isDatabase { throw DatabaseSession.fault(path, "a feature could not be read") }
      throw GDALError(GDALLibrary.lastError("a feature could not be read"))
    }
    return nil
  }

  /// Appends the feature's attributes, one for each column.
  func appendAttributes(of feature: OGRFeatureH, to values: inout [FieldValue]) {
    for (index, field) in fields.enumerated() {
      values.append(vectorValue(feature, Int32(index), field))
    }
  }
}
