import CGDAL
import PlumbCore
import PlumbRaster

/// Reads tiles through GDAL, with a dataset of its own.
final class GDALTileReader: TileReader {
  private var handle: RasterHandle
  private let path: String
  private let profile: RasterProfile
  private var transformer: UnsafeMutableRawPointer?
  /// What the transformer was made of.
  private var transformed: RasterHandle?
  /// Whether the dataset may say other things than the file. libtiff takes a block whose point
  /// could not be read for one without data when it is asked again, which is 0 and no error.
  private var isStale = false
  /// Why there is no transformer; it is tried once.
  private var mappingFailure: RasterError?

  init(_ handle: RasterHandle, path: String, profile: RasterProfile) {
    self.handle = handle
    self.path = path
    self.profile = profile
  }

  /// The drivers that decode a block whole each time a cell of it is asked; others read rows, cells
  /// or parts of other files.
  private static let wholeBlockDrivers: Set<String> = [
    "GTiff", "GPKG", "MBTiles", "HFA", "PNG", "JPEG", "GIF", "BIGGIF", "WEBP", "JPEGXL",
    "JP2OpenJPEG", "GRIB", "AAIGrid", "GRASSASCIIGrid", "AIG",
  ]

  /// The driver of grids of text, which walks from row to row and tries each again that it needs:
  /// behind a broken row, every row takes twice as long as the one before it.
  private static let walkingDrivers: Set<String> = ["AAIGrid", "GRASSASCIIGrid", "ISG"]

  private lazy var driver: String =
    GDALGetDatasetDriver(handle.dataset).flatMap { GDALGetDriverShortName($0) }
    .map { String(cString: $0) } ?? ""

  private(set) lazy var readsWholeBlocks = Self.decodesWholeBlocks(driver)

  /// Whether a driver decodes a block whole each time a cell of it is asked.
  static func decodesWholeBlocks(_ driver: String) -> Bool { wholeBlockDrivers.contains(driver) }

  /// Rows that such a driver has reached.
  private var walkedRows = 0
  /// Why it gets no further.
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
    if isStale { try reopen() }
    let isMask = plane >= profile.pixelPlanes
    let index = isMask ? plane - profile.pixelPlanes : plane
    guard let band = handle.band(index),
      let source = isMask ? GDALGetMaskBand(band) : band
    else { throw RasterError("band \(index + 1) is gone") }
    let type = isMask ? GDT_Byte : profile.bands[index].pixelType.gdalType
    if Self.walkingDrivers.contains(driver) {
      try walk(band, to: window.row + window.height)
    }
    CPLErrorReset()
    let result = handle.reading {
      handle.fault.whileInside {
        GDALRasterIOEx(
          source, GF_Read, Int32(window.column), Int32(window.row), Int32(window.width),
          Int32(window.height), memory, Int32(window.width), Int32(window.height), type,
          Int64(cellStride), Int64(rowStride), nil)
      }
    }
    // Of a block without a point that driver says an error and then reads from the start of the
    // file.
    let hasFailed = isTIFF && CPLGetLastErrorType().rawValue >= CE_Failure.rawValue
    if plumb_gdal_ok(result) == 0 || hasFailed {
      isStale = isTIFF
      throw failure("cells from column \(window.column), row \(window.row) cannot be read")
    }
  }

  /// Why cells cannot be read, and what to do where a wall stands in the way.
  private func failure(_ what: String) -> RasterError {
    if let refusal = ThreadAccess.current.takeRefusal() {
      let error = GDALError.refusal(of: path, refusal)
      return RasterError("\(what): \(refusal)", code: error.code, remedies: error.remedies)
    }
    let reason = GDALLibrary.lastError("GDAL does not say why")
    // GDAL's file systems on networks are shut by saying that nothing is there.
    if !handle.access.allowsNetwork, NetworkName.isFileSystemNamed(in: reason) {
      let error = GDALError.refusal(of: path, "no network is used for it")
      return RasterError(
        "\(what): no network is used for it: \(reason)", code: error.code,
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

  /// Reaches rows one after the other, and none behind one that cannot be read.
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
    let stay = handle.access.enter()
    defer { stay.leave() }
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
        + GDALLibrary.lastError("GDAL does not say why"))
    mappingFailure = failure
    throw failure
  }
}
