import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbRaster

/// A variable of a file of arrays, with coordinates of its dimensions: `era5.nc#temp[level=500]`.
struct ArraySelection: Equatable {
  /// The path of the file, or a pattern for paths.
  var path: String
  /// The name of the variable.
  var variable: String
  /// The variable and the coordinates, as the user wrote them.
  var label: String
  /// The text between the brackets; nil if there are no brackets.
  private var coordinateText: String?

  /// - Returns: nil for text of another form.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let hash = bytes.lastIndex(of: UInt8(ascii: "#")), hash > 0 else { return nil }
    path = String(decoding: bytes[..<hash], as: UTF8.self)
    let rest = bytes[(hash + 1)...]
    label = String(decoding: rest, as: UTF8.self)
    let end = rest.firstIndex(of: UInt8(ascii: "[")) ?? rest.endIndex
    variable = String(decoding: rest[..<end], as: UTF8.self)
    guard !variable.isEmpty else { return nil }
    guard end < rest.endIndex else { return }
    guard rest.last == UInt8(ascii: "]") else { return nil }
    coordinateText = String(decoding: rest[(end + 1)..<(rest.endIndex - 1)], as: UTF8.self)
  }

  /// The names of dimensions, and the coordinates to read.
  ///
  /// - Throws: for a coordinate that is not a number, and for a dimension with two coordinates.
  func coordinates() throws(PlumbError) -> [String: Double] {
    var coordinates: [String: Double] = [:]
    for part in (coordinateText ?? "").utf8.split(separator: UInt8(ascii: ",")) {
      let words = part.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
      ).map { String(decoding: $0, as: UTF8.self) }
      guard words.count == 2, let value = Double(words[1]), value.isFinite,
        coordinates.updateValue(value, forKey: words[0]) == nil
      else {
        throw PlumbError(
          "\(label.printable): give one coordinate of a dimension as a number, such as level=500",
          code: .badInput)
      }
    }
    return coordinates
  }

  /// The names under which GDAL may open the variable of a file.
  static func datasetNames(of file: String, _ variable: String) throws(PlumbError) -> [String] {
    guard !file.contains("\"") else {
      throw PlumbError("\(file.printable): a path with a quotation mark is not supported")
    }
    if FileKind(path: file) == .folder { return ["ZARR:\"\(file)\":/\(variable)"] }
    return ["NETCDF:\"\(file)\":\(variable)", "HDF5:\"\(file)\"://\(variable)"]
  }
}

extension ArraySelection {
  /// The bands of a raster that the coordinates select.
  ///
  /// - Parameters:
  ///   - source: the variable, opened by GDAL.
  ///   - cells: the source of the cells of the variable; nil for GDAL.
  ///   - shown: the selection in messages.
  /// - Throws: for an unknown dimension or coordinate, and if a dimension other than time has
  ///   several coordinates and none of them is selected.
  func bands(
    of source: GDALRasterSource, cells: (any TileSource)? = nil, shown: String
  ) throws -> any TileSource {
    let axes = source.details.axes
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
    let date = bands.count == 1 ? source.details.date : nil
    let dates = bands.compactMap {
      axes.date(ofBand: $0) ?? source.profile.bands[$0].date ?? date
    }
    return BandSelection(
      cells ?? source, bands: bands, dates: dates.count == bands.count ? dates : nil, path: shown)
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
