import Plumb
import PlumbVerbs

/// A run of a verb whose output is returned as text.
struct BodyRun<Outcome: Sendable>: Sendable {
  let outcome: Outcome
  /// The output without the final newline.
  let text: String
  let warnings: [MessageTemplate]

  init(_ run: (RunContext) throws -> Outcome) throws {
    var warnings: [MessageTemplate] = []
    let sink = MemorySink()
    var context = RunContext(.library) {
      warnings.append(MessageTemplate($0.text(FrontEnd.library.spellings)))
    }
    context.sink = sink
    outcome = try run(context)
    let bytes = sink.bytes
    text = String(decoding: bytes.last == 0x0A ? bytes.dropLast() : bytes[...], as: UTF8.self)
    self.warnings = warnings
  }
}
