import CGDAL
import PlumbCore
import PlumbRaster
import Synchronization

/// The grid of a raster whose geolocation arrays contain the centres of its cells. All readers of a source share it.
final class CellCentres: Sendable {
  private let grid = Mutex<Result<CurvilinearGrid?, RasterError>?>(nil)

  /// The grid; nil for a raster with another mapping. It is read once.
  ///
  /// - Throws: if the geolocation arrays cannot be read.
  func grid(
    of handle: RasterHandle, isInDegrees: Bool
  ) throws(RasterError) -> CurvilinearGrid? {
    try grid.withLock { known -> Result<CurvilinearGrid?, RasterError> in
      if let known { return known }
      let result = Result { () throws(RasterError) in
        try handle.curvilinearGrid(isInDegrees: isInDegrees)
      }
      known = result
      return result
    }.get()
  }
}

extension RasterHandle {
  /// The grid of geolocation arrays with the centre of each cell; nil for a raster with another mapping.
  fileprivate func curvilinearGrid(
    isInDegrees: Bool
  ) throws(RasterError) -> CurvilinearGrid? {
    let (width, height) = (Int(GDALGetRasterXSize(dataset)), Int(GDALGetRasterYSize(dataset)))
    let arrays = centreArrays
    guard arrays != nil || hasCellCentres else { return nil }
    guard width <= CurvilinearGrid.largestCount / height else {
      throw RasterError(
        "its geolocation arrays have more than \(CurvilinearGrid.largestCount) cells",
        code: .unsupported)
    }
    guard
      let x = arrays.map({ coordinates($0.x, width, height) }) ?? geolocation("X", width, height),
      let y = arrays.map({ coordinates($0.y, width, height) }) ?? geolocation("Y", width, height),
      let grid = CurvilinearGrid(
        width: width, height: height, x: x, y: y, isInDegrees: isInDegrees)
    else {
      throw RasterError(
        "its geolocation arrays cannot be read: "
          + GDALLibrary.lastError("they contain no coordinates"))
    }
    return grid
  }

  // MARK: Coordinates of an array

  /// The coordinates of the cells of an array for which GDAL has no geolocation arrays, such as an array of a Zarr
  /// store.
  struct CentreArrays {
    /// The longitudes of the cells.
    var x: FileArray
    /// The latitudes of the cells.
    var y: FileArray
  }

  /// The coordinates of the cells of the raster's array; nil if GDAL has geolocation arrays, or if the file has no such
  /// coordinates.
  private var centreArrays: CentreArrays? {
    guard plumb_gdal_metadata(dataset, "GEOLOCATION") == nil,
      let (file, array) = openArray(path: path)
    else { return nil }
    return centreArrays(of: array, in: file)
  }

  /// The longitudes and latitudes that an array names as its coordinates and that have its last two dimensions; nil
  /// if there are none.
  func centreArrays(of array: FileArray, in file: ArrayFile) -> CentreArrays? {
    guard array.dimensions.count >= 2 else { return nil }
    let dimensions = array.dimensions.suffix(2)
    var found: [CoordinateAxis.Kind: FileArray] = [:]
    for name in (array.text("coordinates") ?? "").split(separator: " ") {
      guard let variable = file.array(String(name), namedBy: array),
        variable.dimensions.map(\.name) == dimensions.map(\.name),
        variable.dimensions.map(\.size) == dimensions.map(\.size)
      else { continue }
      let (kind, _) = CoordinateAxis.meaning(
        name: variable.name, unit: variable.unit, standardName: variable.text("standard_name"),
        axis: variable.text("axis"), positive: variable.text("positive"))
      found[kind] = variable
    }
    guard let x = found[.longitude], let y = found[.latitude] else { return nil }
    return CentreArrays(x: x, y: y)
  }

  /// The values of a coordinate row by row, with NaN for missing ones; nil if they cannot be read.
  private func coordinates(_ array: FileArray, _ width: Int, _ height: Int) -> [Double]? {
    fault.whileInside {
      guard var values = array.values(start: [0, 0], count: [height, width]) else { return nil }
      let missing = array.numbers("_FillValue") + array.numbers("missing_value")
      let (scale, offset) = (
        array.numbers("scale_factor").first ?? 1, array.numbers("add_offset").first ?? 0
      )
      for index in values.indices {
        values[index] = missing.contains(values[index]) ? .nan : values[index] * scale + offset
      }
      return values
    }
  }

  /// Whether the mapping consists of geolocation arrays with the coordinates of each cell's centre.
  private var hasCellCentres: Bool {
    guard GDALGetGCPCount(dataset) == 0, plumb_gdal_metadata(dataset, "RPC") == nil else {
      return false
    }
    let values = [
      ("GEOREFERENCING_CONVENTION", "PIXEL_CENTER"), ("PIXEL_OFFSET", "0"), ("LINE_OFFSET", "0"),
      ("PIXEL_STEP", "1"), ("LINE_STEP", "1"),
    ]
    guard values.allSatisfy({ item($0, "GEOLOCATION", of: dataset) == $1 }) else { return false }
    let size = (Int(GDALGetRasterXSize(dataset)), Int(GDALGetRasterYSize(dataset)))
    return ["X", "Y"].allSatisfy { axis in sizeOfGeolocation(axis).map { $0 == size } ?? false }
  }

  /// The values of a geolocation array row by row, with NaN for missing ones; nil if they cannot be read.
  private func geolocation(_ axis: String, _ width: Int, _ height: Int) -> [Double]? {
    fault.whileInside {
      CPLErrorReset()
      let number = item(axis + "_BAND", "GEOLOCATION", of: dataset).flatMap { Int32($0) } ?? 1
      guard let name = GDALGetMetadataItem(dataset, axis + "_DATASET", "GEOLOCATION"),
        let array = GDALOpenEx(name, UInt32(GDAL_OF_RASTER | GDAL_OF_READONLY), nil, nil, nil)
      else { return nil }
      defer { GDALClose(array) }
      guard let band = GDALGetRasterBand(array, number) else { return nil }
      var values = [Double](repeating: .nan, count: width * height)
      let result = GDALRasterIO(
        band, GF_Read, 0, 0, Int32(width), Int32(height), &values, Int32(width), Int32(height),
        GDT_Float64, 0, 0)
      guard plumb_gdal_ok(result) != 0 else { return nil }
      var (hasNoData, hasScale, hasOffset): (Int32, Int32, Int32) = (0, 0, 0)
      let noData = GDALGetRasterNoDataValue(band, &hasNoData)
      let scale = GDALGetRasterScale(band, &hasScale)
      let offset = GDALGetRasterOffset(band, &hasOffset)
      for index in values.indices {
        if hasNoData != 0, values[index] == noData {
          values[index] = .nan
        } else {
          values[index] =
            values[index] * (hasScale != 0 ? scale : 1) + (hasOffset != 0 ? offset : 0)
        }
      }
      return values
    }
  }
}
