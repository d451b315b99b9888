import ArgumentParser
import Plumb

/// Where rasters or a map are asked.
struct PointArguments: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A point; may be given again.", valueName: "x,y"))
  var at: [String] = []

  @Option(
    help: """
      A file of points (CSV, TSV, GeoJSON, also as .gz, or what OGR opens); - is standard input.
      """)
  var points: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      A cell of a raster, counted from 0, also of one that is not georeferenced; may be given again.
      """, valueName: "column,row"))
  var pixel: [String] = []

  @Option(
    help: ArgumentHelp(
      "A file of cells: CSV or TSV with columns column and row.", valueName: "points"))
  var pixels: String?

  @Option(help: "The one layer to ask of a map, by its id; with rasters as --points-layer.")
  var layer: String?

  @Option(help: "The layer of the file of points.")
  var pointsLayer: String?

  @Option(
    help: "The points' reference, as EPSG:4326. Default: the file's, else the rasters' or map's.")
  var crs: String?

  /// Points or cells that are named one by one.
  var named: [String] { at + pixel }

  /// The file of points or cells.
  var file: String? { points ?? pixels }

  /// Whether points are columns and rows.
  var areCells: Bool { !pixel.isEmpty || pixels != nil }
}

/// How rasters are read.
struct CellArguments: ParsableArguments {
  @Option(
    name: [.short, .long], parsing: .upToNextOption,
    help: ArgumentHelp("Bands, from 1. Default: all.", valueName: "band"))
  var band: [String] = []

  @Option(name: [.short, .long], help: "nearest, bilinear or cubic.")
  var resampling: Resampling = .nearest

  @Flag(help: "Apply scale and offset.")
  var scaled = false

  @Option(help: "Memory for decoded tiles, as 512MB.")
  var cache: ByteSize = ByteSize(bytes: 512 << 20)
}

/// How answers are written.
struct AnswerArguments: ParsableArguments {
  @Option(
    name: [.customLong("of"), .customLong("format")],
    help: """
      With --points csv, tsv, jsonl, geojson, geojsonseq, gpkg, or another format of GDAL's; with \
      --at text or json, of a map tree or json.
      """)
  var outputFormat: String?

  @Option(
    help: ArgumentHelp(
      """
      What columns of CSV are in GeoJSON, GeoPackage and other formats with types: name=int, real, \
      text or bool, with commas between, or text for all. Default: numbers where a file's fields are \
      all numbers that print back as they stand; text from a pipe.
      """, valueName: "name=type,..."))
  var types: String?

  @Flag(help: "Add a column NAME_status.")
  var status = false

  @Flag(help: "Add columns NAME_file, NAME_row and NAME_column.")
  var provenance = false

  @Flag(help: "Refuse rows without an answer for a fault's sake, and uncertain transformations.")
  var strict = false
}

/// How a run of identify goes.
struct IdentifyRunArguments: ParsableArguments {
  @Flag(help: "Say what will be read, and what was.")
  var explain = false

  @Option(help: "Threads. Default: one a processor.")
  var threads: Int?

  @Option(help: "Requests to servers at once, at most.")
  var connections = 8

  @Flag(name: [.short, .long], help: "No warnings and no progress bar.")
  var quiet = false
}
