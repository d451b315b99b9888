import ArgumentParser
import Plumb
import PlumbSandbox
import PlumbVerbs

struct ZonalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "zonal",
    abstract: "Computes statistics of the cells of rasters under areas.",
    usage: "plumb zonal RASTER... --areas FILE [OPTIONS]",
    discussion: """
      Each cell is weighted by the exact fraction that the area covers. The output contains the areas in \
      their order with their attributes and, for each raster, the columns NAME_STAT, NAME_status (ok, \
      partial, nodata, outside, bad_area, read_error or transform_failed) and NAME_valid_fraction, the \
      fraction of the area with values. For several bands, the columns are NAME_BAND_STAT; for dates \
      (--dates), they are NAME_DATE_STAT.

      plumb zonal rasters/evi_cape_town.tif --areas rasters/wards.geojson
      plumb zonal ndvi=2024.tif --areas fields.gpkg --stat mean,quantile:0.9 -o ndvi.csv
      """)

  @Argument(help: zonalHelp(.rasters))
  var rasters: [String]

  @OptionGroup(title: "Input") var reading: AreaSourceArguments

  @OptionGroup(title: "Input") var text: EncodingArguments

  @OptionGroup(title: "Areas") var rules: AreaRuleArguments

  @OptionGroup(title: "Statistics") var statistics: StatisticArguments

  @OptionGroup(title: "Time") var time: ZonalTimeArguments

  @OptionGroup(title: "Output") var target: TargetArguments

  @OptionGroup(title: "Output") var drawn: PictureArguments

  @OptionGroup(title: "Output") var tabular: TableArguments

  @OptionGroup(title: "Output") var writing: ZonalOutputArguments

  @OptionGroup(title: "Run") var running: ZonalRunArguments

  @OptionGroup(title: "Run") var permissions: DocumentAccessArguments

  func validate() throws {
    try checkUsage { try Zonal.check(request, by: .command) }
  }

  func run() throws {
    let map = reading.areas.flatMap { MapLayerPath($0)?.map }
    let run = RunSandbox(
      documents: [map].compactMap { $0 },
      inputs: request.rasters
        + [map == nil ? reading.areas : nil, reading.points, statistics.weights, rules.coverage]
        .compactMap { $0 } + time.tables,
      outputs: [target.output, rules.coverage, drawn.picture].compactMap { $0 },
      allowsOutside: permissions.allowOutside, allowsHosts: permissions.allowsHosts)
    try Console.run(within: run, explains: running.explain) {
      try text.apply()
      var context = RunContext(isQuiet: running.quiet, explains: running.explain)
      (context.access, context.services) = (permissions.access, permissions.services)
      context.remark = { Console().note($0) }
      try Zonal.run(request, in: context)
    }
  }

  private var request: Zonal.Request {
    var request = Zonal.Request()
    let bands = BandText(statistics.band)
    (request.rasters, request.bands) = (rasters + bands.others, bands.numbers)
    (request.areas, request.points, request.layer) = (
      reading.areas, reading.points, reading.layer
    )
    (request.x, request.y) = (reading.x, reading.y)
    (request.radius, request.condition) = (rules.radius, rules.condition)
    (request.groupColumn, request.cells) = (rules.by, rules.cells)
    (request.threshold, request.coverage) = (rules.coverageThreshold, rules.coverage)
    (request.dates, request.grouping) = (time.dates, time.group)
    (request.from, request.to) = (time.from, time.to)
    request.isApproximate = statistics.approximate
    (request.weights, request.isScaled) = (statistics.weights, statistics.scaled)
    (request.hasClasses, request.isWide) = (statistics.classes, writing.wide)
    (request.isLong, request.explains) = (writing.long, running.explain)
    (request.crs, request.statistics) = (reading.crs, statistics.stat)
    (request.output, request.overwrites) = (target.output, target.overwrite)
    (request.outputTable, request.appends) = (tabular.table, tabular.append)
    (request.format, request.isStrict) = (writing.outputFormat, writing.strict)
    request.picture = drawn.picture
    (request.cacheBytes, request.threads) = (running.cache?.bytes, running.threads)
    return request
  }
}
