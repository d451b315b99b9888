import CGDAL

extension RasterWriter {
  /// Adds one mask for all bands. The cells of the mask are 0 (nodata) until `writeMask` sets them.
  ///
  /// - Parameter isInternal: whether the mask is a page of the TIFF itself or a separate file,
  ///   `<path>.msk`.
  public func addMask(isInternal: Bool) throws(GDALError) {
    let dataset = try open()
    try Self.withOption("GDAL_TIFF_INTERNAL_MASK", isInternal ? "YES" : "NO") {
      () throws(GDALError) in
      try check("cannot add a mask") { GDALCreateDatasetMaskBand(dataset, GMF_PER_DATASET) }
    }
  }

  /// Writes a window of the mask as `width * height` bytes, row by row from the top. The value is 0
  /// for nodata cells and 255 for valid cells.
  ///
  /// - Throws: `GDALError` if the raster has no mask (see `addMask(isInternal:)`), or if the window
  ///   is not within the raster.
  public func writeMask(
    _ values: [UInt8], column: Int, row: Int, width: Int, height: Int
  ) throws(GDALError) {
    let first = try handle(band: 1)
    guard GDALGetMaskFlags(first) == GMF_PER_DATASET, let mask = GDALGetMaskBand(first) else {
      throw failure("the raster has no mask to write; add one first", withLastError: false)
    }
    let result = values.withUnsafeBytes { bytes in
      Result { () throws(GDALError) in
        try write(
          bytes, to: mask, as: .uint8, column: column, row: row, width: width, height: height)
      }
    }
    try result.get()
  }

  /// Writes the whole mask.
  public func writeMask(_ values: [UInt8]) throws(GDALError) {
    try writeMask(values, column: 0, row: 0, width: width, height: height)
  }

  /// Runs `body` while one GDAL setting is changed for this thread only.
  static func withOption(
    _ key: String, _ value: String, _ body: () throws(GDALError) -> Void
  ) throws(GDALError) {
    let former = CPLGetThreadLocalConfigOption(key, nil).map { String(cString: $0) }
    CPLSetThreadLocalConfigOption(key, value)
    defer { CPLSetThreadLocalConfigOption(key, former) }
    try body()
  }
}
