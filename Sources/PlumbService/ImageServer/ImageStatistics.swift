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
    let serviceReference = try service.reference()
    guard
      let geometry = try parameters.geometry(
        "geometry", reference: try parameters.reference("sr") ?? serviceReference)
    else { throw ServiceError("'geometry' parameter is not specified.") }
    guard geometry.dimension == 2 else {
      throw ServiceError("'geometry' parameter is invalid: expected a polygon or an envelope")
    }
    try EdgeCrossings.check([geometry], "geometry")
    area = geometry
    reference = geometry.spatialReference ?? serviceReference
    choice = try ImageChoice(parameters, of: service)
  }

  /// - Parameter hasStatistics: whether the reply has statistics beside the histograms.
  func json(hasStatistics: Bool) throws -> JSONObject {
    let raster = try service.raster(choice)
    let bands = choice.bands ?? Array(raster.bands.indices)
    var statistics: [JSONObject] = []
    var histograms: [JSONObject] = []
    for band in bands {
      let entries = try entries(of: band, raster)
      if hasStatistics { statistics.append(try self.statistics(of: entries, band, raster)) }
      histograms.append(Self.histogram(of: entries, raster.bands[band].pixelType))
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
    options.entryLimit = ServiceLimits.zonalValues
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
  ///
  /// - Throws: if the area cannot be used, or cells cannot be read.
  private func entries(of band: Int, _ raster: Raster) throws -> [Entry] {
    let quality = try table(.wide, [.count], band, raster)[0]
    if case .text(let status) = quality[1], let status = ZonalStatus(rawValue: status) {
      switch status {
      case .readError:
        throw ServiceError("cells of the area could not be read", status: 500, kind: .readError)
      case .badArea: throw ServiceError("'geometry' parameter is invalid: it has no size")
      case .transformFailed:
        throw ServiceError(
          "'geometry' parameter is invalid: it cannot be transformed to the CRS of the raster",
          kind: .transformFailed)
      case .ok, .partial, .noData, .outside: break
      }
    }
    return try table(.classes, [.count], band, raster).compactMap { row in
      // The columns are those of classes: raster, band, class, class_name, count and others.
      guard let value = Self.number(row[2]), let count = Self.number(row[4]) else { return nil }
      return Entry(value: value, count: count)
    }
  }

  private func statistics(
    of entries: [Entry], _ band: Int, _ raster: Raster
  ) throws -> JSONObject {
    let list: [ZonalStatistic] = [.min, .max, .mean, .stdev, .median, .majority, .count, .sum]
    let names = [
      "min", "max", "mean", "standardDeviation", "median", "mode", "count", "sum",
    ]
    let row = try table(.wide, list, band, raster)[0]
    var object = JSONObject()
    for (name, value) in zip(names, row) {
      if let number = Self.number(value) {
        object.add(name, number)
      } else {
        object.add(name, .null)
      }
    }
    object.add("skipX", 1)
    object.add("skipY", 1)
    return object
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
