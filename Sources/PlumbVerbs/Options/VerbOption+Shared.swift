import Plumb
import PlumbCore

extension VerbOption {
  /// The options for the output file and its picture, which only the command has.
  ///
  /// - Parameter missing: the reasons why the other front ends do not write a file.
  static func files(
    _ output: any WritableKeyPath<Request, String?> & Sendable,
    _ overwrites: any WritableKeyPath<Request, Bool> & Sendable,
    _ picture: any WritableKeyPath<Request, String?> & Sendable, missing: [FrontEnd: String]
  ) -> [Self] {
    [
      .text(
        .output, output, kind: .path, group: "Output", valueName: "output",
        help: "The file to write; - is standard output. Default: -.", missing: missing),
      .flag(
        .overwrite, overwrites, group: "Output", help: "Replace an existing output.",
        missing: missing),
      .text(
        .picture, picture, kind: .picture, group: "Output", valueName: "file",
        help: """
          Also draw the result, over its map if there is one. The file's extension selects PNG, SVG or \
          PDF.
          """,
        missing: [
          .library: "the caller draws the result", .service: "the page draws the result",
        ]),
    ]
  }

  /// The number of threads.
  static func threads(_ path: any WritableKeyPath<Request, Int?> & Sendable) -> Self {
    .integer(
      .threads, path, range: 1...1024, group: "Run", valueName: "threads",
      help: "The number of threads. Default: one per processor.",
      missing: [.service: "the server's option workers applies"])
  }

  /// The option for the files to which documents may refer. The command and the server also have
  /// options that allow hosts.
  static func access(_ path: any WritableKeyPath<Request, FileAccess?> & Sendable) -> Self {
    .word(
      .access, path, group: "Run", valueName: "access", usual: .folder,
      help: "The files that documents may name: those in their folder, or all.",
      missing: [
        .command: "the command has \(FrontEnd.command.spelling(of: .allowOutside))",
        .service: "the server's options allow-outside and allow-host apply",
      ])
  }
}

/// The files to which documents may refer.
package enum FileAccess: String, OptionWord {
  /// The files in the document's folder.
  case folder
  case anywhere

  /// - Parameter option: nil for the default.
  package static func files(_ option: FileAccess?) -> DocumentAccess {
    option == .anywhere ? .anywhere : .folder
  }
}
