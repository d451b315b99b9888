import Plumb
import PlumbBatch
import PlumbCore
import PlumbGeometry
import PlumbIO

/// Handles `computeStatisticsHistograms` and `computeHistograms` of an image service: the values of the cells in an area,
/// each counted by the fraction of it that the area covers.
struct ImageStatistics {
  private let service: ImageService
  private let area: Geometry
  private let reference: SpatialReference
  private let choice: ImageChoice

  /// A class of equal values.
  private struct Entry {
    var value: Double
    var count: Double
  }

  private static let binCount = 256

  init(_ parameters: Parameters, of service: ImageService) throws {
    self.service = service
    let (geometry, reference) = try parameters.geometry(for: service)
    guard geometry.dimension == 2 else {
      throw ServiceError("'geometry' parameter is invalid: expected a polygon or an envelope")
    }
    try EdgeCrossings.check([geometry], "geometry")
    (area, self.reference) = (geometry, reference)
    choice = try ImageChoice(parameters, of: service)
  }

  /// - Parameter hasStatistics: whether the reply has statistics beside the histograms.
  func json(hasStatistics: Bool) throws -> JSONObject {
    let raster = try service.raster(choice)
    let bands = choice.bands ?? Array(raster.bands.indices)
    var statistics: [JSONObject] = []
    var histograms: [JSONObject] = []
    for band in bands {
      statistics.append(try self.statistics(of: band, raster))
      histograms.append(
        Self.histogram(of: try entries(of: band, raster), raster.bands[band].pixelType))
    }
    var object = JSONObject()
    if hasStatistics { object.add("statistics", statistics) }
    object.add("histograms", histograms)
    return object
  }

  private func table(
    _ form: ZonalForm, _ statistics: [ZonalStatistic], _ band: Int, _ raster: Raster
  ) throws -> [[FieldValue]] {
    var options = BatchZonal.Options(areas: "-")
    (options.bands, options.form, options.statistics) = ([band], form, statistics)
    (options.entryLimit, options.edgeCellLimit) = (
      ServiceLimits.zonalValues, ServiceLimits.edgeCells
    )
    (options.workers, options.cache) = (service.settings.workers, service.cache)
    let source = FeatureListSource([Feature(geometry: area)], reference: reference)
    let table = ZonalTable()
    let batch = try BatchZonal(
      [raster], options, FeatureInput(source, itemName: "area"), table)
    _ = try batch.run()
    try WorkCancellation.checkCurrent()
    return table.rows
  }

  private static func number(_ value: FieldValue) -> Double? {
    switch value {
    case .real(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }

  /// The values of the area's cells in ascending order, with their numbers of cells.
  private func entries(of band: Int, _ raster: Raster) throws -> [Entry] {
    try table(.classes, [.count], band, raster).compactMap { row in
      // The columns are those of classes: raster, band, class, class_name, count and others.
      guard let value = Self.number(row[2]), let count = Self.number(row[4]) else { return nil }
      return Entry(value: value, count: count)
    }
  }

  /// - Throws: if the area cannot be used, or cells cannot be read.
  private func statistics(of band: Int, _ raster: Raster) throws -> JSONObject {
    let list: [(String, ZonalStatistic)] = [
      ("min", .min), ("max", .max), ("mean", .mean), ("standardDeviation", .stdev),
      ("median", .median), ("mode", .majority), ("count", .count), ("sum", .sum),
    ]
    let row = try table(.wide, list.map(\.1), band, raster)[0]
    try Self.check(row[list.count])
    var object = JSONObject()
    for ((name, _), value) in zip(list, row) {
      object.add(name, Self.number(value).map { .real($0) } ?? .null)
    }
    object.add("skipX", 1)
    object.add("skipY", 1)
    return object
  }

  private static func check(_ status: FieldValue) throws(ServiceError) {
    guard case .text(let word) = status, let status = ZonalStatus(rawValue: word) else { return }
    switch status {
    case .readError:
      throw ServiceError("cells of the area cannot be read", status: 500, kind: .readError)
    case .badArea: throw ServiceError("'geometry' parameter is invalid: it has no size")
    case .transformFailed:
      throw ServiceError(
        "'geometry' parameter is invalid: it cannot be transformed to the CRS of the raster",
        kind: .transformFailed)
    case .ok, .partial, .noData, .outside: break
    }
  }

  /// Returns the histogram of values: for 8-bit values a bin for each, otherwise 256 bins of equal width.
  private static func histogram(of entries: [Entry], _ type: PixelType) -> JSONObject {
    let entries = entries.filter(\.value.isFinite)
    var (low, high) = (entries.first?.value ?? 0, entries.last?.value ?? 0)
    if type == .uint8 { (low, high) = (-0.5, 255.5) }
    var counts = [Double](repeating: 0, count: binCount)
    for entry in entries {
      // Halves, because the difference of the largest numbers is infinite.
      let range = high / 2 - low / 2
      let position = range > 0 ? (entry.value / 2 - low / 2) / range * Double(binCount) : 0
      counts[min(binCount - 1, max(0, Int(position)))] += entry.count
    }
    var object = JSONObject()
    object.add("size", binCount)
    object.add("min", low)
    object.add("max", high)
    object.add(
      "counts",
      json: "[" + counts.map { FieldValue.real($0).plainText }.joined(separator: ",") + "]")
    return object
  }
}
