import ArgumentParser
import Plumb
import PlumbSandbox
import PlumbVerbs

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: """
      Describes rasters, maps, networks, features and feeds: bands, layers, sources, CRSs.
      """,
    discussion: """
      plumb info rasters/dem
      plumb info rasters/cape.json rasters/gas.json
      plumb info rasters/walk.csv rasters/walk.esri.json --of json
      """)

  @Argument(help: infoHelp(.paths)) var paths: [String]

  @OptionGroup(title: "Input") var text: EncodingArguments

  @OptionGroup(title: "Input") var time: DateArguments

  @OptionGroup(title: "Output") var writing: FactArguments

  @OptionGroup(title: "Run") var permissions: DocumentAccessArguments

  func run() throws {
    let documents = paths.filter { Info.isDocument($0) }
    let run = RunSandbox(
      documents: documents, inputs: paths.filter { !documents.contains($0) } + time.tables,
      allowsOutside: permissions.allowOutside,
      allowsHosts: permissions.allowsHosts)
    try Console.run(within: run) {
      try text.apply()
      var context = RunContext()
      (context.access, context.signIn) = (permissions.access, permissions.signIn)
      var request = Info.Request()
      (request.paths, request.format) = (paths, writing.format)
      request.writesIndex = writing.index
      (request.dates, request.grouping) = (time.dates, time.group)
      try Info.run(request, in: context)
    }
  }
}

private func infoHelp(_ option: Setting, _ valueName: String? = nil) -> ArgumentHelp {
  .of(option, Info.options, valueName)
}

/// The options for rasters with dates.
struct DateArguments: ParsableArguments {
  @Option(help: infoHelp(.dates, "pattern")) var dates: [String] = []

  @Option(help: infoHelp(.group)) var group: DatedStack.Grouping?

  /// The tables of dates.
  var tables: [String] { ImageDates.tables(of: dates) }
}

/// The options for the format of the descriptions.
struct FactArguments: ParsableArguments {
  @Option(
    name: [.customLong("of"), .customLong("format")], help: infoHelp(.format, "format"))
  var format: Info.Format?

  @Flag(help: infoHelp(.index)) var index = false
}

extension Info.Format: WordArgument {}
