import PlumbCore
import PlumbRaster

/// The columns that `BatchZonal` adds: for each raster and band the statistics, the status, and the fraction of
/// the area with values.
struct ZonalColumns {
  /// The columns in order.
  let fields: [Field]
  private let statistics: [ZonalStatistic]

  /// - Parameters:
  ///   - rasters: the rasters with their bands, counted from 0.
  ///   - input: the input's columns.
  ///   - ignoresCase: whether names that differ in case only are the same.
  /// - Throws: if a column would have the name of another.
  init(
    _ rasters: [(raster: Raster, bands: [Int])], _ statistics: [ZonalStatistic],
    input: [Field], ignoresCase: Bool
  ) throws(PlumbError) {
    self.statistics = statistics
    var fields: [Field] = []
    for (raster, bands) in rasters {
      for band in bands {
        let name = raster.bands.count == 1 ? raster.name : "\(raster.name)_\(band + 1)"
        fields += statistics.map {
          Field(name: "\(name)_\($0.name)", kind: $0.kind(of: raster.bands[band].pixelType))
        }
        fields.append(Field(name: "\(name)_status", kind: .text))
        fields.append(Field(name: "\(name)_valid_fraction", kind: .real))
      }
    }
    let key = { (name: String) in ignoresCase ? name.lowercased() : name }
    let known = Set(input.map { key($0.name) })
    var seen: Set<String> = []
    for field in fields {
      if known.contains(key(field.name)) {
        throw PlumbError(
          "the input has a column \(field.name.printable) already; rename the raster or the column")
      }
      if !seen.insert(key(field.name)).inserted {
        throw PlumbError(
          "two output columns would be called \(field.name.printable); rename one of the rasters")
      }
    }
    self.fields = fields
  }

  /// The values of an area in one band.
  ///
  /// - Parameter type: the type of the band's cells.
  func values(
    _ result: ZonalSampler.Result, _ distribution: ZonalDistribution, of type: PixelType,
    _ areas: ZonalAreas, _ area: Int
  ) -> [FieldValue] {
    let (status, fraction) = areas.status(of: area, result)
    let isKnown = areas.faults[area] == nil && status != .readError
    return statistics.map { isKnown ? $0.value(result.moments, distribution, of: type) : .null }
      + [.text(status.rawValue), fraction.map { .real($0) } ?? .null]
  }
}
