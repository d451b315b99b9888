import ArgumentParser
import Plumb

@main
struct PlumbCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plumb",
    abstract: "Asks a map what is there: for one point or for a hundred million.",
    discussion: """
      Maps and network documents reach only files in their own folder and no network, which on Linux \
      the kernel sees to as well, unless --allow-outside is given. Files that you name use a network \
      only where their name leads to one, and SQL in them reads their own tables, unless it is given.
      """,
    version: "0.1.0",
    subcommands: [
      IdentifyCommand.self, BufferCommand.self, TraceCommand.self, MonitorCommand.self,
      EvalCommand.self, InfoCommand.self,
    ])

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let verb = arguments.first, let advice = adviceOnVerb(verb) {
      Console.print("plumb: " + advice)
      exit(withError: ExitCode.validationFailure)
    }
    main(EvalCommand.separated(arguments))
  }

  /// What a misspelt verb may have meant; nil for a verb or an option.
  private static func adviceOnVerb(_ verb: String) -> String? {
    let verbs = configuration.subcommands.compactMap { $0.configuration.commandName }
    guard !verb.hasPrefix("-"), !(verbs + ["help"]).contains(verb) else { return nil }
    return "there is no verb \(verb.printable)" + NearText.advice(verb, among: verbs)
  }
}

/// Values of an option that are words: in help `enter-or-exit`, and read in any case with or
/// without the hyphens, as `enterOrExit` too.
public protocol WordArgument: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {}

extension WordArgument {
  public init?(argument: String) {
    let plain = { (text: String) in text.filter { $0 != "-" && $0 != "_" }.lowercased() }
    guard let value = Self.allCases.first(where: { plain($0.rawValue) == plain(argument) }) else {
      return nil
    }
    self = value
  }

  public var defaultValueDescription: String { Self.word(rawValue) }

  public static var allValueStrings: [String] { allCases.map { word($0.rawValue) } }

  /// `shortestPath` as `shortest-path`.
  private static func word(_ text: String) -> String {
    text.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
  }
}
