import PlumbCore
import PlumbRaster
import PlumbSources

/// The input, the statistics and the output of a run.
package struct ZonalOptions: Sendable {
  /// The path of the areas; `-` is standard input.
  package var areas: String
  /// The layer of a source that has several layers; nil if the source has only one.
  package var layer: String?
  /// The CRS of the areas, which overrides the CRS that the input specifies.
  package var reference: SpatialReference?
  /// The condition that selects features; nil for all features.
  package var condition: String?
  /// The column whose equal values define the features that are evaluated as one area.
  package var groupColumn: String?
  /// The radius in metres of the discs around point features; nil if the features are areas.
  package var radius: Double?
  /// The columns of x and y of points in delimited text.
  package var x: String?
  package var y: String?
  /// The bands, counted from 0; nil for all.
  package var bands: [Int]?
  /// The rule that selects the cells of an area.
  package var rule = InclusionRule()
  /// Whether values are multiplied by the band's scale and increased by its offset.
  package var isScaled = false
  /// The weights of the cells.
  package var weights: Weights?
  package var form = ZonalForm.wide
  /// The coverage file of the areas, which is read if it exists and written otherwise.
  package var coverage: String?
  /// The maximum number of distinct values of an area, and of listed values of a batch of areas.
  /// Exceeding it is an error.
  package var entryLimit = Int.max
  package var statistics: [ZonalStatistic] = [.count, .mean, .min, .max]
  /// The output file; nil for standard output.
  package var output: String?
  /// The name of the format; nil derives it from the extension of the output.
  package var format: String?
  /// Whether an existing file is replaced.
  package var overwrites = false
  /// The table of the database `output`; nil to write a file or standard output.
  package var table: DatabaseTable?
  /// Whether areas that need repair, and areas without statistics, end the run.
  package var isStrict = false
  /// The maximum number of cells that the edges of an area cross. Exceeding it is an error.
  package var edgeCellLimit = Int.max
  /// The maximum number of vertices of the written shapes. A shape counts once for each row of a
  /// class. Exceeding the maximum is an error.
  package var writtenVertexLimit = Int.max
  /// Whether quantiles may be approximate, so that no temporary file is needed.
  package var isApproximate = false
  /// The maximum number of distinct values of an area in memory; more values are moved to a
  /// temporary file. Nil derives the number from the number of threads.
  package var spillCount: Int?
  /// Throws if shapes are too complex to be repaired or joined; nil for no limit.
  package var checkShapes: (@Sendable ([Geometry]) throws -> Void)?
  /// The names of the rasters in the output; empty to use the rasters' own names.
  package var names: [String] = []
  /// The date of each raster and the name of its stack; empty if the rasters have no dates.
  package var dates: [DatedName?] = []
  package var access = DocumentAccess.folder
  package var services: FeatureServices?
  package var workers = Workers()
  package var cache = TileCache()
  /// Whether nothing else uses the cache.
  package var ownsCache = false

  package init(areas: String) { self.areas = areas }

  /// The weights of cells.
  package enum Weights: Sendable {
    /// The sizes of the cells on the ground.
    case area
    /// The values of a raster.
    case raster(Raster)
  }
}
