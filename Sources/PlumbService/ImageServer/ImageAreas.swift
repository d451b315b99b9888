import Plumb
import PlumbBatch
import PlumbCore
import PlumbVerbs

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

  /// Returns the rows of the results of a request. Without classes, each area has one row, with the
  /// statistics, the status and the valid fraction of each band.
  ///
  /// - Parameters:
  ///   - bands: the band indices from 0, which replace the bands of the request.
  ///   - warnings: receives the warnings that it does not contain yet.
  private func rows(
    _ request: Zonal.Request, bands: [Int], _ raster: Raster, _ warnings: inout [String]
  ) throws -> [[FieldValue]] {
    var request = request
    request.bands = bands.map { $0 + 1 }
    var context = RunContext(.service) { _ in }
    (context.workers, context.tileCache) = (service.settings.workers, service.cache)
    context.limits.entries = ServiceLimits.zonalValues
    context.limits.edgeCells = ServiceLimits.edgeCells
    let source = FeatureListSource(
      areas.map { Feature(geometry: $0) }, reference: reference)
    let result = try Zonal.table(
      request, of: FeatureInput(source, itemName: "area"), on: Zonal.Rasters([raster]),
      in: context)
    try WorkCancellation.checkCurrent()
    let lines = result.warnings.map { $0.text(FrontEnd.service.spellings) }
    for line in lines where !warnings.contains(line) { warnings.append(line) }
    return result.table.rows
  }

  /// Returns the values of the cells in the areas, and the weighted number of cells with each value,
  /// ordered by value.
  func counts(
    band: Int, _ raster: Raster, _ warnings: inout [String]
  ) throws -> [(value: Double, count: Double)] {
    var request = Zonal.Request()
    request.hasClasses = true
    return try rows(request, bands: [band], raster, &warnings).compactMap { row in
      // The first columns are raster, band, class, class_name and count.
      guard let value = Self.number(row[2]), let count = Self.number(row[4]) else { return nil }
      return (value, count)
    }
  }

  /// Returns the statistics of each area in each band; nil for a statistic without a value.
  ///
  /// - Parameter warnings: receives the warnings that it does not contain yet.
  /// - Throws: if an area cannot be used, or cells cannot be read.
  func statistics(
    _ statistics: [ZonalStatistic], bands: [Int], _ raster: Raster, isScaled: Bool = false,
    _ warnings: inout [String]
  ) throws -> [[[Double?]]] {
    let width = statistics.count + 2
    var request = Zonal.Request()
    request.statistics = statistics.map(\.name).joined(separator: ",")
    request.isScaled = isScaled
    return try rows(request, bands: bands, raster, &warnings).map { row in
      try bands.indices.map { band in
        let values = row[band * width..<(band + 1) * width]
        try check(values[values.startIndex + statistics.count])
        return values.prefix(statistics.count).map(Self.number)
      }
    }
  }

  private static func number(_ value: FieldValue) -> Double? {
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
