import ArgumentParser
import Plumb

@main
struct PlumbCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plumb",
    abstract: "Asks a map what is there: for one place or for a hundred million.",
    version: "0.1.0",
    subcommands: [
      IdentifyCommand.self, BufferCommand.self, TraceCommand.self, MonitorCommand.self,
      EvalCommand.self, InfoCommand.self,
    ])

  static func main() {
    main(EvalCommand.separated(Array(CommandLine.arguments.dropFirst())))
  }
}
