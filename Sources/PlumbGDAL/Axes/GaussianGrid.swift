import CGDAL
import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Computes the latitudes of the rows of a Gaussian grid in a GRIB file, because GDAL treats the
/// rows as evenly spaced.
package enum GaussianGrid {
  /// The grid definition in a file's first message.
  private struct Header {
    var columns: Int
    var rows: Int
    /// The first latitude in degrees.
    var first: Double
    var last: Double
    /// The number of rows between a pole and the equator.
    var parallels: Int
  }

  /// The number of bytes of a file that are searched for its first grid.
  private static let headBytes = 1 << 16

  /// Returns the latitudes of a file's rows, from north to south.
  ///
  /// - Returns: nil for grids that are not Gaussian.
  /// - Throws: for a reduced Gaussian grid, whose rows differ in length, and for a grid whose rows
  ///   do not match the Gaussian grid with its number of parallels.
  package static func latitudes(path: String, rows: Int) throws(GDALError) -> [Double]? {
    guard let file = VSIFOpenL(path, "rb") else { return nil }
    defer { VSIFCloseL(file) }
    var bytes = [UInt8](repeating: 0, count: headBytes)
    bytes.removeLast(headBytes - VSIFReadL(&bytes, 1, headBytes, file))
    guard let header = header(bytes) else { return nil }
    guard header.columns > 0 else {
      throw GDALError(
        "\(path.printable) is a reduced Gaussian grid, whose rows differ in length: convert it to a "
          + "regular one", code: .unsupported)
    }
    let fault = GDALError(
      "\(path.printable) is a Gaussian grid whose rows are not those of its number of parallels",
      code: .unsupported)
    guard (1...4096).contains(header.parallels), header.rows == rows,
      header.rows <= 2 * header.parallels
    else { throw fault }
    let degree = 2 * header.parallels
    let (north, south) = (max(header.first, header.last), min(header.first, header.last))
    let start = Int(((90 - north) / 180 * (Double(degree) + 0.5) - 0.75).rounded())
    guard start >= 0, start + rows <= degree else { throw fault }
    // Only the latitudes of the file's rows are computed, because computing all latitudes of a fine
    // grid is slow.
    let found = (start..<start + rows).map { zero($0, degree) }
    let slack = 45 / Double(header.parallels)
    guard let first = found.first, let last = found.last, (first - north).magnitude < slack,
      (last - south).magnitude < slack
    else { throw fault }
    return found
  }

  /// Returns a zero of the Legendre polynomial of an even degree as a latitude, computed with
  /// Newton's method.
  ///
  /// - Parameter index: the index of the zero, counted from the north.
  private static func zero(_ index: Int, _ degree: Int) -> Double {
    guard index < degree / 2 else { return -zero(degree - 1 - index, degree) }
    var x = cos(Double.pi * (Double(index) + 0.75) / (Double(degree) + 0.5))
    for _ in 0..<8 {
      var (before, value) = (1.0, x)
      for number in 2...degree {
        let n = Double(number)
        (before, value) = (value, ((2 * n - 1) * x * value - (n - 1) * before) / n)
      }
      let step = value * (x * x - 1) / (Double(degree) * (x * value - before))
      x -= step
      if step.magnitude < 1e-15 { break }
    }
    return asin(x) * 180 / Double.pi
  }

  private static func header(_ bytes: [UInt8]) -> Header? {
    let mark = Array("GRIB".utf8)
    guard
      let start = bytes.indices.dropLast(16).first(where: { Array(bytes[$0..<$0 + 4]) == mark })
    else { return nil }
    return bytes[start + 7] == 1 ? first(bytes, start + 8) : second(bytes, start + 16)
  }

  /// Reads the grid definition of an edition 1 message whose product definition section begins at
  /// an offset.
  private static func first(_ bytes: [UInt8], _ product: Int) -> Header? {
    guard product + 8 <= bytes.count, bytes[product + 7] & 0x80 != 0 else { return nil }
    let grid = product + number(bytes, product, 3)
    guard grid + 28 <= bytes.count, bytes[grid + 5] == 4 else { return nil }
    let columns = number(bytes, grid + 6, 2)
    return Header(
      columns: columns == 0xFFFF ? 0 : columns, rows: number(bytes, grid + 8, 2),
      first: Double(signed(bytes, grid + 10, 3)) / 1000,
      last: Double(signed(bytes, grid + 17, 3)) / 1000, parallels: number(bytes, grid + 25, 2))
  }

  /// Reads the grid definition of an edition 2 message whose first section after section 0 begins
  /// at an offset.
  private static func second(_ bytes: [UInt8], _ start: Int) -> Header? {
    var section = start
    while section + 72 <= bytes.count, bytes[section + 4] < 3 {
      section += max(5, number(bytes, section, 4))
    }
    guard section + 72 <= bytes.count, bytes[section + 4] == 3,
      number(bytes, section + 12, 2) == 40
    else { return nil }
    let columns = number(bytes, section + 30, 4)
    return Header(
      columns: columns == 0xFFFF_FFFF ? 0 : columns, rows: number(bytes, section + 34, 4),
      first: Double(signed(bytes, section + 46, 4)) / 1e6,
      last: Double(signed(bytes, section + 55, 4)) / 1e6, parallels: number(bytes, section + 67, 4))
  }

  /// Reads a big-endian unsigned integer.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads a big-endian integer in sign-magnitude form.
  private static func signed(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    let value = number(bytes, offset, count)
    let sign = 1 << (8 * count - 1)
    return value & sign == 0 ? value : -(value & (sign - 1))
  }
}
