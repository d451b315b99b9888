import Plumb
import Testing

/// A request, independent of the front end.
struct ParityRequest: Sendable, CustomTestStringConvertible {
  enum Verb: String, Sendable { case trace, identify, buffer, zonal, sample }

  enum Value: Sendable {
    case text(String)
    case list([String])
    /// A JSON number, as written.
    case number(String)
    case flag
    /// The path of a JSON file; requests to the server contain the JSON itself.
    case file(String, json: String)
  }

  typealias Option = (stem: String, value: Value)

  var verb: Verb
  /// Options by the stem of their name, such as `filter-category`; they include the paths of the
  /// inputs.
  var options: [Option] = []
  /// Points of identify and buffer, as `x,y`.
  var points: [String] = []

  var testDescription: String { "\(verb.rawValue) \(arguments.joined(separator: " "))" }

  /// The options as arguments of the command.
  var arguments: [String] {
    points.flatMap { ["--at", $0] }
      + options.flatMap { stem, value in
        switch value {
        case .flag: ["--" + stem]
        case .text(let text), .number(let text), .file(let text, _): ["--" + stem, text]
        case .list(let list): list.flatMap { ["--" + stem, $0] }
        }
      }
  }

  /// The options as members of a JSON object, without braces.
  ///
  /// - Parameter separator: the separator between the words of a name.
  func members(separator: String) -> String {
    options.map { stem, value in
      let text =
        if case .file(_, let json) = value, separator == "-" { json } else { Self.json(value) }
      return "\"\(stem.replacing("-", with: separator))\":\(text)"
    }.joined(separator: ",")
  }

  /// The request as a JSON object.
  var json: String {
    let points = "\"points\":\(Self.json(.list(points)))"
    return "{\"verb\":\(Self.quoted(verb.rawValue)),\(points),"
      + "\"options\":{\(members(separator: "-"))}}"
  }

  private static func json(_ value: Value) -> String {
    switch value {
    case .flag: "true"
    case .number(let number): number
    case .text(let text), .file(let text, _): quoted(text)
    case .list(let list): "[\(list.map(quoted).joined(separator: ","))]"
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

extension ParityRequest {
  /// Each option alone, and each pair of options, both together with some other options.
  ///
  /// - Parameter bases: the other options, which the options replace.
  static func cases(
    _ verb: Verb, _ values: [(Setting, Value)], bases: [[Option]], points: [String] = []
  ) -> [ParityRequest] {
    bases.flatMap { base in
      let additions =
        [[]] + values.map { [$0] }
        + values.indices.flatMap { index in values[..<index].map { [$0, values[index]] } }
      return additions.map { more in
        var request = ParityRequest(verb: verb, points: points)
        let stems = more.map(\.0.rawValue)
        request.options = base.filter { !stems.contains($0.stem) }
        request.options += more.map { ($0.0.rawValue, $0.1) }
        return request
      }
    }
  }
}
