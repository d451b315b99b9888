import Plumb
import PlumbCore
import PlumbIO

extension Eval {
  /// Evaluates the expression and writes each value on a line.
  ///
  /// - Throws: `OptionViolation` for an invalid combination of options; otherwise the first error,
  ///   after the preceding values have been written.
  package static func run(_ request: Request, in context: RunContext) throws {
    try check(request, by: context.frontEnd)
    do {
      try evaluate(request, in: context)
    } catch let error as ExpressionError {
      guard let file = request.file else { throw error }
      throw PlumbError(file == "-" ? "standard input" : MessageTemplate(file.printable), error)
    }
    context.collectLibraryMessages()
  }

  private static func evaluate(_ request: Request, in context: RunContext) throws {
    var evaluation = try FeatureEvaluation(
      try request.file.map { try ExpressionFile.text($0) } ?? request.expression ?? "")
    evaluation.notes.forEach(context.remark)
    evaluation.console = { message in
      for line in message.split(separator: "\n", omittingEmptySubsequences: false) {
        context.print(String(line))
      }
    }
    let sink = context.sink
    let write = { (line: String) in
      try WorkCancellation.checkCurrent()
      if let sink {
        try sink.write(Array((line + "\n").utf8))
      } else {
        try StandardOutput.write(line)
      }
    }
    let now = WallClock.milliseconds
    if request.isTrigger {
      try evaluation.run(
        fences: request.fence, locations: request.locations, type: request.type ?? .entered,
        now: now, access: context.access, services: context.services, warn: context.warn, write)
    } else {
      try evaluation.run(
        features: request.feature, at: request.point, now: now, access: context.access,
        services: context.services, write)
    }
  }
}
