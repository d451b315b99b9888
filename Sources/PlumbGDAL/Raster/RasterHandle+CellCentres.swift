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
    guard hasCellCentres else { return nil }
    guard width <= CurvilinearGrid.largestCount / height else {
      throw RasterError(
        "its geolocation arrays have more than \(CurvilinearGrid.largestCount) cells",
        code: .unsupported)
    }
    guard let x = geolocation("X", width, height), let y = geolocation("Y", width, height),
      let grid = CurvilinearGrid(
        width: width, height: height, x: x, y: y, isInDegrees: isInDegrees)
    else {
      throw RasterError(
        "its geolocation arrays cannot be read: "
          + GDALLibrary.lastError("they contain no coordinates"))
    }
    return grid
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
