import PlumbCore
import PlumbRaster
import PlumbSources

/// The input, the statistics and the output of a run.
package struct ZonalOptions: Sendable {
  /// The path of the areas; `-` is standard input.
  package var areas: String
  /// The layer of a source with several; nil if there is only one.
  package var layer: String?
  /// The CRS of the areas, which overrides the input's own.
  package var reference: SpatialReference?
  /// The condition of the features; nil for all.
  package var condition: String?
  /// The column with equal values in features that are evaluated as one area.
  package var groupColumn: String?
  /// The radius in metres of the discs around the features, which are points; nil if they are areas.
  package var radius: Double?
  /// The columns of x and y of points in delimited text.
  package var x: String?
  package var y: String?
  /// The bands, counted from 0; nil for all.
  package var bands: [Int]?
  /// The cells that count.
  package var rule = InclusionRule()
  /// Whether values are multiplied by the band's scale, and its offset is added.
  package var isScaled = false
  /// The weights of the cells.
  package var weights: Weights?
  package var form = ZonalForm.wide
  /// The file of the coverage of the areas: read if it exists, else written.
  package var coverage: String?
  /// The maximum number of distinct values of an area, and of listed values of a batch of areas; more are an
  /// error.
  package var entryLimit = Int.max
  package var statistics: [ZonalStatistic] = [.count, .mean, .min, .max]
  /// The output file; nil for standard output.
  package var output: String?
  /// The name of the format; nil derives it from the extension of the output.
  package var format: String?
  /// Whether an existing file is replaced.
  package var overwrites = false
  /// Whether areas that need repair, and areas without statistics, end the run.
  package var isStrict = false
  /// The maximum number of cells that the edges of an area cross; more are an error.
  package var edgeCellLimit = Int.max
  /// The maximum number of vertices of the output's shapes, which rows of classes repeat; more are an error.
  package var writtenVertexLimit = Int.max
  /// Whether quantiles may be approximate instead of computed with a temporary file.
  package var isApproximate = false
  /// The number of distinct values of an area in memory above which they are moved to a temporary file; nil for
  /// a number that depends on that of the threads.
  package var spillCount: Int?
  /// Throws if shapes are too complex to be repaired or joined; nil for no limit.
  package var checkShapes: (@Sendable ([Geometry]) throws -> Void)?
  /// Names of the rasters in the output, which replace their own; empty for their own.
  package var names: [String] = []
  package var access = DocumentAccess.folder
  package var services: FeatureServices?
  package var workers = Workers()
  package var cache = TileCache()
  /// Whether nothing else uses the cache.
  package var ownsCache = false

  package init(areas: String) { self.areas = areas }

  /// The weights of cells.
  package enum Weights: Sendable {
    /// Their sizes on the ground.
    case area
    /// The values of a raster.
    case raster(Raster)
  }
}
