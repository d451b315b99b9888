import CGDAL
import PlumbCore

/// A new raster file, written through GDAL.
///
/// First set the metadata (`setReference`, `setNodata`, `addMask` and so on), then write cells,
/// then call `close()`. GDAL rewrites the header of a TIFF if metadata changes after cells have
/// been written. Bands are numbered from 1; columns and rows are numbered from 0 at the upper left.
/// A file below `/vsimem/` is kept in memory. Only one thread at a time may use a writer. A writer
/// that is destroyed without `close()` closes the file, but cannot report errors and does not write
/// the sidecar.
public struct RasterWriter: ~Copyable {
  /// The file to write, or a path below `/vsimem/`.
  public let path: String
  /// The number of columns.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The number of bands. All bands have the same type.
  public let bandCount: Int
  /// The type in which the cells of all bands are stored.
  public let pixelType: PixelType

  var dataset: GDALDatasetH?
  /// The data that a TIFF does not support and that GDAL stores in `<path>.aux.xml`.
  var sidecar = Sidecar()

  /// Creates the file. An existing file with this name is replaced.
  ///
  /// - Parameters:
  ///   - path: the file to create.
  ///   - width: the number of columns, at least 1.
  ///   - height: the number of rows, at least 1.
  ///   - bandCount: the number of bands, at least 1.
  ///   - pixelType: the type in which cells are stored.
  ///   - options: the driver's creation options, such as `("COMPRESS", "DEFLATE")`. An option that
  ///     the driver does not support is an error, although GDAL itself only warns. For 16-bit or
  ///     24-bit floats, use `float32` with `("NBITS", "16")` or `("NBITS", "24")`. For `int8`,
  ///     `PIXELTYPE=SIGNEDBYTE` is added if the GDAL version requires it.
  ///   - driver: GDAL's short name of the format.
  /// - Throws: `GDALError` for an invalid size or option, and if GDAL cannot create
  ///   the file.
  public init(
    path: String, width: Int, height: Int, bandCount: Int = 1, pixelType: PixelType,
    options: [(String, String)] = [], driver: String = "GTiff"
  ) throws(GDALError) {
    GDALLibrary.start()
    self.path = path
    self.width = width
    self.height = height
    self.bandCount = bandCount
    self.pixelType = pixelType
    guard let columns = Int32(exactly: width), let rows = Int32(exactly: height),
      let bands = Int32(exactly: bandCount), columns > 0, rows > 0, bands > 0
    else {
      throw failure(
        "cannot create a raster of \(width) x \(height) x \(bandCount)", withLastError: false)
    }
    guard let driverHandle = GDALGetDriverByName(driver) else {
      throw failure("this GDAL has no driver \(driver.printable)", withLastError: false)
    }
    var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    defer { CSLDestroy(list) }
    for (key, value) in options { list = CSLSetNameValue(list, key, value) }
    if pixelType == .int8, !Self.hasInt8 { list = CSLSetNameValue(list, "PIXELTYPE", "SIGNEDBYTE") }

    CPLErrorReset()
    guard GDALValidateCreationOptions(driverHandle, list) != 0 else {
      throw failure("\(driver) rejects a creation option")
    }
    dataset = GDALCreate(driverHandle, path, columns, rows, bands, pixelType.gdalType, list)
    if dataset == nil { throw failure("cannot create the raster") }
  }

  deinit {
    if let dataset { GDALClose(dataset) }
  }

  /// Writes a window of one band.
  ///
  /// - Parameters:
  ///   - bytes: `width * height` values of the pixel type in native byte order, without gaps, with
  ///     rows from the top and columns from the left. A complex value is its real part followed by
  ///     its imaginary part.
  ///   - band: the band, from 1.
  ///   - column: the window's first column.
  ///   - row: the window's first row.
  ///   - width: the number of columns of the window.
  ///   - height: the number of rows of the window.
  /// - Throws: `GDALError` if the window is not within the raster, if the number of bytes does not
  ///   match the window, or if GDAL cannot write.
  public func write(
    _ bytes: UnsafeRawBufferPointer, band: Int, column: Int, row: Int, width: Int, height: Int
  ) throws(GDALError) {
    try write(
      bytes, to: try handle(band: band), as: pixelType, column: column, row: row, width: width,
      height: height)
  }

  /// Writes a window of one band from values, or from the components of complex values.
  ///
  /// - Parameters:
  ///   - values: values of a type with the size of the pixel type (`Int16` for `int16`), in the
  ///     order required by `write(_:band:column:row:width:height:)` with bytes.
  ///   - band: the band, from 1.
  ///   - column: the window's first column.
  ///   - row: the window's first row.
  ///   - width: the number of columns of the window.
  ///   - height: the number of rows of the window.
  public func write<Value: BitwiseCopyable>(
    _ values: [Value], band: Int, column: Int, row: Int, width: Int, height: Int
  ) throws(GDALError) {
    let result = values.withUnsafeBytes { bytes in
      Result { () throws(GDALError) in
        try write(bytes, band: band, column: column, row: row, width: width, height: height)
      }
    }
    try result.get()
  }

  /// Writes all cells of one band.
  public func write<Value: BitwiseCopyable>(
    _ values: [Value], band: Int = 1
  ) throws(GDALError) {
    try write(values, band: band, column: 0, row: 0, width: width, height: height)
  }

  /// Flushes and closes the file, then writes the sidecar if needed. Further calls of the writer
  /// are errors. This call reports any error, such as a full disk, that no earlier call has
  /// reported.
  public mutating func close() throws(GDALError) {
    let dataset = try open()
    CPLErrorReset()
    self.dataset = nil
    GDALClose(dataset)
    if CPLGetLastErrorType().rawValue >= CE_Failure.rawValue {
      throw failure("cannot finish the raster")
    }
    try writeSidecar()
  }
}

extension RasterWriter {
  func write(
    _ bytes: UnsafeRawBufferPointer, to band: GDALRasterBandH, as type: PixelType, column: Int,
    row: Int, width: Int, height: Int
  ) throws(GDALError) {
    guard width > 0, height > 0, column >= 0, row >= 0, column <= self.width - width,
      row <= self.height - height
    else {
      throw failure(
        "a window of \(width) x \(height) at column \(column), row \(row) is not within the raster",
        withLastError: false)
    }
    let (count, rest) = bytes.count.quotientAndRemainder(dividingBy: type.byteCount)
    guard count == width * height, rest == 0, let base = bytes.baseAddress else {
      throw failure(
        "\(bytes.count) bytes do not fill \(width) x \(height) cells of \(type.name)",
        withLastError: false)
    }
    try check("cannot write cells") {
      GDALRasterIO(
        band, GF_Write, Int32(column), Int32(row), Int32(width), Int32(height),
        UnsafeMutableRawPointer(mutating: base), Int32(width), Int32(height), type.gdalType,
        0, 0)
    }
  }

  /// Returns the open dataset. Throws an error after `close()`.
  func open() throws(GDALError) -> GDALDatasetH {
    guard let dataset else { throw failure("the raster is already closed", withLastError: false) }
    return dataset
  }

  func handle(band: Int) throws(GDALError) -> GDALRasterBandH {
    guard (1...bandCount).contains(band), let handle = GDALGetRasterBand(try open(), Int32(band))
    else {
      throw failure(
        "band \(band) does not exist; the number of bands is \(bandCount)", withLastError: false)
    }
    return handle
  }

  /// Calls GDAL and throws GDAL's error if the call fails.
  func check(_ doing: String, _ call: () -> CPLErr) throws(GDALError) {
    CPLErrorReset()
    if plumb_gdal_ok(call()) == 0 { throw failure(doing) }
  }

  /// The error to throw: `message`, followed by GDAL's message unless `withLastError` is false.
  func failure(_ message: String, withLastError: Bool = true) -> GDALError {
    let reason = withLastError ? GDALLibrary.lastError("") : ""
    return GDALError("\(path.printable): \(message)\(reason.isEmpty ? "" : ": ")\(reason)")
  }

  /// Whether GDAL has a type for signed bytes (3.7 and newer).
  static var hasInt8: Bool { plumb_gdal_version_number() >= 3_070_000 }
}
