import CGDAL
import PlumbCore

/// A newly created layer without features, in a new file.
struct NewVectorLayer {
  let dataset: OwnedDataset
  let layer: OGRLayerH
  let definition: OGRFeatureDefnH
  /// The layer's name in the format.
  let name: String
  let columns: [VectorColumn]
  let hasGeometry: Bool

  /// Creates the file, the layer and its columns.
  init(
    path: String, driver: VectorDriver, layer name: String, fields: [VectorField],
    reference: String?, kind: VectorShapeKind
  ) throws(GDALError) {
    let handle = try driver.handle()
    try Self.check(fields.count, driver)
    CPLErrorReset()
    guard let opened = GDALCreate(handle, path, 0, 0, 0, GDT_Unknown, nil) else {
      throw GDALError(GDALLibrary.lastError("\(path.printable) cannot be created"))
    }
    dataset = OwnedDataset(opened)
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
      throw GDALError(GDALLibrary.lastError("\(driver.name) cannot create the layer"))
    }
    columns = try Self.makeColumns(fields, layer, definition, handle, driver)
    hasGeometry = OGR_FD_GetGeomFieldCount(definition) > 0
    self.layer = layer
    self.definition = definition
    self.name = OGR_L_GetName(layer).map { String(cString: $0) } ?? name
  }

  /// The maximum number of columns of a table in SQLite, including the columns of ids and
  /// geometries.
  private static let maximumColumns = 2_000

  /// Creates a table in a database. Rows for an existing table are first written to a temporary table,
  /// which this initializer creates.
  init(
    _ target: DatabaseTarget, fields: [VectorField], reference: String?, kind: VectorShapeKind
  ) throws(GDALError) {
    let driver = VectorDriver(name: GDALAccess.databaseDriver, extensions: [])
    let handle = try driver.handle()
    dataset = target.dataset
    let support = VectorTypeSupport(handle)
    var sent = fields
    var types: [(name: String, type: String)] = []
    for index in fields.indices {
      let native = support.fitted(fields[index].declaration)
      guard native.type == OFTReal.rawValue, native.width == 0 else { continue }
      // Real numbers are sent as strings, because GDAL would send only 15 digits of each number.
      let type = native.subtype == OFSTFloat32.rawValue ? "float4" : "float8"
      types.append((fields[index].name, type))
      sent[index].native = VectorField.Native(
        type: OFTString.rawValue, subtype: OFSTNone.rawValue, width: 0, precision: 0)
    }
    let layer = try Self.makeTable(target, handle, fields, types, reference, kind)
    guard let definition = OGR_L_GetLayerDefn(layer) else {
      throw DatabaseSession.fault(target.table.database, "the table cannot be written")
    }
    columns = try Self.makeColumns(sent, layer, definition, handle, driver)
    hasGeometry = OGR_FD_GetGeomFieldCount(definition) > 0
    self.layer = layer
    self.definition = definition
    name = target.table.name
  }

  /// - Parameter types: the database types of the columns whose values are sent as strings.
  private static func makeTable(
    _ target: DatabaseTarget, _ driver: GDALDriverH, _ fields: [VectorField],
    _ types: [(name: String, type: String)], _ reference: String?, _ kind: VectorShapeKind
  ) throws(GDALError) -> OGRLayerH {
    if let name = types.lazy.map(\.name).first(where: { $0.contains(",") || $0.contains("=") }) {
      throw GDALError(
        "the column \"\(name.printable)\" cannot be written to a database: rename it without "
          + "commas and equals signs", code: .unsupported)
    }
    var spatial: OGRSpatialReferenceH?
    if let reference { spatial = try makeReference(reference) }
    defer { OSRRelease(spatial) }
    var options = layerOptions(driver, fields)
    defer { CSLDestroy(options) }
    // The index is created after the rows, which is faster.
    options = CSLSetNameValue(options, "SPATIAL_INDEX", "NONE")
    if target.isTemporary { options = CSLSetNameValue(options, "TEMPORARY", "YES") }
    if !types.isEmpty {
      options = CSLSetNameValue(
        options, "COLUMN_TYPES", types.map { $0.name + "=" + $0.type }.joined(separator: ","))
    }
    let usedNames = Set(fields.map { $0.name.lowercased() })
    for (option, name) in [("FID", "fid"), ("GEOMETRY_NAME", "geom")]
    where !usedNames.contains(name) { options = CSLSetNameValue(options, option, name) }
    CPLErrorReset()
    guard let dataset = target.dataset.handle,
      let layer = GDALDatasetCreateLayer(
        dataset, target.layerName, spatial, kind.layerType, options)
    else { throw DatabaseSession.fault(target.table.database, "the table cannot be created") }
    return layer
  }

  /// - Throws: if the format does not support so many columns.
  private static func check(_ count: Int, _ driver: VectorDriver) throws(GDALError) {
    guard ["GPKG", "SQLite"].contains(driver.name), count + 2 > maximumColumns else { return }
    throw GDALError(
      "\(driver.name) supports \(maximumColumns) columns, including the geometry and the feature id, and "
        + "the output has \(count) columns besides these: write another format, such as csv, geojson or "
        + "FlatGeobuf", code: .limit)
  }

  /// Returns options that keep the format's own columns distinct from the columns of the features,
  /// keep names and the order of features, and select Unicode for strings.
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
    let usedNames = Set(fields.map { $0.name.lowercased() })
    var options: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    for (option, usual) in [("FID", ["fid", "ogc_fid"]), ("GEOMETRY_NAME", ["geom", "geometry"])]
    where has(option) && !usedNames.isDisjoint(with: usual) {
      var name = "plumb_" + usual[0]
      while usedNames.contains(name) { name += "_" }
      options = CSLSetNameValue(options, option, name)
    }
    if has("LAUNDER") { options = CSLSetNameValue(options, "LAUNDER", "NO") }
    switch GDALGetDriverShortName(driver).map({ String(cString: $0) }) {
    case "ESRI Shapefile": options = CSLSetNameValue(options, "ENCODING", "UTF-8")
    // The driver's spatial index changes the order of the features.
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
    var usedNames: Set<String> = []
    for field in fields {
      let native = support.fitted(field.declaration)
      guard let made = OGR_Fld_Create(field.name, OGRFieldType(rawValue: native.type)) else {
        throw GDALError(GDALLibrary.lastError("a column cannot be created"))
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
            "\(driver.name) cannot store the column \"\(field.name.printable)\""))
      }
      // Some formats already have a column with this name, and use it instead of adding a column.
      let index =
        OGR_FD_GetFieldCount(definition) > before
        ? before : OGR_FD_GetFieldIndex(definition, field.name)
      guard index >= 0, let actual = OGR_FD_GetFieldDefn(definition, index),
        let name = OGR_Fld_GetNameRef(actual).map({ String(cString: $0) })
      else {
        throw GDALError("\(driver.name) cannot store the column \"\(field.name.printable)\"")
      }
      guard usedNames.insert(name.lowercased()).inserted else {
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
}
