import PlumbCore
import PlumbIO

/// The options of a verb in the order of the help, and the rules about them.
package struct OptionTable<Request: Sendable>: Sendable {
  package let options: [VerbOption<Request>]
  package let rules: [OptionRule]

  package init(_ options: [VerbOption<Request>], rules: [OptionRule]) {
    (self.options, self.rules) = (options, rules)
  }

  /// The table with a subset of the options, for one function or address of a front end.
  package func only(_ settings: [Setting]) -> Self {
    Self(options.filter { settings.contains($0.option) }, rules: rules)
  }

  /// The table in which the server allows only these words as the value of an option.
  func serving(_ words: [String], as option: Setting) -> Self {
    Self(
      options.map {
        var result = $0
        if $0.option == option { result.onlyWords[.service] = words }
        return result
      }, rules: rules)
  }

  /// The options that a front end offers.
  package func options(of frontEnd: FrontEnd) -> [VerbOption<Request>] {
    options.filter { $0.isOffered(by: frontEnd) }
  }

  /// The spellings of a front end, for messages. Options that the front end does not offer are
  /// omitted.
  package func spellings(of frontEnd: FrontEnd) -> [Setting: String] {
    Dictionary(
      uniqueKeysWithValues: options(of: frontEnd).map {
        ($0.option, frontEnd.spelling(of: $0.option))
      })
  }

  /// Returns the help text of an option.
  ///
  /// - Precondition: the verb has the option.
  package func help(of option: Setting, for frontEnd: FrontEnd) -> String {
    guard let found = options.first(where: { $0.option == option }) else {
      preconditionFailure("no option \(option.rawValue)")
    }
    return found.help(for: frontEnd).text(frontEnd.allSpellings)
  }

  /// The values of the given options.
  private func values(of request: Request) -> [Setting: [String]] {
    var values: [Setting: [String]] = [:]
    for option in options {
      let optionValues = option.values(request)
      if !optionValues.isEmpty { values[option.option] = optionValues }
    }
    return values
  }

  /// The first violation in a request; nil if the request violates no rule.
  package func violation(of request: Request, by frontEnd: FrontEnd) -> OptionViolation? {
    let allValues = values(of: request)
    for option in options {
      if let values = allValues[option.option],
        let violation = option.wordViolation(of: values, by: frontEnd)
      {
        return violation
      }
    }
    for option in options where !option.isAllowed(request) {
      let value = (allValues[option.option]?.first ?? "").printable
      return OptionViolation(
        "\(option.option, value): \(option.kind.expectation(of: frontEnd)) is expected")
    }
    let offered = Set(options(of: frontEnd).map(\.option))
    for rule in rules {
      if let messageTemplate = rule.violation(allValues, isOffered: offered.contains) {
        return OptionViolation(messageTemplate, rule: rule)
      }
    }
    return nil
  }

  /// Checks every rule.
  ///
  /// - Throws: the first violation.
  package func check(_ request: Request, by frontEnd: FrontEnd) throws(OptionViolation) {
    if let violation = violation(of: request, by: frontEnd) { throw violation }
  }

  /// Checks the rules about the values of an option whose value comes from a document instead of the request.
  ///
  /// - Throws: the first violation.
  func check(
    _ request: Request, where option: Setting, is value: String
  ) throws(OptionViolation) {
    var allValues = values(of: request)
    allValues[option] = [value]
    for rule in rules where rule.dependsOnValue(of: option) {
      if let messageTemplate = rule.violation(allValues, isOffered: { _ in true }) {
        throw OptionViolation(messageTemplate, rule: rule)
      }
    }
  }

  /// Sets options from the members of a JSON object. Members that are null are ignored.
  ///
  /// - Throws: an error for the first member, by name, that is not an option or whose value has the wrong
  ///   kind.
  package func read(
    _ members: [String: JSONTree], into request: inout Request, by frontEnd: FrontEnd
  ) throws(OptionViolation) {
    let spelled = Dictionary(
      uniqueKeysWithValues: options(of: frontEnd).map {
        (frontEnd.spelling(of: $0.option), $0)
      })
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      if case .null = value { continue }
      guard let option = spelled[name] else {
        if let missing = options.first(where: { frontEnd.spelling(of: $0.option) == name }),
          let reason = missing.missing[frontEnd]
        {
          throw OptionViolation(
            MessageTemplate("\(name.shown) is not an option here: \(reason)"))
        }
        throw OptionViolation(
          MessageTemplate(
            "unknown option \(name.shown)"
              + NameSuggestions.hint(name, among: spelled.keys.sorted())))
      }
      do throws(VerbOption<Request>.UnexpectedValue) {
        try option.read(&request, value, frontEnd)
      } catch {
        if case .word = option.kind, case .text(let word) = value {
          throw option.refusal(of: word, by: frontEnd)
        }
        let expected = option.kind.expectation(of: frontEnd)
        throw OptionViolation(
          "\(option.option): \(expected) is expected")
      }
      if let violation = option.wordViolation(of: option.values(request), by: frontEnd) {
        throw violation
      }
    }
  }
}
