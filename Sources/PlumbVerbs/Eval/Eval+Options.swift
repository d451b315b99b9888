import Plumb
import PlumbCore

extension Eval {
  private static let missing: [FrontEnd: String] = [
    .library: "C and Python do not evaluate separate expressions",
    .service: "a server evaluates the expressions of its monitors",
  ]

  /// The options of `eval`.
  package static let options = OptionTable<Request>(
    [
      .text(
        .expression, \.expression, group: "Input", valueName: "expression",
        help: "The expression.", missing: missing),
      .text(
        .file, \.file, kind: .path, group: "Input", valueName: "file",
        help: "The file that contains the expression; - is standard input.", missing: missing),
      .text(
        .feature, \.feature, kind: .path, group: "Input", valueName: "file[:layer]",
        help: "The features for which the expression is evaluated.", missing: missing),
      .checkedText(
        .at, \.at, kind: .position, group: "Input", valueName: "x,y",
        help: "A point: longitude and latitude in degrees.", missing: missing
      ) { $0.at == nil || $0.point != nil },
      .text(
        .fence, \.fence, kind: .path, group: "Input", valueName: "file[:layer]",
        help: "The fences for which the expression is evaluated.", missing: missing),
      .checkedText(
        .location, \.location, kind: .location, group: "Input",
        valueName: "x,y[,accuracy]|feed",
        help: """
          The locations for which the expression is evaluated: longitude and latitude in degrees, with \
          an optional accuracy in metres, or the rows of a feed.
          """, missing: missing
      ) { $0.hasUsableLocation },
      .word(
        .type, \.type, group: "Input", valueName: "type", usual: .entered,
        help: "The value of $fencenotificationtype.", missing: missing),
    ], rules: rules)

  private static let rules: [OptionRule] = [
    .needsExactlyOne([.expression, .file]),
    .replaces(.fence, [.feature, .at]),
    .replaces(.location, [.feature, .at]),
    .needAny([.type], of: [.fence, .location]),
  ]

  /// Checks the options of a request.
  package static func check(
    _ request: Request, by frontEnd: FrontEnd
  ) throws(OptionViolation) {
    try options.check(request, by: frontEnd)
    if request.file == "-", request.location == "-" {
      throw OptionViolation("\(.file, "-") cannot be combined with \(.location, "-")")
    }
  }
}
