import Plumb
import PlumbCore
import PlumbIO
import PlumbRaster

/// The single definition of a verb's option, for front ends, checks and documentation.
package struct VerbOption<Request: Sendable>: Sendable {
  /// The option's identity.
  package let option: Setting
  /// The kind of the option's value.
  package let kind: OptionKind
  /// The heading under which the help lists the option.
  package let group: String
  /// The placeholder of the option's value in the help; empty for flags.
  package let valueName: String
  /// The value that applies without the option; nil if there is none, or if it depends on other options or
  /// on the input.
  package var defaultValue: JSONTree?
  /// The default in words; nil for that of `defaultValue`.
  var defaultText: MessageTemplate?
  /// The description, in one or two sentences, without the default.
  let help: MessageTemplate
  /// The help for front ends in which the option differs, with the default.
  var helpOverrides: [FrontEnd: MessageTemplate] = [:]
  /// The front ends that do not offer the option, with the reasons.
  package let missing: [FrontEnd: String]
  /// The words that a front end does not offer, with the reasons.
  let missingWords: [FrontEnd: [String: String]]
  /// The words that a front end allows, if the option is text of any kind in other front ends.
  var onlyWords: [FrontEnd: [String]] = [:]
  /// Returns the values of the option in a request. The list is empty if the request does not
  /// contain the option, and contains `true` for a flag.
  package let values: @Sendable (Request) -> [String]
  /// Returns whether the option's value in a request is allowed.
  var isAllowed: @Sendable (Request) -> Bool = { _ in true }
  /// Sets the option from a JSON value of a front end.
  let read: @Sendable (inout Request, JSONTree, FrontEnd) throws(UnexpectedValue) -> Void

  /// An error for a value that is not of the option's kind.
  struct UnexpectedValue: Error {}

  /// The help for a front end.
  package func help(for frontEnd: FrontEnd) -> MessageTemplate {
    helpOverrides[frontEnd] ?? helpWithDefault
  }

  /// The help for front ends in which the option does not differ.
  package var helpWithDefault: MessageTemplate {
    guard let text = defaultText ?? defaultValue.map({ kind.text(of: $0) }) else { return help }
    return "\(help) Default: \(text)."
  }

  /// The option with a default.
  func withDefault(_ value: JSONTree) -> Self {
    var option = self
    option.defaultValue = value
    return option
  }

  /// The option with a default that is described in words.
  func withDefault(_ text: MessageTemplate) -> Self {
    var option = self
    option.defaultText = text
    return option
  }

  /// Whether a request contains a value of the option.
  package func isSpecified(in request: Request) -> Bool { !values(request).isEmpty }

  /// Whether a front end offers the option.
  func isOffered(by frontEnd: FrontEnd) -> Bool { missing[frontEnd] == nil }

  /// The error for a word that a front end does not offer.
  func refusal(of word: String, by frontEnd: FrontEnd) -> OptionViolation {
    let words = words(of: frontEnd)
    let expected = words.count == 1 ? words[0] : "one of \(words.joined(separator: ", "))"
    return OptionViolation("\(option): \(word.shown) is not \(expected)")
  }

  /// The words that a front end offers; empty for other kinds of options.
  package func words(of frontEnd: FrontEnd) -> [String] {
    guard case .word(let words) = kind else { return onlyWords[frontEnd] ?? [] }
    let without = missingWords[frontEnd] ?? [:]
    return words.filter { without[$0] == nil }
  }

  /// The error for the first value that is not one of the words of a front end; nil if there is none.
  func wordViolation(of values: [String], by frontEnd: FrontEnd) -> OptionViolation? {
    let words = words(of: frontEnd)
    guard !words.isEmpty else { return nil }
    return values.first { !words.contains($0) }.map { refusal(of: $0, by: frontEnd) }
  }
}

extension VerbOption {
  /// Returns a string, or a number as text, because ids of elements may be numbers.
  private static func text(_ json: JSONTree) throws(UnexpectedValue) -> String {
    switch json {
    case .text(let text): return text
    case .integer(let number): return String(number)
    case .real(let number): return String(number)
    default: throw UnexpectedValue()
    }
  }

  /// Returns true or false. Requests to the server may also contain the value as text or as 0 or 1,
  /// because their members may come from a URL.
  static func truth(
    of json: JSONTree, _ frontEnd: FrontEnd
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
    help: MessageTemplate, missing: [FrontEnd: String] = [:]
  ) -> Self {
    Self(
      option: option, kind: .flag, group: group, valueName: "", help: help, missing: missing,
      missingWords: [:], values: { $0[keyPath: path] ? ["true"] : [] },
      read: { (request, json, frontEnd) throws(UnexpectedValue) in
        request[keyPath: path] = try truth(of: json, frontEnd)
      })
  }

  /// An option with one string of any kind.
  package static func text(
    _ option: Setting, _ path: any WritableKeyPath<Request, String?> & Sendable,
    kind: OptionKind = .text, group: String, valueName: String, help: MessageTemplate,
    helpOverrides: [FrontEnd: MessageTemplate] = [:], missing: [FrontEnd: String] = [:]
  ) -> Self {
    Self(
      option: option, kind: kind, group: group, valueName: valueName, help: help,
      helpOverrides: helpOverrides, missing: missing, missingWords: [:],
      values: { $0[keyPath: path].map { [$0] } ?? [] },
      isAllowed: { kind != .picture || $0[keyPath: path].map(isPicture) ?? true },
      read: { (request, json, _) throws(UnexpectedValue) in
        if [.path, .picture, .condition].contains(kind) {
          // Numbers are rejected here, although `text(_:)` accepts them.
          guard case .text = json else { throw UnexpectedValue() }
        }
        request[keyPath: path] = try text(json)
      })
  }

  /// Whether a file name has the extension of a picture format.
  private static func isPicture(_ name: String) -> Bool { Canvas.Format(ofName: name) != nil }

  /// An option with one string that is checked.
  static func checkedText(
    _ option: Setting, _ path: any WritableKeyPath<Request, String?> & Sendable,
    kind: OptionKind, group: String, valueName: String, help: MessageTemplate,
    missing: [FrontEnd: String] = [:], isAllowed: @escaping @Sendable (Request) -> Bool
  ) -> Self {
    var result = text(
      option, path, kind: kind, group: group, valueName: valueName, help: help,
      missing: missing)
    result.isAllowed = isAllowed
    return result
  }

  /// An option with the format of a table. The command also writes the formats of GDAL.
  ///
  /// - Parameter served: the formats of the service's replies.
  static func format(
    _ path: any WritableKeyPath<Request, String?> & Sendable, served: [String],
    help: MessageTemplate, missing: [FrontEnd: String]
  ) -> Self {
    var result = Self(
      option: .format, kind: .text, group: "Output", valueName: "format", help: help,
      missing: missing, missingWords: [:],
      values: { $0[keyPath: path].map { [$0.lowercased()] } ?? [] },
      read: { (request, json, _) throws(UnexpectedValue) in
        request[keyPath: path] = try text(json)
      })
    result.onlyWords[.service] = served
    return result
  }

  /// An option with a date or a time.
  static func date(
    _ option: Setting, _ path: any WritableKeyPath<Request, String?> & Sendable,
    group: String = "Time", help: MessageTemplate, missing: [FrontEnd: String] = [:]
  ) -> Self {
    checkedText(
      option, path, kind: .date, group: group, valueName: "date", help: help, missing: missing,
      isAllowed: { $0[keyPath: path].map { ImageDate(text: $0) != nil } ?? true })
  }

  /// An option with a string that is parsed.
  static func parsed<Value>(
    _ option: Setting, _ path: any WritableKeyPath<Request, Value?> & Sendable,
    kind: OptionKind, group: String, valueName: String, help: MessageTemplate,
    missing: [FrontEnd: String], text: @escaping @Sendable (Value) -> String,
    parse: @escaping @Sendable (String) -> Value?
  ) -> Self {
    Self(
      option: option, kind: kind, group: group, valueName: valueName, help: help,
      missing: missing, missingWords: [:],
      values: { $0[keyPath: path].map { [text($0)] } ?? [] },
      read: { (request, json, _) throws(UnexpectedValue) in
        guard case .text(let text) = json, let value = parse(text) else {
          throw UnexpectedValue()
        }
        request[keyPath: path] = value
      })
  }

  /// An option that may be given several times. In JSON, its value is a string or a list.
  package static func texts(
    _ option: Setting, _ path: any WritableKeyPath<Request, [String]> & Sendable, group: String,
    valueName: String, help: MessageTemplate, missing: [FrontEnd: String] = [:]
  ) -> Self {
    Self(
      option: option, kind: .texts, group: group, valueName: valueName, help: help,
      missing: missing, missingWords: [:], values: { $0[keyPath: path] },
      read: { (request, json, _) throws(UnexpectedValue) in
        request[keyPath: path] = try texts(of: json)
      })
  }

  /// A string or a list of strings.
  static func texts(of json: JSONTree) throws(UnexpectedValue) -> [String] {
    guard let list = json.elements else { return [try text(json)] }
    var texts: [String] = []
    for item in list { texts.append(try text(item)) }
    return texts
  }

  /// An option whose value is one of a set of words.
  package static func word<Word: OptionWord>(
    _ option: Setting, _ path: any WritableKeyPath<Request, Word?> & Sendable, group: String,
    valueName: String, usual: Word? = nil, help: MessageTemplate, missing: [FrontEnd: String] = [:],
    missingWords: [FrontEnd: [String: String]] = [:]
  ) -> Self {
    Self(
      option: option, kind: .word(Word.allCases.map(\.word)), group: group,
      valueName: valueName, defaultValue: usual.map { .text($0.word) }, help: help,
      missing: missing, missingWords: missingWords,
      values: { $0[keyPath: path].map { [$0.word] } ?? [] },
      read: { (request, json, _) throws(UnexpectedValue) in
        guard case .text(let text) = json, let word = Word(word: text) else {
          throw UnexpectedValue()
        }
        request[keyPath: path] = word
      })
  }
}

// MARK: Numbers

extension VerbOption {
  /// Returns a finite number. In requests to the server, the number may also be text.
  static func number(
    _ json: JSONTree, _ frontEnd: FrontEnd
  ) throws(UnexpectedValue) -> Double {
    switch json {
    case .integer(let number): return Double(number)
    case .real(let number) where number.isFinite: return number
    case .text(let text) where frontEnd == .service:
      guard let numbers = NumberList.parse(text), numbers.count == 1 else {
        throw UnexpectedValue()
      }
      return numbers[0]
    default: throw UnexpectedValue()
    }
  }

  /// An option with one number.
  package static func number(
    _ option: Setting, _ path: any WritableKeyPath<Request, Double?> & Sendable,
    range: NumberRange, group: String, valueName: String, help: MessageTemplate,
    helpOverrides: [FrontEnd: MessageTemplate] = [:], missing: [FrontEnd: String] = [:]
  ) -> Self {
    Self(
      option: option, kind: .number(range), group: group, valueName: valueName, help: help,
      helpOverrides: helpOverrides, missing: missing, missingWords: [:],
      values: { $0[keyPath: path].map { [NumberRange.shown($0)] } ?? [] },
      isAllowed: { $0[keyPath: path].map(range.contains) ?? true },
      read: { (request, json, frontEnd) throws(UnexpectedValue) in
        if case .notNegativeOrInfinite = range, case .text(let text) = json,
          frontEnd == .service, text.lowercased() == "inf"
        {
          request[keyPath: path] = .infinity
        } else {
          request[keyPath: path] = try number(json, frontEnd)
        }
      })
  }

  /// An option with one whole number.
  package static func integer(
    _ option: Setting, _ path: any WritableKeyPath<Request, Int?> & Sendable,
    range: ClosedRange<Int>, group: String, valueName: String, help: MessageTemplate,
    missing: [FrontEnd: String] = [:]
  ) -> Self {
    Self(
      option: option, kind: .integer(range), group: group, valueName: valueName, help: help,
      missing: missing, missingWords: [:],
      values: { $0[keyPath: path].map { ["\($0)"] } ?? [] },
      isAllowed: { $0[keyPath: path].map(range.contains) ?? true },
      read: { (request, json, _) throws(UnexpectedValue) in
        guard case .integer(let number) = json, let number = Int(exactly: number) else {
          throw UnexpectedValue()
        }
        request[keyPath: path] = number
      })
  }

  /// An option with several whole numbers. In JSON, its value is a number or a list. In requests to
  /// the server, it may also be text with commas.
  package static func integers(
    _ option: Setting, _ path: any WritableKeyPath<Request, [Int]> & Sendable,
    range: ClosedRange<Int>, group: String, valueName: String, help: MessageTemplate,
    missing: [FrontEnd: String] = [:]
  ) -> Self {
    Self(
      option: option, kind: .integers(range), group: group, valueName: valueName, help: help,
      missing: missing, missingWords: [:],
      values: { $0[keyPath: path].map { "\($0)" } },
      read: { (request, json, frontEnd) throws(UnexpectedValue) in
        var items = [json]
        if let list = json.elements { items = list }
        if case .text(let text) = json, let parsed = NumberList.parse(text) {
          items = parsed.map { JSONTree.real($0) }
        }
        var numbers: [Int] = []
        for item in items {
          // A real number such as 1.0 is accepted only if it was parsed from text, which only the server
          // allows.
          if case .real = item, case .text = json, frontEnd == .service {
          } else {
            guard case .integer = item else { throw UnexpectedValue() }
          }
          guard let number = Int(exactly: try number(item, frontEnd)), range.contains(number)
          else { throw UnexpectedValue() }
          numbers.append(number)
        }
        request[keyPath: path] = numbers
      })
  }

  /// An option with a number of bytes.
  package static func bytes(
    _ option: Setting, _ path: any WritableKeyPath<Request, Int?> & Sendable,
    range: ClosedRange<Int> = 0...ByteCount.largest, group: String,
    valueName: String, help: MessageTemplate, missing: [FrontEnd: String] = [:]
  ) -> Self {
    Self(
      option: option, kind: .bytes(range), group: group, valueName: valueName, help: help,
      missing: missing, missingWords: [:],
      values: { $0[keyPath: path].map { ["\($0)"] } ?? [] },
      isAllowed: { $0[keyPath: path].map(range.contains) ?? true },
      read: { (request, json, _) throws(UnexpectedValue) in
        guard case .integer(let number) = json, let number = Int(exactly: number),
          range.contains(number)
        else { throw UnexpectedValue() }
        request[keyPath: path] = number
      })
  }

  /// An option with several numbers. In JSON, its value is a number, a list, or text with commas.
  package static func numbers(
    _ option: Setting, _ path: any WritableKeyPath<Request, [Double]> & Sendable, group: String,
    valueName: String, help: MessageTemplate, missing: [FrontEnd: String] = [:]
  ) -> Self {
    Self(
      option: option, kind: .numbers, group: group, valueName: valueName, help: help,
      missing: missing, missingWords: [:], values: { $0[keyPath: path].isEmpty ? [] : ["numbers"] },
      read: { (request, json, frontEnd) throws(UnexpectedValue) in
        request[keyPath: path] = try numbers(of: json, frontEnd)
      })
  }

  /// An option with the coordinates of a point or a box. In JSON, its value is a list or text with
  /// commas.
  ///
  /// - Parameter isAllowed: whether two or four finite numbers are allowed.
  static func coordinates(
    _ option: Setting, _ path: any WritableKeyPath<Request, [Double]> & Sendable,
    kind: OptionKind, group: String, valueName: String, help: MessageTemplate,
    missing: [FrontEnd: String] = [:],
    isAllowed: @escaping @Sendable ([Double]) -> Bool = { _ in true }
  ) -> Self {
    let count = [.center, .position].contains(kind) ? 2 : 4
    return Self(
      option: option, kind: kind, group: group, valueName: valueName, help: help,
      missing: missing, missingWords: [:],
      values: { request in
        let numbers = request[keyPath: path]
        return numbers.isEmpty ? [] : [numbers.map(NumberRange.shown).joined(separator: ",")]
      },
      isAllowed: { request in
        let numbers = request[keyPath: path]
        return numbers.isEmpty
          || numbers.count == count && numbers.allSatisfy(\.isFinite) && isAllowed(numbers)
      },
      read: { (request, json, frontEnd) throws(UnexpectedValue) in
        let numbers = try numbers(of: json, frontEnd)
        guard numbers.count == count else { throw UnexpectedValue() }
        request[keyPath: path] = numbers
      })
  }

  /// Returns the numbers of a number, of a list of numbers, or of text with commas.
  static func numbers(
    of json: JSONTree, _ frontEnd: FrontEnd
  ) throws(UnexpectedValue) -> [Double] {
    if let list = json.elements {
      var numbers: [Double] = []
      for item in list { numbers.append(try number(item, frontEnd)) }
      return numbers
    }
    switch json {
    case .text(let text):
      guard let numbers = NumberList.parse(text) else { throw UnexpectedValue() }
      return numbers
    default: return [try number(json, frontEnd)]
    }
  }

  /// An option with points. In JSON, its value is `[[x, y], ...]`, `["x,y", ...]`, or a single
  /// point in either form.
  package static func points(
    _ option: Setting, _ path: any WritableKeyPath<Request, [SIMD2<Double>]> & Sendable,
    group: String, valueName: String, help: MessageTemplate, missing: [FrontEnd: String] = [:]
  ) -> Self {
    @Sendable func point(_ json: JSONTree, _ frontEnd: FrontEnd) -> SIMD2<Double>? {
      if case .text(let text) = json {
        return NumberList.parse(text).flatMap { $0.count == 2 ? SIMD2($0[0], $0[1]) : nil }
      }
      guard let list = json.elements, list.count == 2,
        let x = try? number(list[0], frontEnd), let y = try? number(list[1], frontEnd)
      else { return nil }
      return SIMD2(x, y)
    }
    return Self(
      option: option, kind: .points, group: group, valueName: valueName, help: help,
      missing: missing, missingWords: [:],
      values: { $0[keyPath: path].isEmpty ? [] : ["points"] },
      read: { (request, json, frontEnd) throws(UnexpectedValue) in
        if let one = point(json, frontEnd) {
          request[keyPath: path] = [one]
          return
        }
        guard case .list(let list) = json else { throw UnexpectedValue() }
        var points: [SIMD2<Double>] = []
        points.reserveCapacity(list.count)
        for item in list {
          guard let point = point(item, frontEnd) else { throw UnexpectedValue() }
          points.append(point)
        }
        request[keyPath: path] = points
      })
  }

  /// An option with a JSON object, which is kept as text.
  package static func json(
    _ option: Setting, _ path: any WritableKeyPath<Request, [UInt8]?> & Sendable, group: String,
    valueName: String, help: MessageTemplate, missing: [FrontEnd: String] = [:]
  ) -> Self {
    Self(
      option: option, kind: .json, group: group, valueName: valueName, help: help,
      missing: missing, missingWords: [:],
      values: { $0[keyPath: path] == nil ? [] : ["an object"] },
      read: { (request, json, _) throws(UnexpectedValue) in
        switch json {
        case .object, .source: request[keyPath: path] = json.bytes
        default: throw UnexpectedValue()
        }
      })
  }
}
