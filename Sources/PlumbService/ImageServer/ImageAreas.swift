import Plumb
import PlumbBatch
import PlumbCore

/// Computes the statistics of the cells of an image service in areas. Each cell is weighted by the
/// fraction that the area covers.
struct ImageAreas {
  private let service: ImageService
  private let areas: [Geometry]
  private let reference: SpatialReference
  /// The name of the parameter that contains the areas, for messages.
  private let parameter: String

  init(
    _ areas: [Geometry], _ reference: SpatialReference, of service: ImageService,
    parameter: String
  ) {
    (self.areas, self.reference) = (areas, reference)
    (self.service, self.parameter) = (service, parameter)
  }

  /// Returns the rows of the results in one of the forms of `ZonalForm`. In the form `wide`, each
  /// area has one row, with the statistics, the status and the valid fraction of each band.
  func rows(
    _ form: ZonalForm, _ statistics: [ZonalStatistic], bands: [Int], _ raster: Raster,
    isScaled: Bool = false
  ) throws -> [[FieldValue]] {
    var options = ZonalOptions(areas: "-")
    (options.bands, options.form, options.statistics) = (bands, form, statistics)
    options.isScaled = isScaled
    (options.entryLimit, options.edgeCellLimit) = (
      ServiceLimits.zonalValues, ServiceLimits.edgeCells
    )
    (options.workers, options.cache) = (service.settings.workers, service.cache)
    let source = FeatureListSource(
      areas.map { Feature(geometry: $0) }, reference: reference)
    let table = ZonalTable()
    let batch = try BatchZonal(
      [raster], options, FeatureInput(source, itemName: "area"), table)
    _ = try batch.run()
    try WorkCancellation.checkCurrent()
    return table.rows
  }

  /// Returns the statistics of each area in each band; nil for a statistic without a value.
  ///
  /// - Throws: if an area cannot be used, or cells cannot be read.
  func statistics(
    _ statistics: [ZonalStatistic], bands: [Int], _ raster: Raster, isScaled: Bool = false
  ) throws -> [[[Double?]]] {
    let width = statistics.count + 2
    return try rows(.wide, statistics, bands: bands, raster, isScaled: isScaled).map { row in
      try bands.indices.map { band in
        let values = row[band * width..<(band + 1) * width]
        try check(values[values.startIndex + statistics.count])
        return values.prefix(statistics.count).map(Self.number)
      }
    }
  }

  static func number(_ value: FieldValue) -> Double? {
    switch value {
    case .real(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }

  private func check(_ status: FieldValue) throws(ServiceError) {
    guard case .text(let word) = status, let status = ZonalStatus(rawValue: word) else { return }
    switch status {
    case .readError:
      throw ServiceError("cells of the area cannot be read", status: 500, kind: .readError)
    case .badArea: throw ServiceError("'\(parameter)' parameter is invalid: it has zero area")
    case .transformFailed:
      throw ServiceError(
        "'\(parameter)' parameter is invalid: it cannot be transformed to the CRS of the raster",
        kind: .transformFailed)
    case .ok, .partial, .noData, .outside: break
    }
  }
}
