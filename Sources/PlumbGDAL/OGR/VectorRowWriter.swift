import CGDAL
import PlumbCore

/// The kind of geometries in a layer.
public enum VectorShapeKind: Sendable, Hashable {
  /// Single points.
  case point
  /// Polygons, including multipart polygons.
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

/// Writes rows with points or areas to a new layer of any format that OGR can create.
///
/// The layer is written to the given path, which must have the format's extension if the format
/// requires it (as for Shapefiles). Rows stay in order. If the index of a format would sort them
/// (FlatGeobuf), no index is written. The file is complete only after `finish`. If `finish` is not
/// called, the caller must delete the file. Only one thread at a time may use a writer.
public final class VectorRowWriter {
  /// Changes that the format made, one line each: columns that it renamed, and geometries that it
  /// cannot store.
  public private(set) var warnings: [String] = []
  /// The columns' names in the format.
  public let columnNames: [String]
  /// The number of rows added so far.
  public private(set) var count = 0
  /// The files of the layer, or the files in the folder that is created at the path. They are known
  /// after `finish`.
  public private(set) var files: [String] = []

  private let sink: any VectorRowSink
  private let path: String
  private let layerName: String
  private let driver: VectorDriver

  /// Creates the file, the layer and its columns.
  ///
  /// A type that the format does not support is replaced by the string type. A format that shortens
  /// names (to at most 10 bytes in a Shapefile) may rename columns, which adds `warnings`.
  /// - Parameters:
  ///   - path: the file to create; it must not exist.
  ///   - driver: the format.
  ///   - name: the layer's name; some formats use the file's name instead.
  ///   - fields: the columns in order.
  ///   - reference: the CRS of the coordinates as WKT or `AUTHORITY:CODE`; nil for none. x is the
  ///     easting or longitude, regardless of the CRS's axis order.
  ///   - kind: the kind of every row's geometry.
  /// - Throws: `GDALError` when OGR rejects one of these parameters or two columns would have the
  ///   same name.
  public init(
    path: String, driver: VectorDriver, layer name: String, fields: [VectorField],
    reference: String?, kind: VectorShapeKind = .point
  ) throws(GDALError) {
    try GDALLibrary.load()
    let made = try NewVectorLayer(
      path: path, driver: driver, layer: name, fields: fields, reference: reference, kind: kind)
    columnNames = made.columns.map(\.name)
    for (field, column) in zip(fields, made.columns) where field.name != column.name {
      warnings.append(
        "column \"\(field.name.printable)\" is called \"\(column.name.printable)\" "
          + "in \(driver.name)")
    }
    if !made.hasGeometry {
      warnings.append(
        "\(driver.name) stores no \(kind.words), only columns")
    }
    self.path = path
    layerName = made.name
    self.driver = driver
    // SQLite cannot open files in GDAL's virtual file systems.
    if driver.name == "GPKG", made.hasGeometry, !path.hasPrefix("/vsi") {
      sink = try GeoPackageSink(made, path: path)
    } else {
      sink = try VectorFeatureSink(made, path: path, driver: driver)
    }
  }

  /// Writes to a table of a PostgreSQL database. The rows become visible when the writer is
  /// finished or, in a live table, when the writer is flushed.
  ///
  /// - Throws: `GDALError` if the database cannot be opened or refuses the table.
  package init(
    table: DatabaseTable, fields: [VectorField], reference: String?, kind: VectorShapeKind
  ) throws(GDALError) {
    try GDALLibrary.load()
    let target = try DatabaseTarget(table)
    let made = try NewVectorLayer(target, fields: fields, reference: reference, kind: kind)
    columnNames = made.columns.map(\.name)
    (path, layerName) = (table.database, made.name)
    driver = VectorDriver(name: GDALAccess.databaseDriver, extensions: [])
    sink = try VectorFeatureSink(made, of: target)
  }

  // MARK: Rows

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - point: the longitude or easting, and the latitude or northing. If it is nil or a value is
  ///     not finite, the geometry is null; FlatGeobuf rejects null geometries.
  ///   - values: the attributes, one for each field.
  /// - Throws: `GDALError` when a value does not fit its column or the row cannot be written.
  public func append(
    point: (x: Double, y: Double)?, values: some Collection<FieldValue>
  ) throws(GDALError) {
    var shape = VectorRowShape.none
    if let point, point.x.isFinite, point.y.isFinite { shape = .point(SIMD2(point.x, point.y)) }
    try append(shape, "point", Array(values))
  }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - area: the polygon. If it is nil or empty, the geometry is null; FlatGeobuf rejects null
  ///     geometries.
  ///   - values: the attributes, one for each field.
  /// - Throws: `GDALError` when a value does not fit its column or the row cannot be written.
  public func append(
    area: Polygon?, values: some Collection<FieldValue>
  ) throws(GDALError) {
    var shape = VectorRowShape.none
    if let area, !area.isEmpty { shape = .area(area) }
    try append(shape, "area", Array(values))
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
    case .polyline(let line) where !line.isEmpty: try append(.line(line), "line", Array(values))
    default: try append(.none, "shape", Array(values))
    }
  }

  private func append(
    _ shape: VectorRowShape, _ kind: String, _ values: [FieldValue]
  ) throws(GDALError) {
    precondition(values.count == columnNames.count, "one value for each column")
    try sink.append(shape, kind: kind, values)
    count += 1
  }

  // MARK: The end

  /// Commits the rows added so far to a live table of a database. Does nothing for other outputs,
  /// whose rows are written by `finish`.
  ///
  /// - Throws: `GDALError` if the database refuses a row or the connection is lost. In this case,
  ///   none of the rows added since the last call is in the table.
  package func flush() throws(GDALError) { try sink.flush() }

  /// Writes the remaining rows and closes the file. No row may be added afterwards.
  ///
  /// - Throws: `GDALError` if some of the data could not be written, for example on a full disk.
  ///   Some drivers do not report such errors, so the file is opened again and its rows are
  ///   counted.
  public func finish() throws(GDALError) {
    try sink.finish()
    // A database reports all errors.
    if driver.name != GDALAccess.databaseDriver { try verify() }
  }

  private func verify() throws(GDALError) {
    files = [path]
    CPLErrorReset()
    let flags = UInt32(GDAL_OF_VECTOR | GDAL_OF_READONLY)
    guard let handle = openDataset(path, flags, nil) else {
      let canOpen = (try? driver.handle()).flatMap { GDALGetMetadataItem($0, GDAL_DCAP_OPEN, nil) }
      if canOpen == nil {
        let free = VSIGetDiskFreeSpace(CPLGetDirname(path))
        if (0..<4096).contains(free) { throw GDALError("\(path.printable): the disk is full") }
        return
      }
      if count == 0 { return }
      throw GDALError(
        "\(path.printable) cannot be read again: the disk may be full, or \(driver.name) may need "
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
    // The FlatGeobuf driver reads the count from the header, which contains the full count even if
    // rows are missing.
    if driver.name == "FlatGeobuf", found >= count { found = Self.countRows(layer) }
    dataset.close()
    guard found < 0 || found >= count else {
      throw GDALError(
        "\(path.printable) has \(found) of \(count) rows: the disk may be full, or "
          + "\(driver.name) cannot hold them")
    }
  }
}

extension VectorRowWriter {
  /// Counts the rows that can be read. Attributes and geometries are not decoded if the format
  /// supports this.
  fileprivate static func countRows(_ layer: OGRLayerH) -> GIntBig {
    var count: GIntBig = 0
    while let feature = OGR_L_GetNextFeature(layer) {
      OGR_F_Destroy(feature)
      count += 1
    }
    return count
  }
}
