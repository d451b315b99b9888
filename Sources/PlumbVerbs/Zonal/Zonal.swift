import Plumb
import PlumbBatch
import PlumbCore
import PlumbLayers
import PlumbRaster

/// The verb `zonal`: computes statistics of raster cells under areas.
package enum Zonal {
  /// The cells that an area includes.
  package typealias Cells = InclusionRule.Cells

  /// The options of a zonal request.
  package struct Request: Sendable, Equatable {
    /// Paths of rasters.
    package var rasters: [String] = []
    /// The names of the rasters; an empty name selects the default name. If names are given,
    /// `rasters` contains only paths.
    package var names: [String] = []
    /// The patterns or tables with the dates of the rasters' files.
    package var dates: [String] = []
    package var grouping: DatedStack.Grouping?
    /// The first and the last date that are read.
    package var from: String?
    package var to: String?
    /// The path of the areas.
    package var areas: String?
    /// The areas or points as GeoJSON text.
    package var features: [UInt8]?
    /// The path of points, if the areas are discs around points.
    package var points: String?
    /// The radius of the discs.
    package var radius: IdentifyOptions.Tolerance?
    /// The columns of x and y of points in delimited text.
    package var x: String?
    package var y: String?
    package var layer: String?
    package var crs: String?
    /// The SQL condition that selects areas.
    package var condition: String?
    /// The column by which areas are grouped: areas with equal values are joined.
    package var groupColumn: String?
    /// The names of the statistics, separated by commas; nil for the default.
    package var statistics: String?
    /// The band numbers from 1; empty for all bands.
    package var bands: [Int] = []
    /// The cells that an area includes; nil to weight each cell by its covered fraction.
    package var cells: InclusionRule.Cells?
    /// The minimum covered fraction of a cell.
    package var threshold: Double?
    /// The coverage file of the areas.
    package var coverage: String?
    package var isApproximate = false
    package var isScaled = false
    /// `area`, or the path of a raster.
    package var weights: String?
    package var hasClasses = false
    package var isWide = false
    package var isLong = false
    package var explains = false
    package var cacheBytes: Int?
    package var output: String?
    package var overwrites = false
    /// The table of the database `output`; nil for a file.
    package var outputTable: String?
    package var appends = false
    package var picture: String?
    package var format: String?
    package var isStrict = false
    package var threads: Int?

    package init() {}
  }
}

extension InclusionRule.Cells: OptionWord {}
