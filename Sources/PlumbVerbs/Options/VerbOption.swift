import PlumbCore
import PlumbIO

/// An option of a verb: the one definition from which front ends, checks and documentation follow.
package struct VerbOption<Request: Sendable>: Sendable {
  /// The option's identity.
  package let option: Setting
  /// The kind of its value.
  package let kind: OptionKind
  /// The heading under which help lists it.
  package let group: String
  /// The placeholder of its value in help; empty for flags.
  package let valueName: String
  /// The word that counts where none is given; nil for none.
  package var usual: String?
  /// What it does, in one or two sentences.
  package let help: Wording
  /// The front ends that do not offer it, each with the reason.
  package let missing: [FrontEnd: String]
  /// The words that a front end does not offer, each with the reason.
  package let missingWords: [FrontEnd: [String: String]]
  /// The values that a request has for it: none where the option is not given, `true` for a flag.
  package let values: @Sendable (Request) -> [String]
  /// Sets the option from a JSON value of a front end.
  let read: @Sendable (inout Request, JSONTree, FrontEnd) throws(UnexpectedValue) -> Void

  /// A value of another kind than the option's.
  struct UnexpectedValue: Error {}

  /// Whether a request has a value for it.
  package func isGiven(in request: Request) -> Bool { !values(request).isEmpty }

  /// Whether a front end offers it.
  package func isOffered(by frontEnd: FrontEnd) -> Bool { missing[frontEnd] == nil }

  /// The error for a word that a front end does not offer.
  func refusal(of word: String, by frontEnd: FrontEnd) -> OptionViolation {
    let words = words(of: frontEnd).joined(separator: ", ")
    return OptionViolation(
      rule: nil, wording: "\(option): \(word.shown) is not one of \(words)")
  }

  /// The words that a front end offers; none for other kinds.
  package func words(of frontEnd: FrontEnd) -> [String] {
    guard case .word(let words) = kind else { return [] }
    let without = missingWords[frontEnd] ?? [:]
    return words.filter { without[$0] == nil }
  }
}

extension VerbOption {
  /// A string, or a number as one: ids of elements may be numbers.
  private static func text(_ json: JSONTree) throws(UnexpectedValue) -> String {
    switch json {
    case .text(let text): return text
    case .integer(let number): return String(number)
    case .real(let number): return String(number)
    default: throw UnexpectedValue()
    }
  }

  /// True or false; in requests to the server, whose members may come from an address, also as text.
  private static func flag(
    _ json: JSONTree, _ frontEnd: FrontEnd
  ) throws(UnexpectedValue) -> Bool {
    switch (json, frontEnd) {
    case (.boolean(let flag), _): return flag
    case (.integer(0), .service): return false
    case (.integer(1), .service): return true
    case (.text(let text), .service):
      guard let flag = ["true": true, "false": false][text.lowercased()] else {
        throw UnexpectedValue()
      }
      return flag
    default: throw UnexpectedValue()
    }
  }

  /// An option without a value.
  package static func flag(
    _ option: Setting, _ path: any WritableKeyPath<Request, Bool> & Sendable, group: String,
    help: Wording, missing: [FrontEnd: String] = [:]
  ) -> Self {
    Self(
      option: option, kind: .flag, group: group, valueName: "", help: help, missing: missing,
      missingWords: [:], values: { $0[keyPath: path] ? ["true"] : [] },
      read: { (request, json, frontEnd) throws(UnexpectedValue) in
        request[keyPath: path] = try flag(json, frontEnd)
      })
  }

  /// An option with one text of any kind.
  package static func text(
    _ option: Setting, _ path: any WritableKeyPath<Request, String?> & Sendable,
    kind: OptionKind = .text, group: String, valueName: String, help: Wording,
    missing: [FrontEnd: String] = [:]
  ) -> Self {
    Self(
      option: option, kind: kind, group: group, valueName: valueName, help: help,
      missing: missing, missingWords: [:], values: { $0[keyPath: path].map { [$0] } ?? [] },
      read: { (request, json, _) throws(UnexpectedValue) in
        request[keyPath: path] = try text(json)
      })
  }

  /// An option that may be given several times: in JSON a string or a list.
  package static func texts(
    _ option: Setting, _ path: any WritableKeyPath<Request, [String]> & Sendable, group: String,
    valueName: String, help: Wording, missing: [FrontEnd: String] = [:]
  ) -> Self {
    Self(
      option: option, kind: .texts, group: group, valueName: valueName, help: help,
      missing: missing, missingWords: [:], values: { $0[keyPath: path] },
      read: { (request, json, _) throws(UnexpectedValue) in
        guard case .list(let list) = json else {
          request[keyPath: path] = [try text(json)]
          return
        }
        var texts: [String] = []
        for item in list { texts.append(try text(item)) }
        request[keyPath: path] = texts
      })
  }

  /// An option whose value is one of some words.
  package static func word<Word: OptionWord>(
    _ option: Setting, _ path: any WritableKeyPath<Request, Word?> & Sendable, group: String,
    valueName: String, usual: Word? = nil, help: Wording, missing: [FrontEnd: String] = [:],
    missingWords: [FrontEnd: [String: String]] = [:]
  ) -> Self {
    Self(
      option: option, kind: .word(Word.allCases.map(\.word)), group: group,
      valueName: valueName, usual: usual?.word, help: help, missing: missing,
      missingWords: missingWords,
      values: { $0[keyPath: path].map { [$0.word] } ?? [] },
      read: { (request, json, _) throws(UnexpectedValue) in
        guard case .text(let text) = json, let word = Word(word: text) else {
          throw UnexpectedValue()
        }
        request[keyPath: path] = word
      })
  }
}
