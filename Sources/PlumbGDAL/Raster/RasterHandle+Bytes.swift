import CGDAL
import PlumbCore
import PlumbIO
import PlumbRaster

// Values that GDAL's drivers for HDF5 and NetCDF read with the wrong sign, or do not read.
extension RasterHandle {
  /// Whether the values of an HDF5 file are signed bytes, which GDAL before 3.7 reads as unsigned bytes.
  ///
  /// - Parameter array: the array of the raster; nil if it is not known.
  /// - Throws: if the type of the values cannot be read.
  func hasSignedBytes(_ array: FileArray?, path: String) throws(GDALError) -> Bool {
    guard ["HDF5", "HDF5Image"].contains(driverName), plumb_gdal_has_int8() == 0,
      let band = band(0), PixelType(band: band) == .uint8
    else { return false }
    guard let opened = descriptionPath.map({ ArrayName($0) }),
      let name = array?.fullName ?? opened.array,
      let result = fault.whileInside({ Self.hasSignedBytes(name, in: opened.file) })
    else {
      throw GDALError(
        "\(path.printable): GDAL reads signed bytes of HDF5 files as unsigned bytes, and the type of the "
          + "variable cannot be determined; copy the file to a local folder, and name the variable, such as "
          + "HDF5:\"FILE.h5\"://VARIABLE", code: .unsupported)
    }
    return result
  }

  /// Whether the values of an array are signed bytes; nil if the type cannot be read.
  private static func hasSignedBytes(_ name: String, in file: String) -> Bool? {
    if FileKind(path: file) == .file {
      for candidate in names(shownAs: name) {
        let result = plumb_hdf5_has_signed_bytes(file, candidate)
        if result >= 0 { return result == 1 }
      }
    }
    // The netCDF driver also opens files in archives. It reads signed bytes as 16-bit integers.
    CPLPushErrorHandler(CPLQuietErrorHandler)
    defer { CPLPopErrorHandler() }
    guard let content = ArrayFile(path: "NETCDF:\"\(file)\"", drivers: ["netCDF"]) else {
      return nil
    }
    for candidate in names(shownAs: name) {
      if let array = content.array(candidate) { return !array.hasUnsignedBytes }
    }
    return nil
  }

  /// Checks that the values of an array and of its coordinates are in the file itself. If the kernel denies access to
  /// the file of a virtual dataset, HDF5 returns fill values without an error.
  ///
  /// - Parameter array: the array of the raster; nil if it cannot be identified.
  /// - Throws: for a virtual dataset, and for an unknown array.
  func refuseVirtualValues(of array: FileArray?, path: String) throws(GDALError) {
    guard let file = descriptionPath.map({ ArrayName($0).file }), FileKind(path: file) == .file,
      driverName != "Zarr", GDALAccess.arrayDrivers.contains(driverName)
    else { return }
    guard let array else {
      let advice = ArrayName(path).array == nil ? "; name it, such as FILE.nc#VARIABLE" : ""
      throw GDALError(
        "\(path.printable): its variable cannot be identified\(advice)", code: .unsupported)
    }
    var names = [array.fullName ?? array.name]
    names += array.dimensions.compactMap { $0.variable?.fullName ?? $0.variable?.name }
    for name in (array.text("coordinates") ?? "").split(separator: " ") {
      names.append(array.path(of: String(name)))
    }
    for name in names where fault.whileInside({ plumb_hdf5_is_virtual(file, name) }) == 1 {
      throw .refusal(
        of: path,
        "the values of \(name.printable) are in another dataset, which may be in another file")
    }
  }

  /// The possible names in the file for a name that GDAL shows. GDAL replaces spaces with underscores.
  private static func names(shownAs name: String) -> [String] {
    let bytes = Array(name.utf8)
    let places = bytes.indices.filter { bytes[$0] == UInt8(ascii: "_") }
    guard places.count <= 8 else { return [name] }
    return (0..<1 << places.count).map { choice in
      var bytes = bytes
      for (bit, place) in places.enumerated() where choice >> bit & 1 == 1 {
        bytes[place] = UInt8(ascii: " ")
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Whether an array of a NetCDF file may contain values that GDAL's multidimensional driver reads, but its
  /// raster driver does not. These are bytes above 127 if the array has the attribute `_Unsigned`, and NaN
  /// if the array has no nodata value. The raster driver returns 0 for NaN.
  func needsArrayDriver(_ array: FileArray, _ bands: [Band]) -> Bool {
    guard driverName == "netCDF" else { return false }
    if array.text("_Unsigned")?.lowercased() == "true" {
      return bands.allSatisfy { $0.pixelType == .uint8 }
    }
    var hasNoData: Int32 = 0
    if let band = band(0) { _ = GDALGetRasterNoDataValue(band, &hasNoData) }
    return hasNoData == 0 && bands.allSatisfy { $0.pixelType == bands[0].pixelType }
      && [.float32, .float64].contains(bands[0].pixelType)
  }
}

/// Reads the values of a raster through GDAL's multidimensional driver of NetCDF files. A reader belongs to one thread.
final class StoredArrayReader {
  // The array is released before its file.
  private let array: FileArray
  private let file: ArrayFile
  private let stored: StoredArray
  private let type: PixelType

  /// - Parameter type: the type of the values: bytes or floating-point numbers.
  /// - Returns: nil if the file cannot be opened.
  init?(_ stored: StoredArray, _ type: PixelType) {
    // The prefix selects the driver, regardless of the extension.
    guard let file = ArrayFile(path: "NETCDF:\"\(stored.file)\"", drivers: ["netCDF"]),
      let array = file.array(stored.name)
    else { return nil }
    (self.file, self.array, self.stored, self.type) = (file, array, stored, type)
  }

  /// Reads a window of a band.
  ///
  /// - Returns: whether the values were read.
  func read(
    band: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
    rowStride: Int
  ) -> Bool {
    func copy<Value: BitwiseCopyable>(_ initial: Value) -> Bool {
      read(band, window, initial, into: memory, cellStride: cellStride, rowStride: rowStride)
    }
    switch type {
    case .float32: return copy(Float(0))
    case .float64: return copy(Double(0))
    default: return copy(UInt8(0))
    }
  }

  private func read<Value: BitwiseCopyable>(
    _ band: Int, _ window: CellWindow, _ initial: Value, into memory: UnsafeMutableRawPointer,
    cellStride: Int, rowStride: Int
  ) -> Bool {
    let height = stored.shape[stored.shape.count - 2]
    let firstRow = stored.isBottomUp ? height - window.row - window.height : window.row
    let indices = leadingIndices(ofBand: band, stored.shape)
    guard
      let values = array.values(
        type.gdalType, start: indices + [firstRow, window.column],
        count: indices.map { _ in 1 } + [window.height, window.width], initial: initial)
    else { return false }
    for row in 0..<window.height {
      let source = (stored.isBottomUp ? window.height - 1 - row : row) * window.width
      let target = memory + row * rowStride
      for column in 0..<window.width {
        target.storeBytes(
          of: values[source + column], toByteOffset: column * cellStride, as: Value.self)
      }
    }
    return true
  }
}

/// The index of a band in each dimension of an array except the last two. Of the dimensions before the
/// last two, the last one varies fastest.
func leadingIndices(ofBand number: Int, _ shape: [Int]) -> [Int] {
  var indices: [Int] = []
  var rest = number
  for size in shape.dropLast(2).reversed() {
    indices.insert(rest % max(1, size), at: 0)
    rest /= max(1, size)
  }
  return indices
}
