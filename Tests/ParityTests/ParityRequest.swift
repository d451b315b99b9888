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
        case .text(let text), .number(let text): ["--" + stem, text]
        case .list(let list): list.flatMap { ["--" + stem, $0] }
        }
      }
  }

  /// The options as members of a JSON object, without braces.
  ///
  /// - Parameter separator: what stands between the words of a name.
  func members(separator: String) -> String {
    options.map { stem, value in
      "\"\(stem.replacing("-", with: separator))\":\(Self.json(value))"
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
    case .text(let text): quoted(text)
    case .list(let list): "[\(list.map(quoted).joined(separator: ","))]"
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
