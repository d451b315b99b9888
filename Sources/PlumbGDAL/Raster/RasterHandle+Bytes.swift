import CGDAL
import PlumbCore
import PlumbIO
import PlumbRaster

// Bytes that GDAL's drivers for HDF5 and NetCDF read with the wrong sign, or do not read.
extension RasterHandle {
  /// Whether the values of an HDF5 file are signed bytes, which GDAL before 3.7 reads as unsigned bytes.
  ///
  /// - Parameter array: the array of the raster; nil if it is not known.
  /// - Throws: if the type of the values cannot be read.
  func hasSignedBytes(_ array: FileArray?, path: String) throws(GDALError) -> Bool {
    guard ["HDF5", "HDF5Image"].contains(driverName), plumb_gdal_has_int8() == 0,
      let band = band(0), PixelType(band: band) == .uint8
    else { return false }
    var result: Int32 = -1
    // The multidimensional driver does not open files with the extension of NetCDF.
    if let opened = descriptionPath.map({ ArrayName($0) }),
      let name = array?.fullName ?? opened.array, FileKind(path: opened.file) == .file
    {
      result = fault.whileInside { plumb_hdf5_has_signed_bytes(opened.file, name) }
    }
    guard result >= 0 else {
      throw GDALError(
        "\(path.printable): GDAL does not distinguish signed and unsigned bytes of HDF5 files, and "
          + "the type of the variable cannot be read; give a local file and the variable, such as "
          + "FILE.h5#VARIABLE", code: .unsupported)
    }
    return result == 1
  }

  /// Whether the values of an array are bytes with the attribute `_Unsigned`. GDAL's raster driver does not read those
  /// above 127 from NetCDF-4 files; its multidimensional driver does.
  func hasUnsignedAttribute(_ array: FileArray, _ bands: [Band]) -> Bool {
    driverName == "netCDF" && array.text("_Unsigned")?.lowercased() == "true"
      && bands.allSatisfy { $0.pixelType == .uint8 }
  }
}

/// Reads the values of a raster through GDAL's multidimensional driver of NetCDF files. A reader belongs to one thread.
final class ByteArrayReader {
  private let file: ArrayFile
  private let array: FileArray
  private let stored: StoredArray

  /// - Returns: nil if the file cannot be opened.
  init?(_ stored: StoredArray) {
    // The prefix selects the driver, regardless of the extension.
    guard let file = ArrayFile(path: "NETCDF:\"\(stored.file)\"", drivers: ["netCDF"]),
      let array = file.array(stored.name)
    else { return nil }
    (self.file, self.array, self.stored) = (file, array, stored)
  }

  /// Reads a window of a band.
  ///
  /// - Returns: whether the values were read.
  func read(
    band: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
    rowStride: Int
  ) -> Bool {
    let height = stored.shape[stored.shape.count - 2]
    let firstRow = stored.isBottomUp ? height - window.row - window.height : window.row
    let indices = leadingIndices(ofBand: band, stored.shape)
    guard
      let values = array.bytes(
        start: indices + [firstRow, window.column],
        count: indices.map { _ in 1 } + [window.height, window.width])
    else { return false }
    for row in 0..<window.height {
      let source = (stored.isBottomUp ? window.height - 1 - row : row) * window.width
      let target = memory + row * rowStride
      for column in 0..<window.width {
        target.storeBytes(
          of: values[source + column], toByteOffset: column * cellStride, as: UInt8.self)
      }
    }
    return true
  }
}

/// The indices of a band in all dimensions of an array but the last two; the last of them varies fastest.
func leadingIndices(ofBand number: Int, _ shape: [Int]) -> [Int] {
  var indices: [Int] = []
  var rest = number
  for size in shape.dropLast(2).reversed() {
    indices.insert(rest % max(1, size), at: 0)
    rest /= max(1, size)
  }
  return indices
}
