import Testing

/// One request, in no front end's words.
struct ParityRequest: Sendable, CustomTestStringConvertible {
  enum Verb: String, Sendable { case trace, identify, buffer, sample }

  enum Value: Sendable {
    case text(String)
    case list([String])
    /// A number of JSON, as it is written.
    case number(String)
    case flag
    /// The path of a file with JSON; requests to the server carry the JSON itself.
    case file(String, json: String)
  }

  var verb: Verb
  /// By the stem of the option's name, as `filter-category`; what is to be asked for is among them.
  var options: [(stem: String, value: Value)] = []
  /// Points of identify and buffer, as `x,y`.
  var points: [String] = []

  var testDescription: String { "\(verb.rawValue) \(arguments.joined(separator: " "))" }

  /// The options as the command's.
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
  /// - Parameter separator: what stands between the words of a name.
  func members(separator: String) -> String {
    options.map { stem, value in
      let text =
        if case .file(_, let json) = value, separator == "-" { json } else { Self.json(value) }
      return "\"\(stem.replacing("-", with: separator))\":\(text)"
    }.joined(separator: ",")
  }

  /// The request as an object of JSON.
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
