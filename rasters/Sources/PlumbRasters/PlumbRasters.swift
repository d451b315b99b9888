import ArgumentParser
import PlumbGDAL

/// `plumb-rasters`: makes the rasters that Plumb's tests, examples and benchmarks read.
@main
struct PlumbRasters: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plumb-rasters",
    abstract: "Makes synthetic rasters: the same bytes for the same seed.",
    subcommands: [SamplesCommand.self, LargeCommand.self])
}
