import CGDAL
import PlumbCore
import PlumbRaster

/// Reads tiles through GDAL, with its own dataset.
final class GDALTileReader: TileReader {
  private var handle: RasterHandle
  private let path: String
  private let profile: RasterProfile
  private var transformer: UnsafeMutableRawPointer?
  /// The handle from which the transformer was created.
  private var transformed: RasterHandle?
  /// Whether the dataset may differ from the file. If libtiff fails to read the offset of a block,
  /// it treats the block as empty on the next access, which returns 0 without an error.
  private var isStale = false
  /// The error that occurred when the transformer was created. Creation is tried only once.
  private var mappingFailure: RasterError?

  /// The array that is read through GDAL's multidimensional driver; nil for other rasters.
  private let array: StoredArray?
  private lazy var arrayReader = array.flatMap {
    StoredArrayReader($0, profile.bands[0].pixelType)
  }
  private let centres: CellCentres

  /// - Parameters:
  ///   - array: the array that is read through GDAL's multidimensional driver; nil for other rasters.
  ///   - centres: the centres of the raster's cells, which its readers share.
  init(
    _ handle: RasterHandle, path: String, profile: RasterProfile, array: StoredArray?,
    centres: CellCentres
  ) {
    self.handle = handle
    self.path = path
    self.profile = profile
    self.array = array
    self.centres = centres
  }

  /// The drivers that decode a whole block whenever a cell of the block is requested. Other drivers
  /// read rows, cells or parts of other files.
  private static let wholeBlockDrivers: Set<String> = [
    "GTiff", "GPKG", "MBTiles", "HFA", "PNG", "JPEG", "GIF", "BIGGIF", "WEBP", "JPEGXL",
    "JP2OpenJPEG", "GRIB", "AAIGrid", "GRASSASCIIGrid", "AIG",
  ]

  /// The drivers of text grids. To read a row, they scan all preceding rows and retry each of them.
  /// Therefore, after an unreadable row, each further row takes twice as long as the row before it.
  private static let walkingDrivers: Set<String> = ["AAIGrid", "GRASSASCIIGrid", "ISG"]

  private lazy var driver = handle.driverName

  private(set) lazy var readsWholeBlocks = Self.decodesWholeBlocks(driver)

  /// Whether a driver decodes a whole block whenever a cell of it is requested.
  static func decodesWholeBlocks(_ driver: String) -> Bool { wholeBlockDrivers.contains(driver) }

  /// The number of rows that a driver of text grids has scanned.
  private var walkedRows = 0
  /// The error after which the driver cannot read further rows; nil if no such error occurred.
  private var walkFailure: RasterError?

  private var isTIFF: Bool { driver == "GTiff" }

  private(set) lazy var blockRows: Int? = {
    var (width, height): (Int32, Int32) = (0, 0)
    guard let band = handle.band(0) else { return nil }
    GDALGetBlockSize(band, &width, &height)
    return max(1, Int(height))
  }()

  deinit {
    if let transformer { GDALDestroyGenImgProjTransformer(transformer) }
  }

  func readTile(
    plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    guard let base = buffer.baseAddress else { return }
    let size = profile.cellStride(plane: plane)
    try readWindow(
      plane: plane, profile.grid.window(tile: tile), into: base, cellStride: size,
      rowStride: size * profile.grid.tileWidth)
  }

  func readWindow(
    plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
    rowStride: Int
  ) throws(RasterError) {
    let stay = handle.access.enter()
    defer { stay.leave() }
    plumb_gdal_silence_thread()
    if isStale { try reopen() }
    let isMask = plane >= profile.pixelPlanes
    let index = isMask ? plane - profile.pixelPlanes : plane
    guard let band = handle.band(index),
      let source = isMask ? GDALGetMaskBand(band) : band
    else { throw RasterError("band \(index + 1) no longer exists") }
    let type = isMask ? GDT_Byte : profile.bands[index].pixelType.gdalType
    if Self.walkingDrivers.contains(driver) {
      try walk(band, to: window.row + window.height)
    }
    CPLErrorReset()
    let result = handle.reading {
      handle.fault.whileInside {
        if !isMask, array != nil {
          let isRead = arrayReader?.read(
            band: index, window, into: memory, cellStride: cellStride, rowStride: rowStride)
          return isRead == true ? CE_None : CE_Failure
        }
        return GDALRasterIOEx(
          source, GF_Read, Int32(window.column), Int32(window.row), Int32(window.width),
          Int32(window.height), memory, Int32(window.width), Int32(window.height), type,
          Int64(cellStride), Int64(rowStride), nil)
      }
    }
    // If the offset of a block cannot be read, the driver reports an error, but then reads from the
    // start of the file.
    let hasFailed = isTIFF && CPLGetLastErrorType().rawValue >= CE_Failure.rawValue
    if plumb_gdal_ok(result) == 0 || hasFailed {
      isStale = isTIFF
      throw failure("cells from column \(window.column), row \(window.row) cannot be read")
    }
    if !isMask, let excluded = profile.bands[index].excluded {
      excluded.replace(window, in: memory, cellStride: cellStride, rowStride: rowStride)
    }
  }

  /// The error for cells that cannot be read, with advice if restrictions blocked access.
  private func failure(_ what: String) -> RasterError {
    if let refusal = ThreadAccess.current.removeRefusal() {
      let error = GDALError.refusal(of: path, refusal)
      return RasterError("\(what): \(refusal)", code: error.code, remedies: error.remedies)
    }
    let reason = GDALLibrary.lastError("GDAL gives no reason")
    // When access is blocked, GDAL's network file systems report that the file does not exist.
    if !handle.access.allowsNetwork, NetworkName.isFileSystemNamed(in: reason) {
      let error = GDALError.refusal(of: path, "it may not use a network")
      return RasterError(
        "\(what): the source may not use a network: \(reason)", code: error.code,
        remedies: error.remedies)
    }
    return RasterError("\(what): \(reason)")
  }

  private func reopen() throws(RasterError) {
    do throws(GDALError) {
      handle = try RasterHandle(path: path, access: handle.access, level: handle.level)
    } catch {
      throw RasterError(error)
    }
    isStale = false
  }

  /// Reads rows in order up to `end`. Once a row cannot be read, every later call throws the same
  /// error.
  private func walk(_ band: GDALRasterBandH, to end: Int) throws(RasterError) {
    while walkedRows < end {
      if let walkFailure { throw walkFailure }
      var cell: UInt8 = 0
      CPLErrorReset()
      let result = handle.reading {
        handle.fault.whileInside {
          GDALRasterIOEx(
            band, GF_Read, 0, Int32(walkedRows), 1, 1, &cell, 1, 1, GDT_Byte, 1, 1, nil)
        }
      }
      guard plumb_gdal_ok(result) != 0 else {
        let failure = failure("cells from row \(walkedRows) on cannot be read")
        walkFailure = failure
        throw failure
      }
      walkedRows += 1
    }
  }

  func mapToGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError) {
    try transform(x: x, y: y, count: count, toGrid: true)
  }

  func mapFromGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError) {
    try transform(x: x, y: y, count: count, toGrid: false)
  }

  private func transform(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int, toGrid: Bool
  ) throws(RasterError) {
    let isInDegrees = profile.longitudePeriod == 360
    let stay = handle.access.enter()
    defer { stay.leave() }
    if let grid = try centres.grid(of: handle, isInDegrees: isInDegrees) {
      return toGrid
        ? grid.mapToGrid(x: x, y: y, count: count) : grid.mapFromGrid(x: x, y: y, count: count)
    }
    let transformer = try openTransformer()
    var heights = [Double](repeating: 0, count: count)
    var success = [Int32](repeating: 0, count: count)
    handle.fault.whileInside {
      _ = GDALGenImgProjTransform(
        transformer, toGrid ? 1 : 0, Int32(count), x, y, &heights, &success)
    }
    for i in 0..<count where success[i] == 0 {
      x[i] = .nan
      y[i] = .nan
    }
  }

  private func openTransformer() throws(RasterError) -> UnsafeMutableRawPointer {
    if let transformer { return transformer }
    if let mappingFailure { throw mappingFailure }
    CPLErrorReset()
    let made = handle.fault.whileInside {
      GDALCreateGenImgProjTransformer2(handle.dataset, nil, nil)
    }
    if let made {
      (transformer, transformed) = (made, handle)
      return made
    }
    let failure = RasterError(
      "its control points or polynomials cannot be used: "
        + GDALLibrary.lastError("GDAL gives no reason"))
    mappingFailure = failure
    throw failure
  }
}
