import Plumb
import PlumbBatch
import PlumbCore
import PlumbGeometry
import PlumbIO

/// Handles `computeStatisticsHistograms` and `computeHistograms` of an image service for the cells
/// in an area. Each cell is weighted by the fraction that the area covers.
struct ImageStatistics {
  private let service: ImageService
  private let area: ImageAreas
  private let choice: ImageChoice

  private static let binCount = 256

  init(_ parameters: Parameters, of service: ImageService) throws {
    self.service = service
    let (geometry, reference) = try parameters.geometry(for: service)
    guard geometry.dimension == 2 else {
      throw ServiceError("'geometry' parameter is invalid: expected a polygon or an envelope")
    }
    try EdgeCrossings.check([geometry], "geometry")
    area = ImageAreas([geometry], reference, of: service, parameter: "geometry")
    choice = try ImageChoice(parameters, of: service)
    guard !choice.isEmpty else {
      throw ServiceError("'time' parameter is invalid: the raster has no date at this time")
    }
  }

  /// - Parameter hasStatistics: whether the reply contains statistics in addition to the
  ///   histograms.
  func content(hasStatistics: Bool) throws -> ReplyContent {
    var warnings: [String] = []
    let raster = try service.raster(choice)
    let bands = choice.bands ?? Array(raster.bands.indices)
    var statistics: [JSONObject] = []
    var histograms: [JSONObject] = []
    for band in bands {
      statistics.append(try self.statistics(of: band, raster, &warnings))
      let entries = try area.counts(band: band, raster, &warnings)
      histograms.append(Self.histogram(of: entries, raster.bands[band].pixelType))
    }
    var object = JSONObject()
    if hasStatistics { object.add("statistics", statistics) }
    object.add("histograms", histograms)
    return .json(object, warnings: warnings)
  }

  /// - Throws: if the area cannot be used, or cells cannot be read.
  private func statistics(
    of band: Int, _ raster: Raster, _ warnings: inout [String]
  ) throws -> JSONObject {
    let list: [(String, ZonalStatistic)] = [
      ("min", .min), ("max", .max), ("mean", .mean), ("standardDeviation", .stdev),
      ("median", .median), ("mode", .majority), ("count", .count), ("sum", .sum),
    ]
    let values = try area.statistics(list.map(\.1), bands: [band], raster, &warnings)[0][0]
    var object = JSONObject()
    for ((name, _), value) in zip(list, values) {
      object.add(name, value.map { .real($0) } ?? .null)
    }
    object.add("skipX", 1)
    object.add("skipY", 1)
    return object
  }

  /// Returns the histogram of values. Unsigned 8-bit values have one bin per value. Other values
  /// have 256 bins of equal width.
  private static func histogram(
    of entries: [(value: Double, count: Double)], _ type: PixelType
  ) -> JSONObject {
    let entries = entries.filter(\.value.isFinite)
    var (low, high) = (entries.first?.value ?? 0, entries.last?.value ?? 0)
    if type == .uint8 { (low, high) = (-0.5, 255.5) }
    var counts = [Double](repeating: 0, count: binCount)
    for entry in entries {
      // The values are halved before the subtraction, because the difference of two very large
      // numbers may be infinite.
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
