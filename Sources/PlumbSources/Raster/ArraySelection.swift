import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbRaster

/// A variable of a file of arrays, with coordinates of its dimensions: `era5.nc#temp[level=500]`.
struct ArraySelection: Equatable {
  /// The path of the file, or a pattern of paths.
  var path: String
  /// The name of the variable.
  var variable: String
  /// The variable and the coordinates, as they were given.
  var label: String
  /// The text between the brackets; nil without brackets.
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

/// Some bands of another raster.
package final class BandSelection: TileSource {
  package let source: any TileSource
  private let bands: [Int]
  package let path: String
  package let profile: RasterProfile

  /// - Parameters:
  ///   - bands: the bands of the source, which stores each band separately.
  ///   - dates: the dates of these bands; nil if they have none.
  package init(_ source: any TileSource, bands: [Int], dates: [ImageDate]?, path: String) {
    (self.source, self.bands, self.path) = (source, bands, path)
    var profile = source.profile
    precondition(!profile.isInterleaved, "bands of arrays are stored separately")
    profile.bands = bands.enumerated().map { position, band in
      var band = source.profile.bands[band]
      band.date = dates?[position]
      return band
    }
    self.profile = profile
  }

  package var route: String { source.route }
  package var files: [String] { source.files }
  package var isRemote: Bool { source.isRemote }

  package func makeReader() throws(RasterError) -> any TileReader {
    Reader(try source.makeReader(), bands, planes: source.profile.pixelPlanes)
  }

  /// A reader of the source's planes.
  private final class Reader: TileReader {
    private let reader: any TileReader
    private let bands: [Int]
    /// The number of the source's planes with values. The planes of masks follow.
    private let planes: Int

    init(_ reader: any TileReader, _ bands: [Int], planes: Int) {
      (self.reader, self.bands, self.planes) = (reader, bands, planes)
    }

    private func plane(_ plane: Int) -> Int {
      plane < bands.count ? bands[plane] : planes + bands[plane - bands.count]
    }

    func readTile(
      plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      try reader.readTile(plane: self.plane(plane), tile: tile, into: buffer)
    }

    func readTile(
      plane: Int, tile: Int, for entries: UnsafeBufferPointer<PlanEntry>,
      into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      try reader.readTile(plane: self.plane(plane), tile: tile, for: entries, into: buffer)
    }

    var cellReadCost: Int? { reader.cellReadCost }
    var blockRows: Int? { reader.blockRows }
    var readsWholeBlocks: Bool { reader.readsWholeBlocks }

    func readCells(
      plane: Int, tile: Int, entries: UnsafeBufferPointer<PlanEntry>,
      into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) -> Bool {
      try reader.readCells(plane: self.plane(plane), tile: tile, entries: entries, into: buffer)
    }

    func readWindow(
      plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
      rowStride: Int
    ) throws(RasterError) {
      try reader.readWindow(
        plane: self.plane(plane), window, into: memory, cellStride: cellStride,
        rowStride: rowStride)
    }

    func mapToGrid(
      x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
    ) throws(RasterError) {
      try reader.mapToGrid(x: x, y: y, count: count)
    }

    func mapFromGrid(
      x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
    ) throws(RasterError) {
      try reader.mapFromGrid(x: x, y: y, count: count)
    }
  }
}

extension ArraySelection {
  /// The bands of a raster that the coordinates select.
  ///
  /// - Parameter shown: the selection in messages.
  /// - Throws: for an unknown dimension or coordinate, and if a dimension other than time has several coordinates of
  ///   which none is selected.
  func bands(of source: GDALRasterSource, shown: String) throws -> any TileSource {
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
    let dates = bands.compactMap { axes.date(ofBand: $0) ?? source.profile.bands[$0].date }
    return BandSelection(
      source, bands: bands, dates: dates.count == bands.count ? dates : nil, path: shown)
  }

  private func example(_ axis: BandAxis) -> String {
    guard let first = axis.values.first else { return "0" }
    return Int(exactly: first).map { "\($0)" } ?? "\(first)"
  }
}
