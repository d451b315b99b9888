import CGDAL
import PlumbCore
import PlumbIO
import PlumbGeometry
import PlumbRaster
import Synchronization

/// A raster that GDAL opens. Its tiles are read by GDAL.
public final class GDALRasterSource: TileSource {
  /// The name in messages: a file, a URL or a dataset name of one of GDAL's drivers.
  public let path: String
  /// The raster's grid, bands and CRS, as read by GDAL.
  public let profile: RasterProfile
  /// Properties of the file that are needed only for `info` and for choosing a route.
  public let details: RasterDetails
  /// `GDAL`, which is shown by `plumb info` and `--explain`.
  public var route: String { "GDAL" }
  /// The path, and the other files of the dataset that GDAL lists.
  public var files: [String] { [path] + details.files.filter { $0 != path } }

  /// The size in bytes of the largest tile that is read as a whole. A file with larger blocks is
  /// rejected when it is opened, so that memory is limited regardless of the file's header.
  public static let largestTile = 256 << 20

  let access: GDALAccess
  /// The remote raster if Plumb itself downloads the file; otherwise nil.
  let remote: RemoteRaster?
  /// The index of this overview in the file; nil for the raster itself.
  let level: Int?
  /// The client of the helper processes that read the raster; nil if this process reads it.
  private let helper: HelperSource?
  private let centres = CellCentres()
  /// The overviews that have been requested, by level. The value is nil for an overview that cannot
  /// be opened.
  private let overviews = Mutex<[Int: GDALRasterSource?]>([:])

  /// - Parameters:
  ///   - path: a file, a URL or a dataset name of one of GDAL's drivers.
  ///   - access: the resources that GDAL may use for the raster; nil for `GDALAccess.named(path)`.
  /// - Throws: when GDAL cannot open the path as a raster, or the raster is not supported.
  public convenience init(path: String, access: GDALAccess? = nil) throws(GDALError) {
    try self.init(path: path, access: access ?? .named(path), level: nil)
  }

  /// - Parameter route: determines the process that reads the raster; nil for the usual route of
  ///   its format.
  init(
    path: String, access: GDALAccess, level: Int?, route: SourceRoute? = nil
  ) throws(GDALError) {
    // The restriction on coordinate reference systems can be applied only after this call.
    try GDALLibrary.load()
    self.level = level
    let usual = try SourceRoute.route(path, GDAL_OF_RASTER, access)
    switch route ?? usual {
    case .helper:
      let source = HelperSource(path, access, .openRaster) { $0.put(level) }
      var reply = try source.open()
      (self.access, helper, remote, self.path) = (access, source, nil, path)
      (profile, details) = (try reply.read(), try reply.read())
      if access.trust == .document, let text = profile.reference,
        let file = SpatialReference.file(namedIn: text)
      {
        throw .refusal(of: path, "its CRS names \(file.printable)")
      }
    case .inProcess(let access):
      let stay = access.enter()
      defer { stay.leave() }
      let dataset = try RasterHandle(path: path, access: access, level: level)
      (self.access, helper, remote) = (access, nil, dataset.remote)
      self.path = remote?.shown ?? path
      (profile, details) = try dataset.fault.whileInside { () throws(GDALError) in
        try dataset.describe(path: path)
      }
    }
    // If a side file cannot be fetched, GDAL treats it as if it did not exist.
    if let fault = ThreadAccess.current.networkFault {
      throw GDALError("\(self.path.printable) cannot be opened: \(fault)")
    }
  }

  /// Opens the path again for one worker, because only one thread at a time may use a GDAL dataset.
  ///
  /// - Throws: if the path can no longer be opened.
  public func makeReader() throws(RasterError) -> any TileReader {
    if let helper { return HelperTileReader(helper, profile, details) }
    do throws(GDALError) {
      return GDALTileReader(
        try RasterHandle(path: path, access: access, level: level), path: path, profile: profile,
        array: details.stored.flatMap { $0.needsArrayDriver ? $0 : nil }, centres: centres)
    } catch {
      throw RasterError(error)
    }
  }

  /// The overview with the widest cells that are at most `factor` times as wide as the cells of the
  /// raster. The tolerance is one per cent, because the sizes of overviews are integers.
  public func overview(atMost factor: Double) -> (any TileSource)? {
    // An overview does not have coordinate variables.
    if case .axes = profile.mapping { return nil }
    guard level == nil else { return nil }
    var best: (level: Int, factor: Double)?
    for (number, size) in details.overviews.enumerated() where size.width > 0 && size.height > 0 {
      let overviewFactor = max(
        Double(profile.grid.width) / Double(size.width),
        Double(profile.grid.height) / Double(size.height))
      if overviewFactor <= factor * 1.01, overviewFactor > best?.factor ?? 1.01 {
        best = (number, overviewFactor)
      }
    }
    guard let level = best?.level else { return nil }
    return overviews.withLock { known in
      if let found = known[level] { return found }
      let opened = try? GDALRasterSource(path: path, access: access, level: level)
      if opened != nil || !WorkCancellation.isCurrentCancelled { known[level] = .some(opened) }
      return opened
    }
  }

  /// The number of cells for which the geolocation arrays contain points; nil if the raster has no
  /// such arrays, or if they cannot be opened.
  public var geolocationPoints: Int? {
    if let helper {
      guard var reply = try? helper.send(.geolocationPoints) else { return nil }
      return try? reply.read(Int?.self)
    }
    let stay = access.enter()
    defer { stay.leave() }
    guard let handle = try? RasterHandle(path: path, access: access) else { return nil }
    guard let x = handle.sizeOfGeolocation("X"), let y = handle.sizeOfGeolocation("Y") else {
      return nil
    }
    // Two arrays of one row each are the axes of a regular grid.
    return x.height == 1 && y.height == 1 ? x.width * y.width : x.width * x.height
  }

  /// Whether a driver recognizes the file as a raster by its first bytes and its name.
  public static func isRaster(path: String) -> Bool {
    GDALLibrary.start()
    let access = GDALAccess.named(path)
    guard
      case .success(.inProcess(let routeAccess)) = Result(catching: { () throws(GDALError) in
        try SourceRoute.route(path, GDAL_OF_RASTER, access)
      })
    else {
      var reply = try? HelperSource.send(.isRaster, path, access)
      return (try? reply?.read(Bool.self)) ?? false
    }
    return SourceRoute.driver(
      of: path, UInt32(GDAL_OF_RASTER), among: routeAccess.drivers, routeAccess) != nil
  }
}

/// Properties of a raster for `info` that are not in its profile.
public struct RasterDetails: Sendable {
  /// GDAL's short name of the format, such as `GTiff`.
  public var driver = ""
  /// GDAL's name of the codec, such as `DEFLATE`; nil if the file is not compressed.
  public var compression: String?
  /// `PIXEL`, `BAND` or `LINE`, as returned by GDAL; nil if unknown.
  public var interleaving: String?
  /// The number of columns of one of the file's blocks.
  public var blockWidth = 0
  /// The number of rows of one of the file's blocks.
  public var blockHeight = 0
  /// The sizes of the first band's overviews, in the file's order.
  public var overviews: [(width: Int, height: Int)] = []
  /// The dataset's metadata in the default domain.
  public var metadata: [(name: String, value: String)] = []
  /// The file and its side files, as GDAL lists them.
  public var files: [String] = []
  /// The number of ground control points.
  public var groundControlPoints = 0
  /// Other kinds of georeferencing, such as rational polynomials and geolocation arrays.
  public var otherMappings: [String] = []
  /// The dataset names of other rasters in the same file (such as further images of a TIFF).
  public var subdatasets: [String] = []
  /// The number of bits of a value in the file; nil if it is the size of the pixel type in bits.
  public var bitsPerSample: Int?
  /// The dimensions of an array that identify its bands, outermost first; empty for other rasters.
  package var axes: [BandAxis] = []
  /// The messages of a GRIB file, one for each band; empty for other rasters.
  package var messages: [GRIBField] = []
  /// The only time of an array whose bands are not dates; nil if there is none.
  package var date: ImageDate?
  /// The array of an HDF5 or NetCDF-4 file; nil for other rasters, and if its rows are not known.
  var stored: StoredArray?
}

/// A dataset handle that closes itself.
///
/// - Invariant: only one thread at a time may use a GDAL dataset. A reader's handle belongs to one
///   worker. A source's own handle is accessed through `locked` after it has been opened.
final class RasterHandle: @unchecked Sendable {
  let dataset: UnsafeMutableRawPointer
  /// The path with which the raster was opened.
  let path: String
  /// The resources that GDAL may use for the dataset. Callers must enter this access before they
  /// call GDAL for the dataset.
  let access: GDALAccess
  /// The remote raster if Plumb itself downloads the file; otherwise nil.
  let remote: RemoteRaster?
  /// The folder of a remote file that GDAL downloads; otherwise nil.
  private let folder: RemoteFolder?
  let fault: FaultLine
  private let lock = Mutex(())

  /// The index of this overview in the file; nil for the raster itself.
  let level: Int?
  /// The file of an array that is opened as a raster; nil for other rasters.
  private let arrayFile: ArrayFile?

  init(path: String, access: GDALAccess, level: Int? = nil) throws(GDALError) {
    try GDALLibrary.load()
    (self.access, self.level, self.path) = (access, level, path)
    let stay = try access.enterToOpen()
    defer { stay.leave() }
    if let fault = SideFile.openingFault(path, access) { throw fault }
    CPLErrorReset()
    plumb_gdal_silence_thread()
    let flags = UInt32(GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR)
    ThreadAccess.current.networkFault = nil
    let remote = try RemoteRaster.open(path, access)
    self.remote = remote
    guard remote != nil || access.fetching == nil else {
      throw .refusal(of: path, "on a network, a document may refer only to TIFF files")
    }
    let name = BucketName.gdalPath(of: path)
    let folder = remote == nil ? RemoteFolder.of(name) : nil
    self.folder = folder
    let array = Self.array(path, access)
    arrayFile = array?.file
    var opened: GDALDatasetH? = array?.raster
    if opened == nil {
      opened = FaultLine.opening(path, UInt32(GDAL_OF_RASTER), among: access.drivers) {
        withNames(access.drivers) { drivers in
          // GDAL rounds the range of valid values, and compares unsigned values as signed values.
          withNames(["@HONOUR_VALID_RANGE=NO"] + (level.map { ["OVERVIEW_LEVEL=\($0)"] } ?? [])) {
            options in
            if let remote {
              return remote.withSiblings {
                GDALOpenEx(remote.gdalName, flags, drivers, options, $0)
              }
            }
            return SQLRestriction.opening {
              guard let folder else { return GDALOpenEx(name, flags, drivers, options, nil) }
              return folder.withSiblings(of: name) {
                GDALOpenEx(name, flags, drivers, options, $0)
              }
            }
          }
        }
      }
    }
    guard let dataset = opened else {
      if let refusal = ThreadAccess.current.removeRefusal() {
        throw .refusal(of: path, refusal)
      }
      if let advice = UnsupportedFileAdvice.advice(path) {
        throw GDALError(advice, code: .unsupported)
      }
      throw GDALError(
        "\(path.printable) is not a raster that can be opened: "
          + GDALLibrary.lastError("no raster driver of GDAL recognizes it"))
    }
    self.dataset = dataset
    fault = FaultLine(path: path, dataset: dataset)
    guard access.fetching != nil,
      let elsewhere = SourceInspection.elsewhere(of: dataset, mask: remote?.maskName)
    else { return }
    throw .refusal(of: path, "it refers to \(elsewhere.printable)")
  }

  deinit { fault.whileInside { plumb_gdal_close(dataset) } }

  /// Opens an array of a Zarr store with more than two dimensions, which GDAL's driver does not open as one raster.
  ///
  /// - Returns: nil for other rasters.
  private static func array(
    _ path: String, _ access: GDALAccess
  ) -> (file: ArrayFile, raster: GDALDatasetH)? {
    let name = ArrayName(path)
    // The name of an array may be followed by indices, which select a part of it.
    guard let array = name.array, path.lowercasedASCII.hasBytes(atStart: "zarr:"),
      path.hasBytes(atEnd: array),
      access.drivers.map({ $0.contains("Zarr") }) ?? true
    else { return nil }
    return FaultLine(path: path, driver: "Zarr").whileInside {
      guard let file = ArrayFile(path: name.file, drivers: ["Zarr"]),
        let raster = file.raster(ofArray: array)
      else { return nil }
      return (file, raster)
    }
  }

  /// Whether the raster is an array that GDAL's raster driver does not open as one raster.
  var isArray: Bool { arrayFile != nil }

  /// Runs `body`, which may open further files. For a remote file, GDAL opens only side files that
  /// the listing of the folder contains.
  func reading<Result>(_ body: () -> Result) -> Result {
    ThreadAccess.current.networkFault = nil
    if let remote { return remote.withQuietOpening(body) }
    return folder?.withQuietOpening(body) ?? body()
  }

  /// Runs `body` with exclusive access to the dataset. The lock excludes only other callers of this
  /// function.
  func locked<Result: Sendable>(_ body: () -> Result) -> Result {
    access.within { lock.withLock { _ in fault.whileInside(body) } }
  }

  /// The numbers of columns and rows of the geolocation array of an axis.
  func sizeOfGeolocation(_ axis: String) -> (width: Int, height: Int)? {
    fault.whileInside {
      guard let text = GDALGetMetadataItem(dataset, axis + "_DATASET", "GEOLOCATION"),
        let array = GDALOpenEx(
          text, UInt32(GDAL_OF_RASTER | GDAL_OF_READONLY), nil, nil, nil)
      else { return nil }
      defer { GDALClose(array) }
      return (Int(GDALGetRasterXSize(array)), Int(GDALGetRasterYSize(array)))
    }
  }

  var bandCount: Int { Int(GDALGetRasterCount(dataset)) }

  /// - Parameter index: the index of the band, from 0.
  func band(_ index: Int) -> UnsafeMutableRawPointer? {
    GDALGetRasterBand(dataset, Int32(index + 1))
  }
}

extension PixelType {
  /// Returns the pixel type of a band; nil for a type that was added to GDAL later.
  init?(band: UnsafeMutableRawPointer) {
    let type = GDALGetRasterDataType(band)
    if plumb_gdal_is_int8(type) != 0 {
      self = .int8
      return
    }
    if plumb_gdal_is_float16(type) != 0 {
      self = .float32
      return
    }
    switch type {
    case GDT_Byte:
      // GDAL 3.7 and later do not use this item, and warn when it is read.
      let isSigned =
        plumb_gdal_has_int8() == 0
        && GDALGetMetadataItem(band, "PIXELTYPE", "IMAGE_STRUCTURE")
          .map { String(cString: $0) == "SIGNEDBYTE" } ?? false
      self = isSigned ? .int8 : .uint8
    case GDT_UInt16: self = .uint16
    case GDT_Int16: self = .int16
    case GDT_UInt32: self = .uint32
    case GDT_Int32: self = .int32
    case GDT_UInt64: self = .uint64
    case GDT_Int64: self = .int64
    case GDT_Float32: self = .float32
    case GDT_Float64: self = .float64
    case GDT_CInt16: self = .complexInt16
    case GDT_CInt32: self = .complexInt32
    case GDT_CFloat32: self = .complexFloat32
    case GDT_CFloat64: self = .complexFloat64
    default: return nil
    }
  }

  /// The type to request from GDAL. If GDAL has no signed byte type, a signed byte is requested as
  /// an unsigned byte with the same bits.
  var gdalType: GDALDataType {
    switch self {
    case .uint8, .int8: plumb_gdal_int8_type(self == .int8 ? 1 : 0)
    case .uint16: GDT_UInt16
    case .int16: GDT_Int16
    case .uint32: GDT_UInt32
    case .int32: GDT_Int32
    case .uint64: GDT_UInt64
    case .int64: GDT_Int64
    case .float32: GDT_Float32
    case .float64: GDT_Float64
    case .complexInt16: GDT_CInt16
    case .complexInt32: GDT_CInt32
    case .complexFloat32: GDT_CFloat32
    case .complexFloat64: GDT_CFloat64
    }
  }
}
