import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Computes the latitudes of the rows of a Gaussian grid in a GRIB file, because GDAL treats the
/// rows as evenly spaced.
package enum GaussianGrid {
  /// Returns the latitudes of a file's rows, from north to south.
  ///
  /// - Returns: nil for grids that are not Gaussian.
  /// - Throws: for a reduced Gaussian grid, whose rows differ in length, and for a grid whose rows
  ///   do not match the Gaussian grid with its number of parallels.
  package static func latitudes(path: String, rows: Int) throws(GDALError) -> [Double]? {
    guard let header = GRIBMessages.first(path: path)?.grids.first?.gaussian else { return nil }
    guard header.columns > 0 else {
      throw GDALError(
        "\(path.printable) is a reduced Gaussian grid, whose rows differ in length: convert it to a "
          + "regular one", code: .unsupported)
    }
    let fault = GDALError(
      "\(path.printable) is a Gaussian grid whose rows do not match its number of parallels",
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
}
