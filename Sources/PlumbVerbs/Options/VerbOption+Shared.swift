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
        help: "The file to write; - is standard output.", missing: missing
      ).withDefault(.text("-")),
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

  /// The options for the table of a database, which only the command writes.
  ///
  /// - Parameter missing: the reasons why the other front ends do not write a table.
  static func table(
    _ table: any WritableKeyPath<Request, String?> & Sendable,
    _ appends: any WritableKeyPath<Request, Bool> & Sendable, missing: [FrontEnd: String]
  ) -> [Self] {
    [
      tableName(table, missing: missing),
      .flag(
        .append, appends, group: "Output",
        help: "Add the rows to the table that \(.table) names, which must exist.", missing: missing),
    ]
  }

  /// The option for the name of the table of a database.
  static func tableName(
    _ table: any WritableKeyPath<Request, String?> & Sendable, missing: [FrontEnd: String]
  ) -> Self {
    .text(
      .table, table, group: "Output", valueName: "table",
      help: """
        The table to create in the database, TABLE or SCHEMA.TABLE, if \(.output) is the address of a \
        PostgreSQL database, such as PG:dbname=town.
        """, missing: missing)
  }

  /// The rules about the options of `table`.
  static var tableRules: [OptionRule] {
    [.needs(.append, .table, "\(.append) needs \(.table)")] + tableNameRules
  }

  /// The rules about the table of a database, for verbs whose option `append` also continues files.
  static var tableNameRules: [OptionRule] {
    [
      .needs(.table, .output, "\(.table) needs \(.output) with the address of a database"),
      .excludes(.format, .table, advice: "a format is for files"),
      .excludes(.append, .overwrite, advice: "give one of them"),
    ]
  }

  /// The number of threads.
  static func threads(_ path: any WritableKeyPath<Request, Int?> & Sendable) -> Self {
    .integer(
      .threads, path, range: 1...1024, group: "Run", valueName: "threads",
      help: "The number of threads.",
      missing: [.service: "the server's option workers applies"]
    ).withDefault("one per processor")
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
