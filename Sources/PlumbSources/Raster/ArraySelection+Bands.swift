import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbRaster

extension ArraySelection {
  /// The names under which GDAL may open the variable of a file.
  static func datasetNames(of file: String, _ variable: String) throws(PlumbError) -> [String] {
    guard !file.contains("\"") else {
      throw PlumbError("\(file.printable): a path with a quotation mark is not supported")
    }
    guard
      !variable.utf8.split(separator: UInt8(ascii: "/")).contains(where: {
        $0.elementsEqual("..".utf8)
      })
    else {
      throw PlumbError("\(variable.printable) is not the name of a variable", code: .notFound)
    }
    if FileKind(path: file) == .folder { return ["ZARR:\"\(file)\":/\(variable)"] }
    // For other files, HDF5's driver for families of files would create the next file of the family.
    let other = isHDF5(file) ? ["HDF5:\"\(file)\"://\(variable)"] : []
    return ["NETCDF:\"\(file)\":\(variable)"] + other
  }

  /// Whether a file has the signature of HDF5, which may follow 512 bytes, or 1024, and so on.
  private static func isHDF5(_ file: String) -> Bool {
    guard let input = try? ByteInput(path: file) else { return false }
    let signature: [UInt8] = [0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]
    var start = 0
    while start < 1 << 40 {
      guard let bytes = input.bytes(at: start, count: signature.count) else { return false }
      if bytes == signature { return true }
      start = start == 0 ? 512 : start * 2
    }
    return false
  }
}

extension ArraySelection {
  /// The bands of a raster that the coordinates select.
  ///
  /// - Parameters:
  ///   - source: the variable.
  ///   - axes: the dimensions of the bands.
  ///   - known: the only time of bands that are not dates; nil if there is none.
  ///   - shown: the selection in messages.
  /// - Throws: for an unknown dimension or coordinate, and if a dimension other than time has
  ///   several coordinates and none of them is selected.
  func bands(
    of source: any TileSource, _ axes: [BandAxis], date known: ImageDate? = nil, shown: String
  ) throws -> any TileSource {
    let coordinates = try coordinates()
    for name in coordinates.keys.sorted() where !axes.contains(where: { $0.name == name }) {
      let names = axes.map(\.name.printable).joined(separator: ", ")
      throw PlumbError(
        "\(shown.printable): \(variable.printable) has no dimension \(name.printable); its dimensions "
          + "besides x and y are \(axes.isEmpty ? "none" : names)", code: .badInput)
    }
    let chosen = try axes.map { axis -> Int? in
      guard let value = coordinates[axis.name] else {
        guard axis.dates == nil, axis.count > 1 else { return nil }
        if axis.isTime {
          throw PlumbError(
            "\(shown.printable): the dates of the dimension \(axis.name.printable) are unknown: its units, "
              + "calendar or values are not supported, or there are several dimensions of time; select one "
              + "of its \(axis.count) coordinates, such as \(variable)[\(axis.name)=\(example(axis))]",
            code: .unsupported)
        }
        throw PlumbError(
          "\(shown.printable): select one of the \(axis.count) coordinates of "
            + "\(axis.name.printable), such as \(variable)[\(axis.name)=\(example(axis))]",
          code: .badInput)
      }
      // Without coordinates, the numbers are indices from 0.
      let index =
        axis.values.isEmpty
        ? Int(exactly: value).flatMap { (0..<axis.count).contains($0) ? $0 : nil }
        : axis.values.firstIndex { abs($0 - value) <= 1e-6 * max(abs($0), abs(value)) }
      guard let index else {
        throw PlumbError(
          "\(shown.printable): \(axis.name.printable) has no coordinate \(value); one of its "
            + "\(axis.count) is \(example(axis))", code: .badInput)
      }
      return index
    }
    let bands = source.profile.bands.indices.filter { band in
      zip(axes.indices(ofBand: band), chosen).allSatisfy { $1 == nil || $0 == $1 }
    }
    // If one level is selected, it has the only time of the file.
    let date = bands.count == 1 ? known : nil
    let dates = bands.compactMap {
      axes.date(ofBand: $0) ?? source.profile.bands[$0].date ?? date
    }
    return BandSelection(
      source, bands: bands, dates: dates.count == bands.count ? dates : nil, path: shown)
  }

  /// The messages of a GRIB file with one parameter on one level, such as `era5.grib#TMP`, `era5.grib#TMP_2-HTGL` or
  /// `era5.grib#TMP[level=2]`.
  ///
  /// - Parameters:
  ///   - source: the file, opened by GDAL.
  ///   - shown: the selection in messages.
  /// - Throws: for an unknown parameter or level, and if the parameter has several levels and none is selected.
  func messages(of source: GDALRasterSource, shown: String) throws -> any TileSource {
    let messages = source.details.messages
    func list(_ names: [String]) -> String {
      Set(names).sorted().prefix(20).map(\.printable).joined(separator: ", ")
    }
    var chosen = messages.indices.filter { messages[$0].name == variable }
    if chosen.isEmpty { chosen = messages.indices.filter { messages[$0].parameter == variable } }
    guard !chosen.isEmpty else {
      throw PlumbError(
        "\(source.path.printable) has no parameter \(variable.printable); it has "
          + list(messages.map(\.parameter)), code: .notFound)
    }
    let names = list(chosen.map { messages[$0].name })
    for (name, value) in try coordinates() {
      guard name == "level" else {
        throw PlumbError(
          "\(shown.printable): a message has no dimension \(name.printable), only level",
          code: .badInput)
      }
      chosen.removeAll { messages[$0].levelNumber != value }
      guard !chosen.isEmpty else {
        throw PlumbError(
          "\(shown.printable): \(variable.printable) has no level \(value); name one of \(names)",
          code: .badInput)
      }
    }
    guard Set(chosen.map { messages[$0].name }).count == 1 else {
      throw PlumbError(
        "\(shown.printable): \(variable.printable) has several levels: name one of "
          + list(chosen.map { messages[$0].name }), code: .badInput)
    }
    let dates = chosen.map { messages[$0] }.dates
    return BandSelection(source, bands: chosen, dates: dates, path: shown)
  }

  private func example(_ axis: BandAxis) -> String {
    guard let first = axis.values.first else { return "0" }
    return Int(exactly: first).map { "\($0)" } ?? "\(first)"
  }
}
