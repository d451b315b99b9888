import Plumb
import PlumbVerbs

extension Setting {
  /// The spellings of options in the command.
  static let flags = FrontEnd.command.spellings
}

extension MessageTemplate {
  /// The text with the command's spellings of options.
  var line: String { text(Setting.flags) }
}

extension SourceUse {
  /// The verbs of the command that use a source.
  static let verbs: [SourceUse: String] = [
    .points: "identify --points", .buffer: "buffer", .fences: "monitor --fences",
    .bufferedFences: "monitor --fences with --buffer", .feed: "monitor --feed",
    .feature: "eval --feature", .location: "eval --location",
    .trace: "trace --type (isolation, upstream and others)", .segments: "trace --segments",
    .simulation: "monitor --feed with --simulate",
  ]
}
