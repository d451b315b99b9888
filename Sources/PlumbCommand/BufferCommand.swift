import ArgumentParser
import Plumb
import PlumbVerbs
import PlumbSandbox

struct BufferCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "buffer",
    abstract: "Draws the areas within a distance of features or points.",
    usage: """
      plumb buffer INPUT --distance D[,D...] [OPTIONS]
      plumb buffer INPUT --distance-field F [OPTIONS]
      plumb buffer --at X,Y [--at X,Y ...] --distance D[,D...] [OPTIONS]
      """,
    discussion: """
      INPUT is what OGR opens (GeoJSON, GeoPackage, Shapefile ...), a CSV or TSV file of points, the \
      address of a service's layer, or - for GeoJSON or CSV on standard input. x is always easting or \
      longitude.

      Each feature gives one area with the feature's attributes, in the input's order. Without -o \
      they go to standard output as GeoJSON, which is always in WGS84.

      Planar distances are in the unit of the input's reference, --geodesic ones in metres on its \
      ellipsoid; --unit says otherwise. A negative distance shrinks an area.

      plumb buffer rasters/clinics.geojson --distance 500 --geodesic -o near.gpkg
      plumb buffer rasters/rivers.geojson --distance 50 --geodesic --union
      plumb buffer --at 18.4,-33.9 --distance 10 --unit km --geodesic
      """)

  @Argument(help: "The features: a file, or - for standard input.")
  var input: String?

  @OptionGroup(title: "Input") var reading: BufferSourceArguments

  @OptionGroup(title: "Input") var columns: ColumnArguments

  @OptionGroup(title: "Input") var text: EncodingArguments

  @OptionGroup(title: "Buffers") var drawing: DrawingArguments

  @OptionGroup(title: "Output") var target: TargetArguments

  @OptionGroup(title: "Output") var drawn: PictureArguments

  @OptionGroup(title: "Output") var writing: AreaArguments

  @OptionGroup(title: "Run") var running: RunArguments

  @OptionGroup(title: "Run") var walls: AccessArguments

  @OptionGroup(title: "Run") var signing: SignInArguments

  func validate() throws {
    if reading.at.isEmpty == (input == nil) {
      throw ValidationError("give either a file of features or points with --at X,Y")
    }
    if drawing.distance.isEmpty == (drawing.distanceField == nil) {
      throw ValidationError("give either --distance D[,D...] or --distance-field F")
    }
    if drawing.distance.count > 1 {
      throw ValidationError("give --distance once, with commas between distances")
    }
    for text in drawing.distance where NumberList.parse(text) == nil {
      throw ValidationError("--distance \(text.printable): expected numbers as D or D,D,D")
    }
    for text in reading.at where NumberList.parse(text)?.count != 2 {
      throw ValidationError("--at \(text.printable): expected two numbers as X,Y")
    }
    _ = try ColumnTypes.option(writing.types)
    if let threads = running.threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads takes 1 to 1024")
    }
    if let maxDeviation = drawing.maxDeviation, !(maxDeviation > 0 && maxDeviation.isFinite) {
      throw ValidationError("--max-deviation takes a number of metres above 0")
    }
    if !drawing.geodesic {
      if drawing.maxDeviation != nil {
        throw ValidationError("--max-deviation goes with --geodesic")
      }
      if drawing.curve != nil { throw ValidationError("--curve goes with --geodesic") }
    }
    if !reading.at.isEmpty {
      let given: [(String, Bool)] = [
        ("--layer", reading.layer != nil), ("--x", columns.x != nil),
        ("--y", columns.y != nil),
        ("--distance-field", drawing.distanceField != nil), ("--types", writing.types != nil),
      ]
      if let option = given.first(where: \.1)?.0 {
        throw ValidationError("\(option) goes with a file of features")
      }
    }
  }

  func run() throws {
    let run = RunWalls(
      inputs: [input].compactMap { $0 }, outputs: [target.output, drawn.picture].compactMap { $0 },
      allowsOutside: walls.allowOutside)
    try Console.run(within: run) {
      try text.apply()
      let console = Console(isQuiet: running.quiet)
      let picture = try ResultPicture(
        path: drawn.picture, overwrite: target.overwrite, inputs: [input].compactMap { $0 })
      let batch = try BatchBuffer(options())
      var areas = Overlay("Buffers", reference: batch.outputReference)
      var around = Overlay("Features", reference: batch.inputReference)
      if picture != nil {
        batch.observer = { features, found in
          around.add(features: features)
          areas.add(areas: found)
        }
      }
      for line in batch.warnings { console.warn(line) }
      let shown = batch.warnings.count
      do {
        let bar = ProgressBar(isQuiet: running.quiet)
        defer {
          bar.clear()
          for line in batch.warnings.dropFirst(shown) { console.warn(line) }
          for line in GDALMessages.take() { console.warn(line) }
        }
        _ = try batch.run { share, rows in bar.show(share, rows: rows) }
      }
      try picture?.write([areas, around], warn: { console.warn($0) })
    }
  }

  private func options() throws -> BatchBuffer.Options {
    let source: BatchBuffer.Source =
      input.map { .file($0) }
      ?? .points(reading.at.compactMap(NumberList.parse).map { SIMD2($0[0], $0[1]) })
    let distances: BufferDistances =
      drawing.distanceField.map { .field($0) }
      ?? .list(drawing.distance.compactMap(NumberList.parse).first ?? [])
    var options = BatchBuffer.Options(source, distances: distances)
    options.unit = drawing.unit
    if drawing.geodesic {
      options.method = .geodesic(
        GeodesicBufferOptions(
          curve: drawing.curve ?? .geodesic, maxDeviation: drawing.maxDeviation ?? .nan))
    }
    options.isUnion = drawing.union
    (options.x, options.y, options.layer) = (columns.x, columns.y, reading.layer)
    options.reference = try reading.crs.map { try SpatialReference($0) }
    options.outputReference = try writing.outCrs.map { try SpatialReference($0) }
    options.output = target.output
    options.format = writing.outputFormat
    options.types = try ColumnTypes.option(writing.types)
    options.overwrites = target.overwrite
    options.access = walls.access
    options.services = walls.services(signing)
    options.isStrict = writing.strict
    options.workers = Workers(count: running.threads)
    return options
  }
}

/// Decimal numbers with commas between.
enum NumberList {
  /// - Returns: nil when there is none, or one of them is not a finite decimal number.
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
extension GeodesicCurve: WordArgument {}
