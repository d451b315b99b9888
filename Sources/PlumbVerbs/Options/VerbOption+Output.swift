import PlumbCore

extension VerbOption {
  /// The options of a result's file and of its picture, which only the command has.
  ///
  /// - Parameter missing: the reasons of the other front ends to have no file.
  static func files(
    _ output: any WritableKeyPath<Request, String?> & Sendable,
    _ overwrites: any WritableKeyPath<Request, Bool> & Sendable,
    _ picture: any WritableKeyPath<Request, String?> & Sendable, missing: [FrontEnd: String]
  ) -> [Self] {
    [
      .text(
        .output, output, kind: .path, group: "Output", valueName: "output",
        help: "The file to write. Default, and for -: standard output.", missing: missing),
      .flag(
        .overwrite, overwrites, group: "Output", help: "Replace an existing output.",
        missing: missing),
      .text(
        .picture, picture, kind: .path, group: "Output", valueName: "file",
        help: "Draw the result too, on its map where it has one: PNG, SVG or PDF by the name.",
        missing: [
          .library: "the caller draws the result", .service: "the page draws the result",
        ]),
    ]
  }
}
