import Plumb

/// The time of one evaluation of an Arcade expression, as for the messages of a monitor: one
/// evaluator, new values of the globals each time, and features that share their fields.
///
///     plumb-workload expression --text EXPR --rounds N
///
/// `$feedfeature` is one of 1,000 locations with `id` and `speed`; `$fencefeature` one of 1,000
/// fences with `name` and `n`.
struct ExpressionWorkload {
  private let arguments: Arguments

  /// nil for another mode.
  init?(_ arguments: Arguments) {
    guard arguments.mode == "expression" else { return nil }
    self.arguments = arguments
  }

  /// The line with the time, for the suite.
  func run() throws -> String {
    let program = try ArcadeProgram(
      arguments.text("text"),
      globals: ["$feedfeature", "$fencefeature", "$fencenotificationtype"])
    let evaluator = ArcadeEvaluator(program)
    let (feed, fences) = (ArcadeFields(["id", "speed"]), ArcadeFields(["name", "n"]))
    let locations = (0..<1000).map { number in
      ArcadeFeature(
        fields: feed, attributes: [.text("bus-\(number)"), .number(Double(number) / 8)])
    }
    let areas = (0..<1000).map { number in
      ArcadeFeature(
        fields: fences,
        attributes: [.text("Stop \(number) on the long road"), .number(Double(number) * 1234)])
    }
    let rounds = arguments.number("rounds") ?? 1_000_000
    let now = ArcadeDate(milliseconds: 0)
    var length = 0
    let measured = try Measured.run {
      for round in 0..<rounds {
        let value = try evaluator.evaluate(
          [
            .feature(locations[round % locations.count]), .feature(areas[round * 7 % areas.count]),
            .text("entered"),
          ], now: now)
        if case .text(let text) = value { length &+= text.utf8.count }
      }
    }
    return measured.json([
      "rounds": rounds, "bytes": length,
      "nanoseconds": Int(measured.seconds / Double(max(rounds, 1)) * 1e9),
      "cpu_nanoseconds": Int(measured.cpu / Double(max(rounds, 1)) * 1e9),
    ])
  }
}
