import ArgumentParser
import Plumb
import PlumbSandbox
import PlumbVerbs

struct BufferCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "buffer",
    abstract: "Computes the areas within a distance of features or points.",
    usage: """
      plumb buffer INPUT --distance D[,D...] [OPTIONS]
      plumb buffer INPUT --distance-field F [OPTIONS]
      plumb buffer --at X,Y [--at X,Y ...] --distance D[,D...] [OPTIONS]
      """,
    discussion: """
      INPUT is a file that OGR can open (GeoJSON, GeoPackage, Shapefile ...), a CSV or TSV file of \
      points, the address of a service's layer, or - for GeoJSON or CSV on standard input. x is always \
      easting or longitude.

      Each feature gives one area with the feature's attributes, in the input's order. Without -o, \
      they are written to standard output as GeoJSON, which is always in WGS84.

      Planar distances are in the unit of the input's CRS; geodesic distances (--geodesic) are in metres \
      on its ellipsoid. --unit sets another unit. A negative distance shrinks an area.

      plumb buffer rasters/clinics.geojson --distance 500 --geodesic -o near.gpkg
      plumb buffer rasters/rivers.geojson --distance 50 --geodesic --union
      plumb buffer --at 18.4,-33.9 --distance 10 --unit km --geodesic
      """)

  @Argument(help: bufferHelp(.input))
  var input: String?

  @OptionGroup(title: "Input") var reading: BufferSourceArguments

  @OptionGroup(title: "Input") var columns: ColumnArguments

  @OptionGroup(title: "Input") var text: EncodingArguments

  @OptionGroup(title: "Buffers") var drawing: DrawingArguments

  @OptionGroup(title: "Output") var target: TargetArguments

  @OptionGroup(title: "Output") var drawn: PictureArguments

  @OptionGroup(title: "Output") var tabular: TableArguments

  @OptionGroup(title: "Output") var writing: AreaArguments

  @OptionGroup(title: "Run") var running: RunArguments

  @OptionGroup(title: "Run") var permissions: AccessArguments

  @OptionGroup(title: "Run") var signing: SignInArguments

  func validate() throws {
    if drawing.distance.count > 1 {
      throw ValidationError("give --distance once, with commas between distances")
    }
    for text in drawing.distance where NumberList.parse(text) == nil {
      throw ValidationError("--distance \(text.printable): expected D or D,D,D")
    }
    try PointText.check(reading.at, of: "--at", form: "X,Y")
    try checkUsage { try Buffer.check(request, by: .command) }
  }

  func run() throws {
    let run = RunSandbox(
      inputs: [input].compactMap { $0 }, outputs: [target.output, drawn.picture].compactMap { $0 },
      allowsOutside: permissions.allowOutside)
    try Console.run(within: run) {
      try text.apply()
      var context = RunContext(isQuiet: running.quiet)
      (context.access, context.services) = (permissions.access, permissions.services(signing))
      try Buffer.run(request, in: context)
    }
  }

  private var request: Buffer.Request {
    var request = Buffer.Request()
    request.input = input
    request.points = reading.at.compactMap(PointText.parse)
    (request.layer, request.x, request.y) = (reading.layer, columns.x, columns.y)
    request.crs = reading.crs
    request.distances = drawing.distance.compactMap(NumberList.parse).first ?? []
    (request.distanceField, request.unit) = (drawing.distanceField, drawing.unit)
    (request.isGeodesic, request.isUnion) = (drawing.geodesic, drawing.union)
    (request.maxDeviation, request.curve) = (drawing.maxDeviation, drawing.curve)
    (request.output, request.overwrites) = (target.output, target.overwrite)
    (request.outputTable, request.appends) = (tabular.table, tabular.append)
    (request.picture, request.format) = (drawn.picture, writing.outputFormat)
    (request.outCRS, request.types) = (writing.outCrs, writing.types)
    (request.isStrict, request.threads) = (writing.strict, running.threads)
    return request
  }
}

extension LengthUnit: ExpressibleByArgument {}
extension GeodesicCurve: WordArgument {}
