import CGDAL
import PlumbCore
import PlumbGeometry
import PlumbRaster

extension RasterHandle {
  /// Checks that GDAL reads the cells correctly.
  ///
  /// - Parameter isArray: whether the array of the raster is known.
  private func checkReading(path: String, isArray: Bool) throws(GDALError) {
    if !isArray, hasRange(0) {
      throw GDALError(
        "\(path.printable): the variable of the valid range cannot be identified; name it, such as "
          + "FILE.nc#VARIABLE", code: .unsupported)
    }
    guard driverName == "GRIB" else { return }
    // Only the first message of a remote file is checked, because each message requires a request.
    let opened = descriptionPath ?? path
    try GRIBMessages.check(
      path: opened, called: path, count: RemoteFolder.isRemote(opened) ? 1 : bandCount)
  }

  /// Reads the raster's profile (grid, bands, masks, nodata and CRS) and details.
  func describe(path: String) throws(GDALError) -> (RasterProfile, RasterDetails) {
    let (width, height) = (Int(GDALGetRasterXSize(dataset)), Int(GDALGetRasterYSize(dataset)))
    guard bandCount > 0, let first = band(0) else {
      throw noBands(path: path)
    }
    guard width > 0, height > 0 else {
      throw GDALError("\(path.printable) has no cells: it is \(width) x \(height)")
    }
    let array = openArray(path: path)
    if access.trust == .document { try refuseVirtualValues(of: array?.array, path: path) }
    let hasSignedBytes = try hasSignedBytes(array?.array, path: path)
    var bands: [Band] = []
    for index in 0..<bandCount {
      bands.append(try describeBand(index, hasSignedBytes: hasSignedBytes, path: path))
    }
    if bands.contains(where: { $0.classes == nil }), let table = classTableBeside(path) {
      bands[0].classes = bands[0].classes ?? table
    }
    try checkReading(path: path, isArray: array != nil)
    let placement = try describeMapping(path: path, array)
    let axes = array.map { bandAxes(of: $0.array, in: $0.file) } ?? []
    var date: ImageDate?
    if let array {
      try setExcludedValues(of: &bands, array.array, path: path)
      date = setDates(of: &bands, axes, array.array, in: array.file)
    }
    let messages = messages()
    for (index, date) in (messages.dates ?? []).enumerated() { bands[index].date = date }

    var blockWidth: Int32 = 0
    var blockHeight: Int32 = 0
    GDALGetBlockSize(first, &blockWidth, &blockHeight)
    // GDAL decodes all bands of a pixel-interleaved block together.
    let sizes = bands.map(\.pixelType.byteCount)
    let isTogether = item("INTERLEAVE", "IMAGE_STRUCTURE", of: dataset) == "PIXEL"
    let shape = try tileShape(
      width: width, height: height, block: (Int(blockWidth), Int(blockHeight)),
      cellBytes: isTogether ? sizes.reduce(0, +) : sizes.max() ?? 1, path: path)
    var profile = RasterProfile(
      grid: TileGrid(
        width: width, height: height, tileWidth: shape.width, tileHeight: shape.height),
      mapping: placement.mapping, lazyReference: placement.reference,
      lazyPeriod: placement.period, bands: bands, isInterleaved: false)
    profile.note = placement.note

    var details = RasterDetails()
    (details.axes, details.date, details.messages) = (axes, date, messages)
    details.driver = driverName
    details.stored = array.flatMap { storedArray($0.array, placement, bands) }
    details.compression = item("COMPRESSION", "IMAGE_STRUCTURE", of: dataset)
    details.interleaving = item("INTERLEAVE", "IMAGE_STRUCTURE", of: dataset)
    details.blockWidth = Int(blockWidth)
    details.blockHeight = Int(blockHeight)
    details.bitsPerSample = item("NBITS", "IMAGE_STRUCTURE", of: first).flatMap { Int($0) }
    details.groundControlPoints = Int(GDALGetGCPCount(dataset))
    if plumb_gdal_metadata(dataset, "RPC") != nil {
      details.otherMappings = ["rational polynomials"]
    }
    if plumb_gdal_metadata(dataset, "GEOLOCATION") != nil {
      details.otherMappings.append("geolocation arrays")
    }
    details.subdatasets = subdatasetNames
    for number in 0..<max(0, GDALGetOverviewCount(first)) {
      guard let overview = GDALGetOverview(first, number) else { continue }
      details.overviews.append(
        (Int(GDALGetRasterBandXSize(overview)), Int(GDALGetRasterBandYSize(overview))))
    }
    details.metadata = strings(plumb_gdal_metadata(dataset, nil)).compactMap { line in
      guard let equals = line.firstIndex(of: "=") else { return nil }
      return (String(line[..<equals]), String(line[line.index(after: equals)...]))
    }
    if let files = GDALGetFileList(dataset) {
      details.files = strings(files).map { RemoteFileSystem.plain($0) }
      CSLDestroy(files)
    }
    return (profile, details)
  }

  /// Returns the size of a tile. A tile is a block, or several rows of small blocks.
  private func tileShape(
    width: Int, height: Int, block: (width: Int, height: Int), cellBytes: Int, path: String
  ) throws(GDALError) -> (width: Int, height: Int) {
    let blockWidth = min(max(1, block.width), width)
    let blockHeight = min(max(1, block.height), height)
    let (cells, overflow) = blockWidth.multipliedReportingOverflow(by: blockHeight)
    guard !overflow, cells <= GDALRasterSource.largestTile / cellBytes else {
      throw GDALError(
        "\(path.printable) is cut into blocks of \(block.width) x \(block.height) cells of "
          + "\(cellBytes) bytes; "
          + "blocks above \(GDALRasterSource.largestTile >> 20) MB are not read")
    }
    let tilesAcross = (width + blockWidth - 1) / blockWidth
    let tilesDown = (height + blockHeight - 1) / blockHeight
    guard tilesAcross.multipliedReportingOverflow(by: tilesDown).partialValue < Int(UInt32.max)
    else { throw GDALError("\(path.printable) is cut into more than 2^32 blocks") }
    let rows = max(1, (1 << 15) / max(1, cells))
    return (blockWidth, min(height, blockHeight * (tilesAcross == 1 ? rows : 1)))
  }

  private var subdatasetNames: [String] {
    strings(plumb_gdal_metadata(dataset, "SUBDATASETS"))
      .filter { $0.contains("_NAME=") }
      .compactMap { $0.split(separator: "=", maxSplits: 1).last.map(String.init) }
  }

  /// The error for a file without bands, which may have subdatasets.
  private func noBands(path: String) -> GDALError {
    let names = subdatasetNames
    guard let first = names.first else { return GDALError("\(path.printable) has no bands") }
    let arrays = names.compactMap { ArrayName($0).array }
    guard arrays.count == names.count else {
      return GDALError(
        "\(path.printable) has no bands; it has \(names.count) subdatasets: name one, for example "
          + first.printable, code: .ambiguous)
    }
    let shown = arrays.map { $0.hasBytes(atStart: "/") ? String($0.dropFirst()) : $0 }
    let list = shown.prefix(20).map(\.printable).joined(separator: ", ")
    return GDALError(
      "\(path.printable) has \(arrays.count) variables, \(list)\(arrays.count > 20 ? ", …" : ""): name one, "
        + "such as \(path.printable)#\(shown[0].printable)", code: .ambiguous)
  }
}

/// A metadata item of a dataset or band.
func item(_ name: String, _ domain: String?, of object: UnsafeMutableRawPointer) -> String? {
  GDALGetMetadataItem(object, name, domain).map { String(cString: $0) }
}

/// A GDAL string list as Swift strings.
func strings(_ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> [String] {
  guard let list else { return [] }
  var result: [String] = []
  var position = 0
  while let text = list[position] {
    result.append(String(cString: text))
    position += 1
  }
  return result
}
