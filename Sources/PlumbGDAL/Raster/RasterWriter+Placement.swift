import CGDAL
import PlumbCore

extension RasterWriter {
  /// A ground control point.
  public struct ControlPoint: Sendable {
    /// The column from the left edge, with fractions.
    public var column: Double
    /// The row from the top edge, with fractions.
    public var row: Double
    /// The easting or longitude, in the units of the CRS.
    public var x: Double
    /// The northing or latitude, in the units of the CRS.
    public var y: Double
    /// The height; 0 if it is not used.
    public var z: Double

    /// Creates a control point from a position in the raster, relative to the upper left corner,
    /// and its coordinates.
    public init(column: Double, row: Double, x: Double, y: Double, z: Double = 0) {
      self.column = column
      self.row = row
      self.x = x
      self.y = y
      self.z = z
    }
  }

  /// Sets the geotransform.
  ///
  /// - Parameter coefficients: GDAL's six coefficients: x of the upper left corner of the upper
  ///   left cell, the change of x per column, the change of x per row, y of the same corner, the
  ///   change of y per column, and the change of y per row (negative if north is up).
  public func setGeotransform(_ coefficients: [Double]) throws(GDALError) {
    guard coefficients.count == 6 else {
      throw failure("a geotransform has 6 numbers, not \(coefficients.count)", withLastError: false)
    }
    let dataset = try open()
    var values = coefficients
    try check("cannot set the geotransform") { GDALSetGeoTransform(dataset, &values) }
  }

  /// Sets the CRS from an EPSG code (`EPSG:32734` or `32734`), WKT or a PROJ string. x is the
  /// easting or longitude, regardless of the CRS's axis order.
  public func setReference(_ text: String) throws(GDALError) {
    let dataset = try open()
    let reference = try makeReference(text)
    defer { OSRDestroySpatialReference(reference) }
    try check("cannot set the CRS") { GDALSetSpatialRef(dataset, reference) }
  }

  /// Sets ground control points instead of a geotransform.
  ///
  /// - Parameters:
  ///   - points: at least as many points as the transformation of the reading program requires, for
  ///     example 3 for an affine transformation.
  ///   - text: the CRS of the points' x and y, in the forms that `setReference(_:)` supports; nil
  ///     if unknown.
  public func setControlPoints(
    _ points: [ControlPoint], reference text: String?
  ) throws(GDALError) {
    let dataset = try open()
    var reference: OGRSpatialReferenceH?
    if let text { reference = try makeReference(text) }
    defer { OSRDestroySpatialReference(reference) }
    let gcps = points.enumerated().map { number, point in
      GDAL_GCP(
        pszId: CPLStrdup(String(number + 1)), pszInfo: CPLStrdup(""), dfGCPPixel: point.column,
        dfGCPLine: point.row, dfGCPX: point.x, dfGCPY: point.y, dfGCPZ: point.z)
    }
    defer {
      for gcp in gcps {
        VSIFree(gcp.pszId)
        VSIFree(gcp.pszInfo)
      }
    }
    try check("cannot set the control points") {
      GDALSetGCPs2(dataset, Int32(gcps.count), gcps, reference)
    }
  }

  /// Whether the coordinates of a CRS are degrees of longitude and latitude.
  ///
  /// - Parameter text: the CRS, in the forms that `setReference(_:)` supports.
  /// - Throws: `GDALError` if GDAL does not recognize the string as a CRS.
  public static func isGeographic(reference text: String) throws(GDALError) -> Bool {
    GDALLibrary.start()
    let reference = OSRNewSpatialReference(nil)
    defer { OSRDestroySpatialReference(reference) }
    try parse(text, into: reference)
    return OSRIsGeographic(reference) != 0
  }

  private func makeReference(_ text: String) throws(GDALError) -> OGRSpatialReferenceH? {
    let reference = OSRNewSpatialReference(nil)
    do throws(GDALError) {
      try Self.parse(text, into: reference)
    } catch {
      OSRDestroySpatialReference(reference)
      throw error
    }
    return reference
  }

  private static func parse(
    _ text: String, into reference: OGRSpatialReferenceH?
  ) throws(GDALError) {
    let isNumber = !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    CPLErrorReset()
    // `OGRERR_NONE` is 0. It is a macro that is not available in Swift.
    guard OSRSetFromUserInput(reference, isNumber ? "EPSG:\(text)" : text) == 0 else {
      let reason = GDALLibrary.lastError("GDAL does not recognize it")
      throw GDALError(
        "unknown CRS '\(text.printable)': \(reason)")
    }
    OSRSetAxisMappingStrategy(reference, OAMS_TRADITIONAL_GIS_ORDER)
  }
}
