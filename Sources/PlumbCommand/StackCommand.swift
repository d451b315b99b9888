import ArgumentParser
import Plumb
import PlumbSandbox
import PlumbVerbs

/// Returns the help text of an option of `stack`, from the verb's table.
private func stackHelp(_ option: Setting, _ valueName: String? = nil) -> ArgumentHelp {
  .of(option, Stack.options, valueName)
}

struct StackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stack",
    abstract: "Writes rasters with dates to a Zarr store for series of many dates.",
    usage: "plumb stack STACK... -o STORE.zarr [OPTIONS]",
    discussion: """
      A chunk of the store has all dates of a small block of cells, so that the series at a point is one \
      small read instead of one in each file. The store has version 2 of Zarr, with axes and CRS by the CF \
      conventions; xarray and GDAL also open it. All files have the same grid.

      plumb stack evi='mod13/*.tif' --dates '*_%Y%j' -o evi.zarr
      plumb stack evi='new/*.tif' --dates '*_%Y%j' -o evi.zarr --append
      plumb identify evi.zarr --points plots.csv --series -o series.csv
      """)

  @Argument(help: stackHelp(.rasters))
  var rasters: [String]

  @OptionGroup(title: "Time") var time: StackTimeArguments

  @OptionGroup(title: "Store") var store: StoreArguments

  @OptionGroup(title: "Output") var target: StoreTargetArguments

  @OptionGroup(title: "Run") var running: RunArguments

  @OptionGroup(title: "Run") var permissions: AccessArguments

  func validate() throws {
    try checkUsage { try Stack.options.check(request, by: .command) }
  }

  func run() throws {
    let run = RunSandbox(
      inputs: rasters + time.tables, outputs: [target.output].compactMap { $0 },
      allowsOutside: permissions.allowOutside)
    try Console.run(within: run) {
      var context = RunContext(isQuiet: running.quiet)
      context.access = permissions.access
      try Stack.run(request, in: context)
    }
  }

  private var request: Stack.Request {
    var request = Stack.Request()
    (request.rasters, request.dates, request.grouping) = (rasters, time.dates, time.group)
    (request.output, request.appends) = (target.output, target.append)
    (request.chunkBytes, request.isScaled) = (store.chunkSize?.bytes, store.scaled)
    (request.threads, request.resumes) = (running.threads, target.resume)
    return request
  }
}

/// The dates of files.
struct StackTimeArguments: ParsableArguments {
  @Option(help: stackHelp(.dates, "pattern")) var dates: [String] = []

  @Option(help: stackHelp(.group)) var group: DatedStack.Grouping?

  /// The tables of dates.
  var tables: [String] { ImageDates.tables(of: dates) }
}

/// The values and the chunks of a store.
struct StoreArguments: ParsableArguments {
  @Flag(help: stackHelp(.scaled)) var scaled = false

  @Option(help: stackHelp(.chunkSize)) var chunkSize: ByteSize?
}

/// The store.
struct StoreTargetArguments: ParsableArguments {
  @Option(name: [.customShort("o"), .customLong("output")], help: stackHelp(.output))
  var output: String?

  @Flag(help: stackHelp(.append)) var append = false

  @Flag(help: stackHelp(.resume)) var resume = false
}
