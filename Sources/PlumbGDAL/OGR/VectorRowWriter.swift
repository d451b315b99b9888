import CGDAL
import PlumbCore

/// What the geometries of a layer are.
public enum VectorShapeKind: Sendable, Hashable {
  /// Single points.
  case point
  /// Polygons, multipart or not.
  case area
  /// Points and lines in one layer.
  case mixed

  var layerType: OGRwkbGeometryType {
    switch self {
    case .point: wkbPoint
    case .area: wkbMultiPolygon
    case .mixed: wkbUnknown
    }
  }

  var words: String {
    switch self {
    case .point: "points"
    case .area: "areas"
    case .mixed: "shapes"
    }
  }
}

/// Writes rows with points or areas into a new layer of any format that OGR can create.
///
/// The layer is written at the path given, which must have the format's own extension where the
/// format goes by it (a Shapefile). Rows stay in order; where a format would sort them by an index
/// (FlatGeobuf), it goes without. Nothing is promised to be in the file before `finish`; without
/// it the file is to be thrown away. One thread at a time may use a writer.
public final class VectorRowWriter {
  /// What the format could not take as it was asked, one line each: columns that it renamed.
  public private(set) var warnings: [String] = []
  /// The columns' names as the format has them.
  public let columnNames: [String]
  /// Rows so far.
  public private(set) var count = 0
  /// The files that make up the layer, or those in the folder that the path then is; known after
  /// `finish`.
  public private(set) var files: [String] = []

  private let dataset: OwnedDataset
  private let layer: OGRLayerH
  private let definition: OGRFeatureDefnH
  private let columns: [VectorColumn]
  private let path: String
  private let layerName: String
  private let driver: VectorDriver
  private let hasTransactions: Bool
  private let hasGeometry: Bool
  private static let rowsPerTransaction = 100_000

  /// Creates the file, the layer and its columns.
  ///
  /// A type that the format lacks becomes text. A format that shortens names (a Shapefile's have
  /// at most 10 bytes) may rename columns: `warnings` says which.
  /// - Parameters:
  ///   - path: the file to make; it must not exist.
  ///   - driver: the format.
  ///   - name: the layer's name; some formats take the file's instead.
  ///   - fields: the columns in order.
  ///   - reference: the coordinates' reference as WKT or `AUTHORITY:CODE`, x being easting or
  ///     longitude whatever its axis order; nil for none.
  ///   - kind: what every row's geometry is.
  /// - Throws: `GDALError` when OGR refuses a part of it or two columns would have one name.
  public init(
    path: String, driver: VectorDriver, layer name: String, fields: [VectorField],
    reference: String?, kind: VectorShapeKind = .point
  ) throws(GDALError) {
    GDALLibrary.start()
    let handle = try driver.handle()
    CPLErrorReset()
    guard let opened = GDALCreate(handle, path, 0, 0, 0, GDT_Unknown, nil) else {
      throw GDALError(GDALLibrary.lastError("\(path.printable) cannot be created"))
    }
    let dataset = OwnedDataset(opened)
    var spatial: OGRSpatialReferenceH?
    if let reference { spatial = try makeReference(reference) }
    defer { OSRRelease(spatial) }
    let options = Self.layerOptions(handle, fields)
    defer { CSLDestroy(options) }
    CPLErrorReset()
    guard
      let layer = GDALDatasetCreateLayer(
        opened, name, spatial, kind.layerType, options),
      let definition = OGR_L_GetLayerDefn(layer)
    else {
      throw GDALError(GDALLibrary.lastError("\(driver.name) cannot make the layer"))
    }
    columns = try Self.makeColumns(fields, layer, definition, handle, driver)
    columnNames = columns.map(\.name)
    for (field, column) in zip(fields, columns) where field.name != column.name {
      warnings.append(
        "column \"\(field.name.printable)\" is called \"\(column.name.printable)\" "
          + "in \(driver.name)")
    }
    hasGeometry = OGR_FD_GetGeomFieldCount(definition) > 0
    if !hasGeometry {
      warnings.append(
        "\(driver.name) keeps no \(kind.words), only columns")
    }
    self.dataset = dataset
    self.layer = layer
    self.definition = definition
    self.path = path
    layerName = OGR_L_GetName(layer).map { String(cString: $0) } ?? name
    self.driver = driver
    hasTransactions = GDALDatasetTestCapability(opened, ODsCTransactions) != 0
    try begin()
  }

  /// Options that keep the format's own columns clear of ours, names and rows as they are, and
  /// text Unicode.
  private static func layerOptions(
    _ driver: GDALDriverH, _ fields: [VectorField]
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    guard let list = GDALGetMetadataItem(driver, GDAL_DS_LAYER_CREATIONOPTIONLIST, nil) else {
      return nil
    }
    let known = String(cString: list)
    let has = { (option: String) in
      known.contains("name='\(option)'") || known.contains("name=\"\(option)\"")
    }
    let taken = Set(fields.map { $0.name.lowercased() })
    var options: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    for (option, usual) in [("FID", ["fid", "ogc_fid"]), ("GEOMETRY_NAME", ["geom", "geometry"])]
    where has(option) && !taken.isDisjoint(with: usual) {
      var name = "plumb_" + usual[0]
      while taken.contains(name) { name += "_" }
      options = CSLSetNameValue(options, option, name)
    }
    if has("LAUNDER") { options = CSLSetNameValue(options, "LAUNDER", "NO") }
    switch GDALGetDriverShortName(driver).map({ String(cString: $0) }) {
    case "ESRI Shapefile": options = CSLSetNameValue(options, "ENCODING", "UTF-8")
    // Its index puts rows in another order.
    case "FlatGeobuf": options = CSLSetNameValue(options, "SPATIAL_INDEX", "NO")
    default: break
    }
    return options
  }

  private static func makeColumns(
    _ fields: [VectorField], _ layer: OGRLayerH, _ definition: OGRFeatureDefnH,
    _ handle: GDALDriverH, _ driver: VectorDriver
  ) throws(GDALError) -> [VectorColumn] {
    let support = VectorTypeSupport(handle)
    var columns: [VectorColumn] = []
    var taken: Set<String> = []
    for field in fields {
      let native = support.fitted(field.declaration)
      guard let made = OGR_Fld_Create(field.name, OGRFieldType(rawValue: native.type)) else {
        throw GDALError(GDALLibrary.lastError("a column cannot be made"))
      }
      defer { OGR_Fld_Destroy(made) }
      OGR_Fld_SetSubType(made, OGRFieldSubType(rawValue: native.subtype))
      OGR_Fld_SetWidth(made, native.width)
      OGR_Fld_SetPrecision(made, native.precision)
      let before = OGR_FD_GetFieldCount(definition)
      CPLErrorReset()
      guard OGR_L_CreateField(layer, made, 1) == OGRERR_NONE else {
        throw GDALError(
          GDALLibrary.lastError(
            "\(driver.name) cannot have the column \"\(field.name.printable)\""))
      }
      // Some formats have a column of that name already, and some take the name for their own.
      let index =
        OGR_FD_GetFieldCount(definition) > before
        ? before : OGR_FD_GetFieldIndex(definition, field.name)
      guard index >= 0, let actual = OGR_FD_GetFieldDefn(definition, index),
        let name = OGR_Fld_GetNameRef(actual).map({ String(cString: $0) })
      else {
        throw GDALError("\(driver.name) cannot have the column \"\(field.name.printable)\"")
      }
      guard taken.insert(name.lowercased()).inserted else {
        throw GDALError(
          "two columns would be called \"\(name.printable)\" in \(driver.name); rename one")
      }
      columns.append(
        VectorColumn(
          name: name, index: index, type: OGR_Fld_GetType(actual),
          isBoolean: OGR_Fld_GetSubType(actual) == OFSTBoolean))
    }
    return columns
  }

  // MARK: Rows

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - point: longitude or easting, then latitude or northing; nil, or what is not finite, for a
  ///     null geometry, which FlatGeobuf refuses.
  ///   - values: the attributes, one for each field.
  /// - Throws: `GDALError` when a value does not fit its column or the row cannot be written.
  public func append(
    point: (x: Double, y: Double)?, values: some Collection<FieldValue>
  ) throws(GDALError) {
    var made: OGRGeometryH?
    if hasGeometry, let point, point.x.isFinite, point.y.isFinite {
      made = OGR_G_CreateGeometry(wkbPoint)
      OGR_G_SetPoint_2D(made, 0, point.x, point.y)
    }
    try append(made, what: "point", values)
  }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - area: nil, or an empty one, for a null geometry, which FlatGeobuf refuses.
  ///   - values: the attributes, one for each field.
  /// - Throws: `GDALError` when a value does not fit its column or the row cannot be written.
  public func append(
    area: Polygon?, values: some Collection<FieldValue>
  ) throws(GDALError) {
    var shape: OGRGeometryH?
    if hasGeometry, let area, !area.isEmpty { shape = try makeShape(area) }
    try append(shape, what: "area", values)
  }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - shape: a point or a polyline; nil for a null geometry.
  ///   - values: the attributes, one for each field.
  /// - Throws: `GDALError` when a value does not fit its column or the row cannot be written.
  public func append(
    shape: Geometry?, values: some Collection<FieldValue>
  ) throws(GDALError) {
    switch shape {
    case .point(let point) where !point.isEmpty:
      try append(point: (point.x, point.y), values: values)
    case .polyline(let line) where hasGeometry && !line.isEmpty:
      try append(try makeShape(line), what: "line", values)
    default: try append(nil, what: "shape", values)
    }
  }

  /// Takes over `shape`.
  private func append(
    _ shape: OGRGeometryH?, what: String, _ values: some Collection<FieldValue>
  ) throws(GDALError) {
    precondition(values.count == columns.count, "one value for each column")
    CPLErrorReset()
    guard let feature = OGR_F_Create(definition) else {
      OGR_G_DestroyGeometry(shape)
      throw GDALError(GDALLibrary.lastError("a row cannot be made"))
    }
    defer { OGR_F_Destroy(feature) }
    if let shape {
      guard OGR_F_SetGeometryDirectly(feature, shape) == OGRERR_NONE else {
        throw GDALError(GDALLibrary.lastError("a row's \(what) cannot be stored"))
      }
    } else if driver.name == "FlatGeobuf" {
      let article = what == "area" ? "an" : "a"
      throw GDALError("FlatGeobuf drops rows without \(article) \(what); write another format")
    }
    for (column, value) in zip(columns, values) { try column.set(value, in: feature) }
    guard OGR_L_CreateFeature(layer, feature) == OGRERR_NONE, !hasFailed else {
      throw failure("a row cannot be written")
    }
    // A Shapefile's numbers have a fixed width; its driver only warns of one that is too long.
    if CPLGetLastErrorType() == CE_Warning,
      GDALLibrary.lastError("").contains("not successfully written")
    {
      throw failure("a value is too long")
    }
    count += 1
    if count % Self.rowsPerTransaction == 0 {
      try commit()
      try begin()
    }
  }

  private var hasFailed: Bool { CPLGetLastErrorType().rawValue >= CE_Failure.rawValue }

  private func failure(_ fallback: String) -> GDALError {
    GDALError("\(path.printable): \(GDALLibrary.lastError(fallback))")
  }

  private func begin() throws(GDALError) {
    guard hasTransactions, let handle = dataset.handle else { return }
    guard GDALDatasetStartTransaction(handle, 0) == OGRERR_NONE else {
      throw GDALError(GDALLibrary.lastError("a transaction cannot be started"))
    }
  }

  private func commit() throws(GDALError) {
    guard hasTransactions, let handle = dataset.handle else { return }
    guard GDALDatasetCommitTransaction(handle) == OGRERR_NONE, !hasFailed else {
      throw failure("rows cannot be written")
    }
  }

  // MARK: The end

  /// Writes what is left and closes the file; no row may follow.
  ///
  /// - Throws: `GDALError` when something could not be written, for example on a full disk. Some
  ///   drivers do not report that: the file is opened again and has to hold every row.
  public func finish() throws(GDALError) {
    guard let handle = dataset.handle else { return }
    CPLErrorReset()
    try commit()
    GDALFlushCache(handle)
    let flushed = !hasFailed
    let flushFailure = failure("the file cannot be written to its end")
    CPLErrorReset()
    dataset.close()
    if !flushed { throw flushFailure }
    if hasFailed { throw failure("the file cannot be written to its end") }
    try verify()
  }

  private func verify() throws(GDALError) {
    files = [path]
    CPLErrorReset()
    let flags = UInt32(GDAL_OF_VECTOR | GDAL_OF_READONLY)
    guard let handle = GDALOpenEx(path, flags, nil, nil, nil) else {
      let canOpen = (try? driver.handle()).flatMap { GDALGetMetadataItem($0, GDAL_DCAP_OPEN, nil) }
      if canOpen == nil {
        let free = VSIGetDiskFreeSpace(CPLGetDirname(path))
        if (0..<4096).contains(free) { throw GDALError("\(path.printable): the disk is full") }
        return
      }
      if count == 0 { return }
      throw GDALError(
        "\(path.printable) cannot be read again: the disk may be full, or \(driver.name) may want "
          + "another file extension")
    }
    let dataset = OwnedDataset(handle)
    var next = GDALGetFileList(handle)
    let list = next
    defer { CSLDestroy(list) }
    if next?.pointee != nil { files = [] }
    while let file = next?.pointee {
      files.append(String(cString: file))
      next = next?.advanced(by: 1)
    }
    guard
      let layer = GDALDatasetGetLayerByName(handle, layerName) ?? GDALDatasetGetLayer(handle, 0)
    else { return }
    var found = OGR_L_GetFeatureCount(layer, 1)
    // FlatGeobuf counts by its header, which is whole when the rows are not.
    if driver.name == "FlatGeobuf", found >= count { found = Self.countRows(layer) }
    dataset.close()
    guard found < 0 || found >= count else {
      throw GDALError(
        "\(path.printable) holds \(found) of \(count) rows: the disk may be full, or "
          + "\(driver.name) cannot hold them")
    }
  }
}

extension VectorRowWriter {
  /// Rows that can be read, without their attributes and geometries where the format can.
  fileprivate static func countRows(_ layer: OGRLayerH) -> GIntBig {
    var count: GIntBig = 0
    while let feature = OGR_L_GetNextFeature(layer) {
      OGR_F_Destroy(feature)
      count += 1
    }
    return count
  }
}

/// A dataset that closes once.
private final class OwnedDataset {
  private(set) var handle: GDALDatasetH?

  init(_ handle: GDALDatasetH) { self.handle = handle }

  deinit { close() }

  func close() {
    guard let handle else { return }
    self.handle = nil
    GDALClose(handle)
  }
}
