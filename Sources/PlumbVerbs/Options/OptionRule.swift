import PlumbCore

/// A rule about the valid combinations of options.
package enum OptionRule: Sendable, Equatable {
  /// Two options that exclude each other, with advice.
  case excludes(Setting, Setting, advice: MessageTemplate)
  /// An option that excludes several other options.
  case replaces(Setting, [Setting])
  /// Options, at least one of which is needed.
  case needsOne([Setting])
  /// Options, exactly one of which is needed.
  case needsExactlyOne([Setting])
  /// Options that each need at least one of several other options.
  case needAny([Setting], of: [Setting])
  /// An option that needs another option, with the message of the violation.
  case needs(Setting, Setting, MessageTemplate)
  /// An option's value that needs another option, with the purpose of that option.
  case valueNeeds(Setting, String, Setting, MessageTemplate = "")
  /// An option's value that needs a given number of values of another option.
  case valueNeedsCount(Setting, String, Setting, Int)
  /// An option that needs a given value of another option.
  case onlyWith(Setting, Setting, String)
  /// An option that excludes some values of another option, with the reason.
  case notWith(Setting, Setting, [String], MessageTemplate)
  /// An option's value that excludes another option.
  case valueNotWith(Setting, String, Setting)
}

/// An error for an unknown option, an invalid value, or an invalid combination of options.
package struct OptionViolation: PlumbFailure {
  /// The violated rule; nil for an unknown option or an invalid value.
  package let rule: OptionRule?
  package let messageTemplate: MessageTemplate

  /// - Parameter rule: the violated rule; nil for an unknown option or an invalid value.
  init(_ messageTemplate: MessageTemplate, rule: OptionRule? = nil) {
    (self.messageTemplate, self.rule) = (messageTemplate, rule)
  }

  package var code: FailureCode { .badOption }
  package var message: String { messageTemplate.description }
  package var description: String { message }
}

extension OptionRule {
  /// Whether the rule depends on the values of an option, and on the presence of another option.
  func dependsOnValue(of option: Setting) -> Bool {
    switch self {
    case .onlyWith(_, option, _), .notWith(_, option, _, _): true
    default: false
    }
  }

  /// Formats a list of options with commas and a conjunction.
  private static func list(_ options: [Setting], _ word: String) -> MessageTemplate {
    var text: MessageTemplate = ""
    for (index, option) in options.enumerated() {
      let link = index == 0 ? "" : index + 1 < options.count ? ", " : " \(word) "
      text = "\(text)\(link)\(option)"
    }
    return text
  }

  /// Checks the rule.
  ///
  /// - Parameters:
  ///   - values: the values of the options that are given.
  ///   - isOffered: whether the front end offers an option.
  /// - Returns: the violation; nil if the rule holds.
  func violation(
    _ values: [Setting: [String]], isOffered: (Setting) -> Bool
  ) -> MessageTemplate? {
    func isSpecified(_ option: Setting) -> Bool { values[option] != nil }
    func has(_ option: Setting, _ value: String) -> Bool {
      values[option]?.contains(value) ?? false
    }
    switch self {
    case .excludes(let first, let second, let advice):
      guard isSpecified(first), isSpecified(second) else { return nil }
      return "\(first) cannot be combined with \(second): \(advice)"
    case .replaces(let option, let others):
      guard isSpecified(option), let other = others.first(where: isSpecified) else { return nil }
      return "\(other) cannot be combined with \(option)"
    case .needsOne(let options):
      let offered = options.filter(isOffered)
      // A front end that offers none of these options has arguments instead.
      guard !offered.isEmpty, !options.contains(where: isSpecified) else { return nil }
      return offered.count == 1
        ? "\(offered[0]) is missing" : "give \(Self.list(offered, "or"))"
    case .needsExactlyOne(let options):
      let offered = options.filter(isOffered)
      guard !offered.isEmpty, options.count(where: isSpecified) != 1 else { return nil }
      return offered.count == 1
        ? "\(offered[0]) is missing" : "give exactly one of \(Self.list(offered, "and"))"
    case .needAny(let options, let others):
      guard let option = options.first(where: isSpecified), !others.contains(where: isSpecified)
      else {
        return nil
      }
      return "\(option) needs \(Self.list(others, "or"))"
    case .needs(let option, let other, let messageTemplate):
      // A front end that does not offer the other option has an argument instead.
      return isSpecified(option) && !isSpecified(other) && isOffered(other)
        ? messageTemplate : nil
    case .valueNeeds(let option, let value, let other, let purpose):
      guard has(option, value), !isSpecified(other) else { return nil }
      let line: MessageTemplate = "\(option, value) needs \(other)"
      return purpose == "" ? line : "\(line), \(purpose)"
    case .valueNeedsCount(let option, let value, let other, let count):
      return has(option, value) && values[other]?.count != count
        ? "\(option, value) needs exactly \(count) values of \(other)" : nil
    case .onlyWith(let option, let other, let value):
      return isSpecified(option) && isSpecified(other) && !has(other, value)
        ? "\(option) needs \(other, value)" : nil
    case .notWith(let option, let other, let excluded, let reason):
      guard isSpecified(option), let value = excluded.first(where: { has(other, $0) }) else {
        return nil
      }
      return "\(option) cannot be combined with \(other, value), \(reason)"
    case .valueNotWith(let option, let value, let other):
      return has(option, value) && isSpecified(other)
        ? "\(option, value) cannot be combined with \(other)" : nil
    }
  }
}
