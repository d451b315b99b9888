import ArgumentParser
import Plumb

@main
struct PlumbCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plumb",
    abstract: "Finds what is at a point of a map: for one point or for a hundred million.",
    discussion: """
      Without --allow-outside, maps and network documents can access only files in their own folder and \
      no network; on Linux, the kernel also enforces this. Files that you name use a network only if \
      their name refers to one, and SQL in them can read only their own tables.
      """,
    version: plumbVersion.description,
    subcommands: [
      IdentifyCommand.self, ZonalCommand.self, BufferCommand.self, TraceCommand.self,
      MonitorCommand.self,
      DrawCommand.self, StackCommand.self, EvalCommand.self, InfoCommand.self,
    ])

  static func main() {
    ReadingHelpers.runOrOffer(CommandLine.arguments)
    let arguments = Array(CommandLine.arguments.dropFirst())
    let verb = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
    if let verb, let advice = adviceOnVerb(verb) {
      Console.print("plumb: " + advice)
      exit(withError: ExitCode.validationFailure)
    }
    let separated = EvalCommand.separated(arguments)
    var command: any ParsableCommand
    do {
      command = try parseAsRoot(separated)
    } catch {
      // The reported error may be a consequence of an unknown option.
      if exitCode(for: error) == .validationFailure, let advice = adviceOnOption(in: separated) {
        Console.print("plumb: " + advice)
        exit(withError: ExitCode.validationFailure)
      }
      exit(withError: error)
    }
    do {
      try command.run()
    } catch {
      exit(withError: error)
    }
  }

  /// Advice on the first unknown option, with similar options; nil if the verb has all options in
  /// the arguments.
  private static func adviceOnOption(in arguments: [String]) -> String? {
    let verbs = configuration.subcommands
    guard let name = arguments.first,
      let verb = verbs.first(where: { $0.configuration.commandName == name })
    else { return nil }
    let words = helpMessage(for: verb, includeHidden: true)
      .split { $0.isWhitespace || ",[]()=".contains($0) }
    let options = Set(words.filter { $0.hasPrefix("--") }.map(String.init)).sorted()
    for argument in arguments.dropFirst().prefix(while: { $0 != "--" })
    where argument.hasPrefix("--") {
      let option = String(argument.prefix { $0 != "=" })
      if !options.contains(option) {
        return "unknown option \(option.printable)" + NameSuggestions.hint(option, among: options)
      }
    }
    return nil
  }

  /// Advice on a misspelt verb, with similar verbs; nil for an existing verb or an option.
  private static func adviceOnVerb(_ verb: String) -> String? {
    let verbs = configuration.subcommands.compactMap { $0.configuration.commandName }
    guard !verb.hasPrefix("-"), !(verbs + ["help"]).contains(verb) else { return nil }
    return "unknown verb \(verb.printable)" + NameSuggestions.advice(verb, among: verbs)
  }
}

/// The words that an option accepts. Help spells them as `enter-or-exit`. Parsing ignores case and hyphens,
/// so that `enterOrExit` is accepted too.
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

  /// Converts `shortestPath` to `shortest-path`.
  private static func word(_ text: String) -> String {
    text.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
  }
}
