import CGDAL
import PlumbCore
import PlumbRaster

extension RasterHandle {
  /// The coordinates of a raster's columns and rows, from the file's coordinate variables.
  struct Axes {
    /// The axis of the last dimension, which corresponds to GDAL's columns.
    var columns: CoordinateAxis
    /// The axis of the second-to-last dimension, in the order of GDAL's rows.
    var rows: CoordinateAxis
    /// Whether GDAL's first row is the last row of the file.
    var isBottomUp = false
    /// Whether y changes along the columns.
    var isTransposed: Bool { columns.kind.isUpward }
    /// Whether both axes are geographic longitudes and latitudes in degrees.
    var areInDegrees: Bool { columns.isInDegrees && rows.isInDegrees }
  }

  /// The names of GDAL's multidimensional drivers, by the names of the drivers that open the same
  /// files as rasters.
  private static let arrayDrivers = [
    "netCDF": "netCDF", "HDF5": "HDF5", "HDF5Image": "HDF5", "Zarr": "Zarr",
  ]

  var driverName: String {
    if isArray { return "Zarr" }
    return GDALGetDatasetDriver(dataset).flatMap { GDALGetDriverShortName($0) }
      .map { String(cString: $0) } ?? ""
  }

  /// The axes of a raster that is an array; nil if the file has no coordinate variables for its
  /// dimensions.
  ///
  /// - Throws: for an array that is not a map: stations, trajectories and profiles, and arrays
  ///   whose last two dimensions include time or levels.
  func coordinateAxes(
    of array: FileArray, in file: ArrayFile, path: String
  ) throws(GDALError) -> Axes? {
    CPLPushErrorHandler(CPLQuietErrorHandler)
    defer { CPLPopErrorHandler() }
    return try fault.whileInside { () throws(GDALError) in
      try axes(of: array, in: file, path: path)
    }
  }

  /// The array of the raster, and its file; nil for a raster that is not an array.
  func openArray(path: String) -> (file: ArrayFile, array: FileArray)? {
    guard let driver = Self.arrayDrivers[driverName] else { return nil }
    let name = ArrayName((isArray ? nil : descriptionPath) ?? path)
    CPLPushErrorHandler(CPLQuietErrorHandler)
    defer { CPLPopErrorHandler() }
    let found = fault.whileInside {
      ArrayFile(path: name.file, drivers: [driver])
        // GDAL leaves a NetCDF file with the extension of HDF5 to the HDF5 driver, and an HDF5 file with the extension
        // of NetCDF to the netCDF driver, unless a prefix names the format.
        ?? Self.prefixed(name.file, driver).flatMap { ArrayFile(path: $0, drivers: [driver]) }
    }
    guard let file = found, let array = fault.whileInside({ self.array(name, in: file) }) else {
      return nil
    }
    return (file, array)
  }

  /// A path with the prefix of a multidimensional driver; nil for a driver without a prefix.
  private static func prefixed(_ path: String, _ driver: String) -> String? {
    switch driver {
    case "netCDF": "NETCDF:\"\(path)\""
    case "HDF5": "HDF5:\(path)"
    default: nil
    }
  }

  /// The array from which GDAL created the dataset; nil if it cannot be identified.
  private func array(_ name: ArrayName, in file: ArrayFile) -> FileArray? {
    if let arrayName = name.array { return file.array(arrayName) }
    if let shown = band(0).flatMap({ item("NETCDF_VARNAME", nil, of: $0) }) {
      return file.array(shown)
    }
    let size = [Int(GDALGetRasterYSize(dataset)), Int(GDALGetRasterXSize(dataset))]
    let fitting = file.names.compactMap { file.array($0) }
      .filter { $0.dimensions.suffix(2).map(\.size) == size }
    return fitting.count == 1 ? fitting[0] : nil
  }

  private func axes(
    of array: FileArray, in file: ArrayFile, path: String
  ) throws(GDALError) -> Axes? {
    if let kind = samplingKind(of: array, in: file) {
      throw GDALError(
        "\(path.printable) is not a raster: \(array.name.printable) holds \(kind)",
        code: .unsupported)
    }
    guard array.dimensions.count >= 2 else { return nil }
    let two = array.dimensions.suffix(2).map { $0 }
    let axes = two.map { CoordinateAxis($0, of: file) }
    for (dimension, axis) in zip(two, axes) where axis?.kind == .time || axis?.kind == .vertical {
      throw GDALError(
        "\(path.printable) is not a raster: the last two dimensions of \(array.name.printable) are "
          + "\(two[0].name.printable) and \(two[1].name.printable), and "
          + "\(dimension.name.printable) is a dimension of "
          + (axis?.kind == .time ? "time" : "levels"), code: .unsupported)
    }
    guard let rows = axes[0], let columns = axes[1],
      columns.kind.isAcross && rows.kind.isUpward || columns.kind.isUpward && rows.kind.isAcross,
      two.map(\.size) == [Int(GDALGetRasterYSize(dataset)), Int(GDALGetRasterXSize(dataset))]
    else { return nil }
    let isBottomUp = isBottomUp(array, rows, columns)
    return Axes(
      columns: columns, rows: isBottomUp ? rows.reversed : rows, isBottomUp: isBottomUp)
  }

  /// Returns a description of the sampling of an array with values at separate points; nil for
  /// other arrays.
  private func samplingKind(of array: FileArray, in file: ArrayFile) -> String? {
    let kinds = [
      "point": "separate points", "timeseries": "time series of stations",
      "trajectory": "trajectories", "profile": "profiles",
      "timeseriesprofile": "profiles of stations",
      "trajectoryprofile": "profiles along trajectories",
    ]
    var dimensionNames: [CoordinateAxis.Kind: String] = [:]
    for name in (array.text("coordinates") ?? "").split(separator: " ") {
      guard let variable = file.array(String(name)), variable.dimensions.count <= 1 else {
        continue
      }
      let (kind, _) = CoordinateAxis.meaning(
        name: variable.name, unit: variable.unit, standardName: variable.text("standard_name"),
        axis: variable.text("axis"), positive: variable.text("positive"))
      dimensionNames[kind] = variable.dimensions.first?.name ?? ""
    }
    // Either both coordinates vary along the same dimension, or both are scalars for the whole
    // array.
    let isTrajectory =
      dimensionNames[.longitude].map { $0 == dimensionNames[.latitude] } ?? dimensionNames[.x].map {
        $0 == dimensionNames[.y]
      }
      ?? false
    let named = file.text("featureType").map { $0.lowercased() }
    if isTrajectory {
      return named.flatMap { kinds[$0] } ?? "values at separate places"
    }
    guard let named, let kind = kinds[named] else { return nil }
    let mapAxes = array.dimensions.suffix(2).compactMap { dimension in
      dimension.variable.map {
        CoordinateAxis.meaning(
          name: $0.name, unit: $0.unit, standardName: $0.text("standard_name"),
          axis: $0.text("axis"), positive: $0.text("positive")
        ).0
      }
    }
    let isMap = mapAxes.contains(where: \.isAcross) && mapAxes.contains(where: \.isUpward)
    return isMap ? nil : kind
  }

  /// Whether GDAL's first row is the last row of the file. Some drivers flip arrays vertically. The
  /// function compares GDAL's cells with the cells of the file. If the comparison does not determine
  /// the order, the function applies the driver's rule.
  private func isBottomUp(
    _ array: FileArray, _ rows: CoordinateAxis, _ columns: CoordinateAxis
  ) -> Bool {
    let (width, height) = (columns.values.count, rows.values.count)
    // GDAL reads arrays and Zarr stores in the order of the file.
    guard height > 1, driverName != "Zarr" else { return false }
    // The first band may have no values.
    let bands = Set([0, bandCount / 2, bandCount - 1]).sorted()
    // In most files, a few columns of the first rows determine the order. They are in one or two chunks.
    let middle = width / 2..<min(width, width / 2 + 16)
    for number in bands {
      if let isBottomUp = isBottomUp(array, bandNumber: number, middle, height, 4, isExact: true) {
        return isBottomUp
      }
    }
    let limit = max(16, Self.comparedCells / width)
    for number in bands {
      if let isBottomUp = isBottomUp(
        array, bandNumber: number, 0..<width, height, limit, isExact: false)
      {
        return isBottomUp
      }
    }
    guard driverName == "netCDF" else { return false }
    if let setting = CPLGetConfigOption("GDAL_NETCDF_BOTTOMUP", nil) {
      return CPLTestBool(setting)
    }
    let isRead = width > 1 && array.dimensions.suffix(2).allSatisfy { $0.name == $0.variable?.name }
    if columns.kind.isUpward { return false }
    return isRead ? rows.values[0] <= rows.values[1] : true
  }

  /// The maximum number of cells of a band that are compared with the file.
  private static let comparedCells = 1 << 22

  /// Whether the rows of a band are in the reverse order of the rows of the file; nil if the
  /// compared cells do not determine the order, or cannot be read.
  ///
  /// - Parameters:
  ///   - columns: the columns to compare.
  ///   - limit: the number of rows to compare.
  ///   - isExact: whether all compared cells must match one of the orders.
  private func isBottomUp(
    _ array: FileArray, bandNumber: Int, _ columns: Range<Int>, _ height: Int, _ limit: Int,
    isExact: Bool
  ) -> Bool? {
    guard let band = band(bandNumber) else { return nil }
    let leading = leadingIndices(ofBand: bandNumber, array.dimensions.map(\.size))
    let width = columns.count
    func fileRows(_ row: Int, _ count: Int) -> [Double]? {
      array.values(
        start: leading + [row, columns.lowerBound],
        count: leading.map { _ in 1 } + [count, width])
    }
    let end = min(height / 2, limit)
    var row = 0
    // In most files, the first rows determine the order. Further rows are read in blocks, because each read
    // may decode whole chunks.
    var count = min(end, 4)
    while row < end {
      count = min(count, end - row)
      var shown = [Double](repeating: .nan, count: width * count)
      let isRead = plumb_gdal_ok(
        GDALRasterIO(
          band, GF_Read, Int32(columns.lowerBound), Int32(row), Int32(width), Int32(count), &shown,
          Int32(width), Int32(count), GDT_Float64, 0, 0))
      guard isRead != 0, let same = fileRows(row, count),
        let other = fileRows(height - row - count, count)
      else { return nil }
      let mirrored = (0..<count).reversed().flatMap { other[$0 * width..<($0 + 1) * width] }
      let (upright, turned) = (mismatches(shown, same), mismatches(shown, mirrored))
      if upright != turned, !isExact || min(upright, turned) == 0 { return turned < upright }
      row += count
      count = max(1, min(count * 8, (1 << 18) / width))
    }
    return nil
  }
}

/// The number of cells in which a row read by GDAL differs from a row of the file.
private func mismatches(_ shown: [Double], _ stored: [Double]) -> Int {
  zip(shown, stored).count { $0 != $1 && !($0.isNaN && $1.isNaN) }
}
