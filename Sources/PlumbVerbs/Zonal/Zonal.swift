import Plumb
import PlumbCore

/// The verb `zonal`: statistics of the cells of rasters under areas.
package enum Zonal {
  /// The options of a zonal request.
  package struct Request: Sendable, Equatable {
    /// Paths of rasters.
    package var rasters: [String] = []
    /// The path of the areas.
    package var areas: String?
    package var layer: String?
    package var crs: String?
    /// The names of the statistics, separated by commas; nil for the default.
    package var statistics: String?
    /// The band numbers from 1; empty for all bands.
    package var bands: [Int] = []
    package var cacheBytes: Int?
    package var output: String?
    package var overwrites = false
    package var format: String?
    package var isStrict = false
    package var threads: Int?

    package init() {}
  }
}
