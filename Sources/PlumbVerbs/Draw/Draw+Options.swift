import Plumb
import PlumbCore

extension Draw {
  private static let missing: [FrontEnd: String] = [
    .library: "C and Python do not draw pictures",
    .service: "map services draw maps with the operation export",
  ]

  /// The options of `draw`.
  package static let options = OptionTable<Request>(
    inputOptions + viewOptions + outputOptions, rules: rules)

  private static let inputOptions: [VerbOption<Request>] = [
    .text(
      .map, \.map, kind: .path, group: "Input", valueName: "map",
      help: "A map document, a raster or a file of features.", missing: missing),
    .texts(
      .dates, \.dates, group: "Input", valueName: "pattern",
      help: """
        The dates of the raster's files, as for identify; the raster may be a quoted pattern. One date is drawn. \
        May be repeated.
        """, missing: missing),
    .word(
      .group, \.grouping, group: "Input", valueName: "group",
      help: "The files of one date: those of equal time, or those of one day in UTC.",
      missing: missing),
    .date(
      .date, \.date, group: "Input",
      help: """
        The date of layers with dates, or the date nearest to it.
        """, missing: missing
    ).withDefault("the last date of each layer"),
    .texts(
      .result, \.results, group: "Input", valueName: "file",
      help: "Results to draw over the map. The default extent is that of the results.",
      missing: missing),
  ]

  private static let viewOptions: [VerbOption<Request>] = [
    .coordinates(
      .extent, \.extent, kind: .extent, group: "View", valueName: "xmin,ymin,xmax,ymax",
      help: """
        An extent that the picture contains; it crosses 180 degrees if xmin exceeds xmax.
        """, missing: missing
    ) { $0[0] != $0[2] && $0[1] < $0[3] }
    .withDefault("that of the results, otherwise that of all layers"),
    .coordinates(
      .center, \.center, kind: .center, group: "View", valueName: "x,y",
      help: "The centre of the picture, with \(.scale).", missing: missing),
    .number(
      .scale, \.scale, range: .positive(""), group: "View", valueName: "50000",
      help: "The denominator of the scale, with \(.center).", missing: missing),
    .parsed(
      .size, \.size, kind: .size, group: "View", valueName: "widthxheight",
      help: "The size in pixels.", missing: missing,
      text: { "\($0.width)x\($0.height)" }, parse: PictureSize.init(text:)
    ).withDefault(.text("1200x800")),
    .text(
      .crs, \.crs, kind: .crs, group: "View", valueName: "code",
      help: """
        The coordinate reference system of the picture, of \(.extent) and of \(.center).
        """, missing: missing
    ).withDefault(
      "EPSG:3857 for the picture, longitude and latitude for \(.extent) and \(.center)"),
    .flag(
      .plain, \.isPlain, group: "View",
      help: "Draw only the layers, without legend, scale bar and attribution.", missing: missing),
  ]

  private static let outputOptions: [VerbOption<Request>] = [
    .text(
      .output, \.output, kind: .picture, group: "Output", valueName: "output",
      help: "The file to write; - is standard output.", missing: missing
    ).withDefault(.text("-")),
    .flag(
      .overwrite, \.overwrites, group: "Output", help: "Replace an existing output.",
      missing: missing),
  ]

  private static let rules: [OptionRule] = [
    .needsOne([.map]), .needAny([.group], of: [.dates]),
    .replaces(.extent, [.center, .scale]),
    .needs(.scale, .center, "\(.scale) needs \(.center)"),
    .needs(.center, .scale, "\(.center) needs \(.scale)"),
  ]
}
