import PlumbCore

extension FrontEnd {
  /// The spellings of the options that the front end offers, for messages. Messages describe all other
  /// options in plain words.
  package var spellings: [Setting: String] {
    switch self {
    case .command: Self.ofCommand
    case .library: Self.ofLibrary
    case .service: Self.ofService
    }
  }

  // The command also has options that do not belong to a verb.
  private static let ofCommand = FrontEnd.command.allSpellings
  private static let ofLibrary = offered(by: .library)
  private static let ofService = offered(by: .service)

  private static func offered(by frontEnd: FrontEnd) -> [Setting: String] {
    let tables = [
      Identify.options.spellings(of: frontEnd), Buffer.options.spellings(of: frontEnd),
      Trace.options.spellings(of: frontEnd), Monitor.options.spellings(of: frontEnd),
      Info.options.spellings(of: frontEnd), Draw.options.spellings(of: frontEnd),
      Eval.options.spellings(of: frontEnd), Locate.options.spellings(of: frontEnd),
      Zonal.options.spellings(of: frontEnd), Stack.options.spellings(of: frontEnd),
    ]
    return tables.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
  }
}
