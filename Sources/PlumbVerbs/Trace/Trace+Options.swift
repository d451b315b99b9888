import Plumb
import PlumbCore
import PlumbIO

extension Trace {
  private static let served = "the server opens its networks when it starts"
  private static let unopened: [FrontEnd: String] = [.service: served]
  private static let noFile: [FrontEnd: String] = [
    .library: "the result is returned", .service: "the reply contains the result",
  ]

  /// The options of `trace`.
  package static let options = OptionTable<Request>(
    inputOptions + traceOptions + outputOptions + [.access(\.access)], rules: rules)

  private static let inputOptions: [VerbOption<Request>] = [
    .text(
      .network, \.network, group: "Input", valueName: "network",
      help: "The network: an EPANET file or a network document.",
      missing: [.library: "the network is a handle"]),
    .text(
      .valveLayer, \.valveLayer, kind: .path, group: "Input", valueName: "file",
      help: """
        A table of an EPANET network's isolation valves with the columns link and node, and optionally \
        status (open, closed) and operable (1, 0, true, false, yes, no). These valves may be closed \
        unless \(.filter) or \(.filterCategory) selects others.
        """, missing: unopened),
    .text(
      .crs, \.crs, kind: .crs, group: "Input", valueName: "crs",
      help: """
        The coordinate reference system of a network that has none, for example EPSG:28992. GeoJSON is \
        then written in WGS84.
        """, missing: unopened),
    .flag(
      .strict, \.isStrict, group: "Input",
      help: """
        Fail if the network has faulty features, such as one without a shape or with an empty or \
        duplicate id. By default they are omitted with a warning.
        """, missing: unopened),
  ]

  private static let traceOptions: [VerbOption<Request>] = [
    .word(
      .type, \.type, group: "Trace", valueName: "type", help: "The type of the trace."),
    .texts(
      .start, \.starts, group: "Trace", valueName: "ref",
      help: "An element or point where the trace starts; may be repeated."),
    .texts(
      .barrier, \.barriers, group: "Trace", valueName: "ref",
      help: "An element that stops the trace; may be repeated."),
    .texts(
      .filterBarrier, \.filterBarriers, group: "Trace", valueName: "ref",
      help: "An element that may be closed, a valve or a point on a pipe; may be repeated."),
    .text(
      .filterCategory, \.filterCategory, group: "Trace", valueName: "name",
      help: "A category whose elements may be closed."),
    .text(
      .filter, \.filter, kind: .condition, group: "Trace", valueName: "sql",
      help: "A condition; elements that meet it may be closed."),
    .text(
      .condition, \.condition, kind: .condition, group: "Trace", valueName: "sql",
      help: "A condition that stops the trace, in addition to the tier's configuration."),
    .texts(
      .inoperable, \.inoperable, group: "Trace", valueName: "ref",
      help: """
        A valve that cannot be closed; the isolation uses valves beyond it. May be repeated.
        """),
    .word(
      .oneWay, \.oneWay, group: "Trace", valueName: "flow", usual: .hold,
      help: """
        Whether check valves, pumps, pressure reducing and sustaining valves and directional devices \
        hold against reverse flow or are open in both directions.
        """),
    .flag(
      .includeIsolated, \.includesIsolated, group: "Trace",
      help: "List the isolated elements instead of their number."),
    .text(
      .cost, \.cost, group: "Trace", valueName: "attribute",
      help: "The network attribute that shortest-path sums."),
    .text(
      .domain, \.domain, group: "Trace", valueName: "name",
      help: "The domain network; needed when there are several."),
    .text(
      .tier, \.tier, group: "Trace", valueName: "name",
      help: "The tier; needed when there are several."),
    document,
    .flag(
      .segments, \.isSegments, group: "Trace",
      help: "Return all isolation segments: the parts between valves, regardless of flow.",
      missing: [.service: "the size of a reply with all segments has no limit"]),
  ]

  private static let filesOnly = [
    "gpkg": "a GeoPackage can only be a file", "parquet": "the table is written to a file",
    "arrow": "the table is written to a file or to standard output",
  ]

  private static let outputOptions: [VerbOption<Request>] =
    VerbOption.files(\.output, \.overwrites, \.picture, missing: noFile)
    + VerbOption.table(\.outputTable, \.appends, missing: noFile) + [
      .word(
        .format, \.format, group: "Output", valueName: "format", usual: .json,
        help: """
          The format: csv only with segments, text only without them.
          """,
        missingWords: [
          .library: filesOnly,
          .service: filesOnly.merging([
            "text": "the page shows the result as text",
            "csv": "CSV is only for segments, which a server does not return",
          ]) { first, _ in first },
        ]
      )
      .withDefault(
        """
        json; in the command that of the output's extension, otherwise text, or json with segments or a \
        request
        """),
      .flag(
        .shapes, \.hasShapes, group: "Output",
        help: "Add the member \"geoJSON\" with the elements and their shapes to a result in JSON.",
        missing: [.command: "the command has the format geojson"]),
    ]

  /// A trace request: the path of a file, or a JSON value in requests to the server.
  private static let document = VerbOption<Request>(
    option: .request, kind: .json, group: "Trace", valueName: "file",
    help: """
      A trace request of UtilityNetworkServer, instead of the options: a JSON file, or an object in a \
      request to a server.
      """,
    missing: [:], missingWords: [:],
    values: { request in
      switch request.request {
      case nil: []
      case .file(let path)?: [path]
      case .json?: ["an object"]
      }
    },
    read: { (request, json, frontEnd) throws(VerbOption<Request>.UnexpectedValue) in
      // A request to the server must not name a file on the server.
      switch (json, frontEnd) {
      case (.object, .service): request.request = .json(json)
      case (.text(let path), .library): request.request = .file(path)
      default: throw VerbOption<Request>.UnexpectedValue()
      }
    })

  private static let described: [Setting] = [
    .type, .start, .barrier, .filterBarrier, .filterCategory, .filter, .condition, .inoperable,
    .oneWay, .includeIsolated, .cost, .domain, .tier, .request,
  ]

  private static let rules: [OptionRule] =
    [
      .excludes(
        .filter, .filterCategory,
        advice: "put both in \(.filter), for example category('NAME') AND ..."),
      .replaces(
        .segments,
        described.filter { ![.filter, .filterCategory, .filterBarrier].contains($0) }),
      .replaces(
        .request, described.filter { ![.request, .inoperable, .oneWay].contains($0) }),
      .needsOne([.type, .request, .segments]),
      .needs(.type, .start, "give the start of the trace with \(.start)"),
      .valueNeedsCount(.type, "shortest-path", .start, 2),
      .valueNeeds(.type, "shortest-path", .cost, "the attribute to sum"),
      .onlyWith(.cost, .type, "shortest-path"),
      .onlyWith(.includeIsolated, .type, "isolation"),
      .notWith(
        .oneWay, .type, ["connected", "shortest-path"],
        "which passes one-way elements in both directions"),
      .onlyWith(.inoperable, .type, "isolation"),
      .valueNeeds(.format, "gpkg", .output, "the file to write"),
      .valueNeeds(.format, "csv", .segments),
      .valueNotWith(.format, "text", .segments),
      .excludes(.picture, .segments, advice: "draw the result of a trace"),
      .excludes(.shapes, .segments, advice: "give \(.format, "geojson")"),
      .notWith(.shapes, .format, ["text", "geojson", "gpkg", "csv"], "which is not JSON"),
    ] + VerbOption<Request>.tableRules
}

extension Trace.Part {
  private static let ofOpening: [Setting] = [.valveLayer, .crs, .strict, .access]

  /// The options of the part.
  package var options: OptionTable<Trace.Request> {
    self == .open
      ? Trace.options.only(Self.ofOpening)
      : Trace.options.only(
        Trace.options.options.map(\.option).filter {
          !Self.ofOpening.contains($0)
        })
  }
}
