import ArgumentParser
import Plumb

/// What buffers are drawn round.
struct BufferSourceArguments: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A point instead of a file; may be given again.", valueName: "x,y"))
  var at: [String] = []

  @Option(help: "The layer of the input.")
  var layer: String?

  @Option(help: "The input's reference. Default: what the input says; for --at EPSG:4326.")
  var crs: String?
}

/// How buffers are drawn.
struct DrawingArguments: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Distances, one a feature; the last serves for all that follow.", valueName: "d,d..."))
  var distance: [String] = []

  @Option(help: ArgumentHelp("The column with each feature's distance.", valueName: "field"))
  var distanceField: String?

  @Option(help: "The distances' unit: m, km, ft, us-ft, mi, nmi or deg.")
  var unit: LengthUnit?

  @Flag(help: "Measure along the ellipsoid, not in the plane of the reference.")
  var geodesic = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      How far the outline may lie from the true one, in metres. Default: the tighter of 0.2 % of \
      the distance and 0.01.
      """, valueName: "m"))
  var maxDeviation: Double?

  @Option(
    help: """
      How the input's edges run between their vertices: geodesic, loxodrome, great-elliptic, \
      normal-section or shape-preserving. Default: geodesic.
      """)
  var curve: GeodesicCurve?

  @Flag(help: "Join all areas to one, without attributes.")
  var union = false
}

/// How areas are written.
struct AreaArguments: ParsableArguments {
  @Option(
    name: [.customLong("of"), .customLong("format")],
    help: "geojson, geojsonseq, gpkg, csv or tsv with WKT, or another format of GDAL's.")
  var outputFormat: String?

  @Option(help: "The output's reference. Default: the input's; GeoJSON is always in WGS84.")
  var outCrs: String?

  @Option(
    help: ArgumentHelp(
      """
      What columns of CSV are in formats with types: name=int, real, text or bool, with commas \
      between, or text for all. Default: as for identify.
      """, valueName: "name=type,..."))
  var types: String?

  @Flag(help: "Refuse features whose shapes cannot be used.")
  var strict = false
}

/// How a run goes.
struct RunArguments: ParsableArguments {
  @Option(help: "Threads. Default: one a processor.")
  var threads: Int?

  @Flag(name: [.short, .long], help: "No warnings and no progress bar.")
  var quiet = false
}
