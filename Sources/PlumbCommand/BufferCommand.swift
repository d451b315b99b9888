import ArgumentParser
import Plumb

struct BufferCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "buffer",
    abstract: "Draws the areas within a distance of features or places.",
    usage: """
      plumb buffer INPUT --distance D[,D...] [OPTIONS]
      plumb buffer INPUT --distance-field F [OPTIONS]
      plumb buffer --at X,Y [--at X,Y ...] --distance D[,D...] [OPTIONS]
      """,
    discussion: """
      INPUT is what OGR opens (GeoJSON, GeoPackage, Shapefile ...), a CSV or TSV file of places, or \
      - for GeoJSON or CSV on standard input. x is always easting or longitude.

      Each feature gives one area with the feature's attributes, in the input's order. Without -o \
      they go to standard output as GeoJSON, which is always in WGS84.

      Planar distances are in the unit of the input's reference, --geodesic ones in metres on its \
      ellipsoid; --unit says otherwise. A negative distance shrinks an area.
      """)

  @Argument(help: "The features: a file, or - for standard input.")
  var input: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A place instead of a file; may be given again.", valueName: "x,y"))
  var at: [String] = []

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

  @Option(help: "The layer of the input.")
  var layer: String?

  @Option(
    name: .customLong("x"),
    help: "The column of eastings or longitudes: its name, or its number from 1.")
  var xColumn: String?

  @Option(name: .customLong("y"), help: "The column of northings or latitudes.")
  var yColumn: String?

  @Option(help: "The input's reference. Default: what the input says; for --at EPSG:4326.")
  var crs: String?

  @Option(help: "The output's reference. Default: the input's; GeoJSON is always in WGS84.")
  var outCrs: String?

  @Option(name: [.short, .long], help: "The file to write; default: standard output.")
  var output: String?

  @Option(
    name: [.customLong("of"), .customLong("format")],
    help: "geojson, geojsonseq, gpkg, csv or tsv with WKT, or another format of GDAL's.")
  var outputFormat: String?

  @Option(
    help: ArgumentHelp(
      """
      What columns of CSV are in formats with types: name=int, real, text or bool, with commas \
      between, or text for all. Default: as for identify.
      """, valueName: "name=type,..."))
  var types: String?

  @Flag(help: "Refuse features whose shapes cannot be used.")
  var strict = false

  @Flag(help: "Replace an existing output.")
  var overwrite = false

  @Option(help: "Threads. Default: one a processor.")
  var threads: Int?

  @Flag(name: [.short, .long], help: "No warnings and no progress bar.")
  var quiet = false

  @OptionGroup var text: EncodingArguments

  @OptionGroup var walls: AccessArguments

  func validate() throws {
    if at.isEmpty == (input == nil) {
      throw ValidationError("give either a file of features or places with --at X,Y")
    }
    if distance.isEmpty == (distanceField == nil) {
      throw ValidationError("give either --distance D[,D...] or --distance-field F")
    }
    if distance.count > 1 {
      throw ValidationError("give --distance once, with commas between distances")
    }
    for text in distance where NumberList.parse(text) == nil {
      throw ValidationError("--distance \(text.printable): expected numbers as D or D,D,D")
    }
    for text in at where NumberList.parse(text)?.count != 2 {
      throw ValidationError("--at \(text.printable): expected two numbers as X,Y")
    }
    _ = try ColumnTypes.option(types)
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads takes 1 to 1024")
    }
    if let maxDeviation, !(maxDeviation > 0 && maxDeviation.isFinite) {
      throw ValidationError("--max-deviation takes a number of metres above 0")
    }
    if !geodesic {
      if maxDeviation != nil { throw ValidationError("--max-deviation goes with --geodesic") }
      if curve != nil { throw ValidationError("--curve goes with --geodesic") }
    }
    if !at.isEmpty {
      let given: [(String, Bool)] = [
        ("--layer", layer != nil), ("--x", xColumn != nil), ("--y", yColumn != nil),
        ("--distance-field", distanceField != nil), ("--types", types != nil),
      ]
      if let option = given.first(where: \.1)?.0 {
        throw ValidationError("\(option) goes with a file of features")
      }
    }
  }

  func run() throws {
    let run = RunWalls(
      inputs: [input].compactMap { $0 }, output: output, allowsOutside: walls.allowOutside)
    try Console.run(within: run) {
      try text.apply()
      let console = Console(isQuiet: quiet)
      let batch = try BatchBuffer(options())
      for line in batch.warnings { console.warn(line) }
      let shown = batch.warnings.count
      let bar = ProgressBar(isQuiet: quiet)
      defer {
        bar.clear()
        for line in batch.warnings.dropFirst(shown) { console.warn(line) }
        for line in GDALMessages.take() { console.warn(line) }
      }
      _ = try batch.run { share, rows in bar.show(share, rows: rows) }
    }
  }

  private func options() throws -> BatchBuffer.Options {
    let source: BatchBuffer.Source =
      input.map { .file($0) }
      ?? .places(at.compactMap(NumberList.parse).map { SIMD2($0[0], $0[1]) })
    let distances: BufferDistances =
      distanceField.map { .field($0) } ?? .list(distance.compactMap(NumberList.parse).first ?? [])
    var options = BatchBuffer.Options(source, distances: distances)
    options.unit = unit
    if geodesic {
      options.method = .geodesic(
        GeodesicBufferOptions(curve: curve ?? .geodesic, maxDeviation: maxDeviation ?? .nan))
    }
    options.isUnion = union
    (options.x, options.y, options.layer) = (xColumn, yColumn, layer)
    options.reference = try crs.map { try SpatialReference($0) }
    options.outputReference = try outCrs.map { try SpatialReference($0) }
    options.output = output
    options.format = outputFormat
    options.types = try ColumnTypes.option(types)
    options.overwrites = overwrite
    options.access = walls.access
    options.isStrict = strict
    options.workers = Workers(count: threads)
    return options
  }
}

/// Decimal numbers with commas between.
enum NumberList {
  /// - Returns: nil when there is none, or one of them is no finite decimal number.
  static func parse(_ text: String) -> [Double]? {
    var numbers: [Double] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let digits = part.drop { $0 == " " }
      let trimmed = digits.prefix(digits.count - digits.reversed().prefix { $0 == " " }.count)
      guard trimmed.allSatisfy({ "0123456789+-.eE".contains($0) }), let number = Double(trimmed),
        number.isFinite
      else { return nil }
      numbers.append(number)
    }
    return numbers
  }
}

extension LengthUnit: ExpressibleByArgument {}
extension GeodesicCurve: ExpressibleByArgument {}
