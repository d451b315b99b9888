import CGDAL
import PlumbCore
import PlumbGeometry
import PlumbRaster

extension RasterHandle {
  /// The placement of a raster's cells, and its CRS.
  struct Placement {
    var mapping: GridMapping
    var reference: LazyText
    var period: LazyValue<Double?>
    /// A one-line description of an assumption about the placement; nil if no assumption was made.
    var note: String?
    /// Whether GDAL's first row is the last row of the file's array; nil for a raster without coordinate variables.
    var isBottomUp: Bool?
  }

  /// Determines the placement of the cells from the file's coordinate variables, geotransform,
  /// ground control points, rational polynomials or geolocation arrays. If GDAL returns an identity
  /// transform, the file may contain none of these.
  ///
  /// - Parameter array: the array of the raster, and its file; nil for a raster that is not an array.
  func describeMapping(
    path: String, _ array: (file: ArrayFile, array: FileArray)?
  ) throws(GDALError) -> Placement {
    let transform = try geotransform(path: path)
    let referenceOf = { @Sendable (handle: RasterHandle) in GDALGetSpatialRef(handle.dataset) }
    if let axes = try gaussianAxes(path: path, transform) {
      return placement(of: axes, transform)
    }
    if let (file, array) = array,
      let axes = try coordinateAxes(of: array, in: file, path: path), places(axes, transform)
    {
      let mapping =
        GDALGetSpatialRef(dataset) == nil ? GridMappingReference(of: array, in: file) : nil
      var placement = placement(of: axes, transform, mapping)
      placement.isBottomUp = axes.isBottomUp
      return placement
    }
    if let transform {
      return Placement(
        mapping: .affine(transform), reference: lazyText(referenceOf),
        period: lazyPeriod(referenceOf))
    }
    if GDALGetGCPCount(dataset) > 0 {
      let points = { @Sendable (handle: RasterHandle) in GDALGetGCPSpatialRef(handle.dataset) }
      return Placement(
        mapping: .source, reference: lazyText(points), period: lazyPeriod(points))
    }
    // GDAL's transformer itself shifts longitudes to the period of the polynomials.
    if plumb_gdal_metadata(dataset, "RPC") != nil {
      return Placement(
        mapping: .source, reference: LazyText("EPSG:4326"), period: LazyValue(nil))
    }
    if plumb_gdal_metadata(dataset, "GEOLOCATION") != nil {
      if let gap = geolocationGap { return cellsAlone(gap) }
      let text = item("SRS", "GEOLOCATION", of: dataset) ?? "EPSG:4326"
      guard !isRefused(text) else {
        return Placement(mapping: .source, reference: LazyText(nil), period: LazyValue(nil))
      }
      return Placement(
        mapping: .source, reference: LazyText(text),
        period: LazyValue { [access] in access.within { longitudePeriod(ofDefinition: text) } })
    }
    if let (file, array) = array, centreArrays(of: array, in: file) != nil {
      let stated = GridMappingReference(of: array, in: file)?.text.flatMap {
        isRefused($0) ? nil : $0
      }
      return Placement(
        mapping: .source, reference: LazyText(stated ?? "EPSG:4326"), period: LazyValue(360))
    }
    return cellsAlone("no geotransform, control points, polynomials or geolocation arrays")
  }

  private func cellsAlone(_ reason: String) -> Placement {
    Placement(
      mapping: .none(reason: reason),
      reference: lazyText { GDALGetSpatialRef($0.dataset) }, period: LazyValue(nil))
  }

  /// The file's geotransform; nil if the file has none.
  private func geotransform(path: String) throws(GDALError) -> GridTransform? {
    var coefficients = [Double](repeating: 0, count: 6)
    guard plumb_gdal_ok(GDALGetGeoTransform(dataset, &coefficients)) != 0 else { return nil }
    if let corners = gribCorners(path: path) {
      guard let transform = corners.transform(GridTransform(coefficients: coefficients)) else {
        throw GDALError(
          "\(path.printable): the increments of its grid are missing", code: .unsupported)
      }
      return transform
    }
    // Drivers without a geotransform may return the identity.
    if coefficients == GridTransform.identity.coefficients, !statesIdentity { return nil }
    guard let transform = GridTransform(coefficients: coefficients) else {
      throw GDALError(
        "\(path.printable) has a geotransform that cannot be inverted: \(coefficients)")
    }
    return transform
  }

  /// The corners of the grid of a GRIB file; nil for other files and grids.
  private func gribCorners(path: String) -> GRIBCorners? {
    guard driverName == "GRIB" else { return nil }
    return GRIBMessages.first(path: descriptionPath ?? path)?.grids.first?.corners
  }

  /// The path with which GDAL opened the dataset.
  var descriptionPath: String? {
    GDALGetDescription(dataset).map { String(cString: $0) }
  }

  /// Whether an identity transform comes from the file or a side file, and is not GDAL's default.
  private var statesIdentity: Bool {
    if ["VRT", "GTiff"].contains(driverName) { return true }
    let list = GDALGetFileList(dataset)
    defer { CSLDestroy(list) }
    return strings(list).contains { name in
      let lower = name.lowercased()
      return lower.hasSuffix(".wld") || lower.hasSuffix(".aux.xml")
        || lower.hasSuffix("w") && lower.split(separator: ".").last?.utf8.count ?? 0 == 3
    }
  }

  /// Whether axes georeference the raster. If the file has geolocation arrays, axes without a CRS
  /// may be cell indices.
  private func places(_ axes: Axes, _ transform: GridTransform?) -> Bool {
    transform != nil || axes.areInDegrees || GDALGetSpatialRef(dataset) != nil
      || plumb_gdal_metadata(dataset, "GEOLOCATION") == nil
  }

  /// The axes of a Gaussian grid in a GRIB file. The longitudes of the columns are computed from
  /// GDAL's geotransform.
  private func gaussianAxes(
    path: String, _ transform: GridTransform?
  ) throws(GDALError) -> Axes? {
    guard driverName == "GRIB", let transform, transform.isSeparable,
      let latitudes = try GaussianGrid.latitudes(
        path: descriptionPath ?? path,
        rows: Int(GDALGetRasterYSize(dataset)))
    else { return nil }
    let columns = (0..<Int(GDALGetRasterXSize(dataset))).map {
      transform.coordinates(column: Double($0) + 0.5, row: 0).x
    }
    return Axes(
      columns: CoordinateAxis(kind: .longitude, values: columns),
      rows: CoordinateAxis(kind: .latitude, values: latitudes))
  }

  /// Axes in kilometres, converted to the unit of the CRS.
  private func inUnitsOfReference(_ axes: Axes, _ stated: GridMappingReference?) -> Axes {
    let unit =
      GDALGetSpatialRef(dataset).map { OSRIsProjected($0) != 0 ? OSRGetLinearUnits($0, nil) : 0 }
      ?? stated?.linearUnit ?? 0
    guard unit > 0 else { return axes }
    let factor = 1000 / unit
    var axes = axes
    if axes.columns.isInKilometres { axes.columns = axes.columns.scaled(by: factor) }
    if axes.rows.isInKilometres { axes.rows = axes.rows.scaled(by: factor) }
    return axes
  }

  /// The placement that coordinate variables define, or GDAL's geotransform if it is equivalent.
  ///
  /// - Parameter stated: the grid mapping of the array, if GDAL does not read a CRS.
  private func placement(
    of axes: Axes, _ transform: GridTransform?, _ stated: GridMappingReference? = nil
  ) -> Placement {
    let axes = inUnitsOfReference(axes, stated)
    let referenceOf = { @Sendable (handle: RasterHandle) in GDALGetSpatialRef(handle.dataset) }
    var placement = Placement(
      mapping: .none(reason: ""), reference: lazyText(referenceOf), period: lazyPeriod(referenceOf))
    if let stated, let text = stated.text {
      placement.reference = LazyText(isRefused(text) ? nil : text)
      placement.period = LazyValue(stated.period)
    } else if axes.areInDegrees, GDALGetSpatialRef(dataset) == nil {
      placement.reference = LazyText("EPSG:4326")
      placement.period = LazyValue(360)
      placement.note =
        "its axes are in degrees and "
        + (stated == nil ? "it has no grid mapping" : "its grid mapping has no datum")
        + ": EPSG:4326 is assumed"
    } else if let stated {
      placement.note =
        "its CRS is unknown, because its grid mapping \(stated.name.printable) has no crs_wkt "
        + "that can be read"
    }
    let isCentred = axes.columns.boundedCells == nil && axes.rows.boundedCells == nil
    if let transform, isCentred, agrees(transform, axes) {
      placement.mapping = .affine(transform)
      return placement
    }
    switch (axes.columns.cells, axes.rows.cells) {
    case (.success(let columns), .success(let rows)):
      placement.mapping = Self.mapping(columns, rows, isTransposed: axes.isTransposed)
    case (.failure(let fault), _), (_, .failure(let fault)):
      // The file may have a separate geotransform.
      if let transform, axes.columns.values.count == 1 || axes.rows.values.count == 1 {
        placement.mapping = .affine(transform)
      } else {
        placement.mapping = .none(reason: fault.reason)
      }
    }
    return placement
  }

  private static func mapping(
    _ columns: GridAxis, _ rows: GridAxis, isTransposed: Bool
  ) -> GridMapping {
    if case .even(let left, let across, _) = columns, case .even(let top, let down, _) = rows,
      let transform = GridTransform(
        coefficients: isTransposed
          ? [top, 0, down, left, across, 0] : [left, across, 0, top, 0, down])
    {
      return .affine(transform)
    }
    return .axes(GridAxes(columns: columns, rows: rows, isTransposed: isTransposed))
  }

  /// Whether GDAL's geotransform and even axes define the same placement of the cells, possibly in
  /// different units.
  private func agrees(_ transform: GridTransform, _ axes: Axes) -> Bool {
    guard transform.isSeparable, !axes.isTransposed, let across = axes.columns.evenStep,
      let down = axes.rows.evenStep
    else { return false }
    let last = (axes.columns.values.count - 1, axes.rows.values.count - 1)
    let first = transform.coordinates(column: 0.5, row: 0.5)
    let end = transform.coordinates(column: Double(last.0) + 0.5, row: Double(last.1) + 0.5)
    func isNear(_ value: Double, _ theirs: Double, _ step: Double, _ period: Double?) -> Bool {
      var difference = value - theirs
      if let period { difference -= (difference / period).rounded() * period }
      return difference.magnitude <= 0.01 * step.magnitude
    }
    let turn = axes.columns.kind == .longitude ? 360.0 : nil
    if isNear(axes.columns.values[0], first.x, across, turn),
      isNear(axes.columns.values[last.0], end.x, across, turn),
      isNear(axes.rows.values[0], first.y, down, nil),
      isNear(axes.rows.values[last.1], end.y, down, nil)
    {
      return true
    }
    // The axes may be in the scanning angles of a geostationary view. GDAL may not have converted
    // kilometres.
    if axes.columns.isInKilometres || axes.rows.isInKilometres { return false }
    let scale = transform.columnX / across
    return axes.columns.kind == .x && !axes.columns.isUnwrapped && (scale - 1).magnitude > 1e-6
      && isNear(axes.columns.values[0] * scale, first.x, across * scale, nil)
  }

  /// The reason why the geolocation arrays do not cover the raster; nil if they do.
  private var geolocationGap: String? {
    guard let x = sizeOfGeolocation("X"), let y = sizeOfGeolocation("Y") else {
      return "its geolocation arrays cannot be opened"
    }
    let size = (Int(GDALGetRasterXSize(dataset)), Int(GDALGetRasterYSize(dataset)))
    func number(_ name: String, _ fallback: Double) -> Double {
      item(name, "GEOLOCATION", of: dataset).flatMap { Double($0) } ?? fallback
    }
    func covers(_ count: Int, _ offset: Double, _ step: Double, _ cells: Int) -> Bool {
      guard step > 0, count > 0 else { return false }
      let last = offset + step * Double(count - 1)
      return offset <= 2 * step && last >= Double(cells - 1) - 2 * step
        && offset + step * Double(count - 1) < Double(cells) + 2 * step
    }
    let isRegular = x.height == 1 && y.height == 1 && size.1 > 1
    let array = isRegular ? (width: x.width, height: y.width) : x
    guard isRegular || x == y,
      covers(array.width, number("PIXEL_OFFSET", 0), number("PIXEL_STEP", 1), size.0),
      covers(array.height, number("LINE_OFFSET", 0), number("LINE_STEP", 1), size.1)
    else {
      return "its geolocation arrays, \(x.width) x \(x.height) and \(y.width) x \(y.height), do "
        + "not cover its \(size.0) x \(size.1) cells"
    }
    return nil
  }

  /// Returns the lazily read CRS of the dataset as a code or WKT. The dataset stays open until the
  /// CRS has been read.
  private func lazyText(
    _ reference: @escaping @Sendable (RasterHandle) -> OGRSpatialReferenceH?
  ) -> LazyText {
    LazyText {
      let text = self.locked { reference(self).flatMap { referenceText($0) } }
      return text.flatMap { self.isRefused($0) ? nil : $0 }
    }
  }

  /// Whether a CRS must be ignored because it refers to another file.
  private func isRefused(_ text: String) -> Bool {
    access.trust == .document && SpatialReference.file(namedIn: text) != nil
  }

  private func lazyPeriod(
    _ reference: @escaping @Sendable (RasterHandle) -> OGRSpatialReferenceH?
  ) -> LazyValue<Double?> {
    LazyValue { self.locked { reference(self).flatMap { longitudePeriod(of: $0) } } }
  }
}
