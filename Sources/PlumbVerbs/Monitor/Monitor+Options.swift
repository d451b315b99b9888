import Plumb
import PlumbCore
import PlumbIO

extension Monitor {
  private static let posted = "clients send the locations to the server"
  private static let returned = "events are returned"
  private static let streamed = "a server streams events to clients"
  private static let noFile: [FrontEnd: String] = [.library: returned, .service: streamed]
  private static let noWalk: [FrontEnd: String] = [.service: posted]

  /// The options of `monitor`.
  package static let options = OptionTable<Request>(
    inputOptions + feedOptions + eventOptions + outputOptions
      + [.threads(\.threads), .access(\.access)], rules: rules)

  private static let inputOptions: [VerbOption<Request>] = [
    .text(
      .feed, \.feed, kind: .path, group: "Input", valueName: "track",
      help: "The locations; - is standard input.",
      missing: [.library: "the feed is an argument of the function", .service: posted]),
    VerbOption(
      option: .fences, kind: .texts, group: "Input", valueName: "file[:layer]",
      help: """
        The fences: a layer of an OGR source, or the address of a service's layer. May be \
        repeated.
        """, missing: [:], missingWords: [:],
      values: { request in
        switch request.fences {
        case nil: []
        case .files(let files)?: files
        case .inline?: ["shapes"]
        }
      },
      read: { (request, json, _) throws(VerbOption<Request>.UnexpectedValue) in
        let files = try VerbOption<Request>.texts(of: json)
        request.fences = files.isEmpty ? nil : .files(files)
      }),
    .texts(
      .rasterFence, \.rasterFences, group: "Input", valueName: "path: expr",
      help: """
        Instead of \(.fences), the regions of a raster where an Arcade expression on the value is \
        true. May be repeated.
        """),
    .text(
      .whereClause, \.condition, kind: .condition, group: "Input", valueName: "sql",
      help: "Watch only the fences that meet a condition in SQL."),
    .coordinates(
      .area, \.area, kind: .box, group: "Input", valueName: "xmin,ymin,xmax,ymax",
      help: "Watch only the fences that intersect a box of longitudes and latitudes."
    ) { Request.box($0) != nil },
  ]

  private static let feedOptions: [VerbOption<Request>] = [
    .text(
      .id, \.id, group: "The feed", valueName: "column",
      help: """
        The column of the entity.
        """
    ).withDefault(
      "a column with a usual name (id, entity, device, vehicle_id, …); without one, all rows belong to one entity"
    ),
    .text(
      .time, \.time, group: "The feed", valueName: "column",
      help: "The column of the time."
    ).withDefault("time or timestamp"),
    .text(
      .xColumn, \.x, group: "The feed", valueName: "column",
      help: "The column of the longitude."
    ).withDefault("a column with a usual name"),
    .text(
      .yColumn, \.y, group: "The feed", valueName: "column",
      help: "The column of the latitude."),
    .number(
      .maxAhead, \.maxAhead, range: .notNegativeOrInfinite("seconds"), group: "The feed",
      valueName: "seconds",
      help: """
        Omit locations whose time is further ahead than this: ahead of the clock in a feed from a pipe \
        (default: 300), ahead of the following locations in a file (default: inf, no limit).
        """,
      helpOverrides: [
        .library: """
        Omit locations whose time is further ahead than this: ahead of the clock in a feed from a pipe \
        (default: 300), ahead of the following locations in a file (default: no limit).
        """
      ]),
    .flag(
      .simulate, \.simulates, group: "The feed",
      help: "Simulate locations along a line; the feed is EsriJSON or GeoJSON.", missing: noWalk),
    .number(
      .velocity, \.velocity, range: .positive("metres per second"), group: "The feed",
      valueName: "m/s",
      help: "The speed of \(.simulate), with one location per second.",
      missing: noWalk
    ).withDefault(.integer(10)),
    .number(
      .segment, \.segment, range: .positive("metres"), group: "The feed", valueName: "metres",
      help: """
        With \(.simulate), one location at each vertex, and others between them at most this far \
        apart.
        """,
      missing: noWalk),
    .text(
      .start, \.start, group: "The feed", valueName: "time",
      help: "The time of the first location of \(.simulate).",
      missing: noWalk
    ).withDefault(.text("1970-01-01T00:00:00Z")),
  ]

  private static let eventOptions: [VerbOption<Request>] = [
    .word(
      .rule, \.rule, group: "Events", valueName: "rule", usual: .enterOrExit,
      help: "The events to report."),
    VerbOption(
      option: .buffer, kind: .number(.notNegative("metres")), group: "Events",
      valueName: "metres",
      help: "The distance on the ground by which fences extend beyond their features.",
      missing: [:], missingWords: [:],
      // A buffer of 0 is treated as missing, so that it can be combined with any option.
      values: { request in
        request.buffer.flatMap { $0 == 0 ? nil : [NumberRange.shown($0)] } ?? []
      },
      isAllowed: { $0.buffer.map(NumberRange.notNegative("metres").contains) ?? true },
      read: { (request, json, frontEnd) throws(VerbOption<Request>.UnexpectedValue) in
        request.buffer = try VerbOption<Request>.number(json, frontEnd)
      }),
    .flag(
      .accuracy, \.usesAccuracy, group: "Events",
      help: "Treat each location as a disc with its horizontal accuracy as the radius."),
    .word(
      .relationship, \.relationship, group: "Events", valueName: "relationship",
      usual: .enterContainsAndExitDoesNotIntersect,
      help: """
        With \(.accuracy), the rule by which a disc enters and exits.
        """),
    .text(
      .feedFilter, \.feedFilter, kind: .text, group: "Events", valueName: "expr",
      help: """
        Use only the locations for which an Arcade expression on $locationupdate is true.
        """),
    seconds(
      .dwell, \.dwell, .notNegative("seconds"),
      help: "Report an entity that has been inside a fence for this time."),
    seconds(
      .cooldown, \.cooldown, .notNegative("seconds"),
      help: "After an event, report no other event of the same entity and fence for this time."),
    .flag(
      .crossings, \.reportsCrossings, group: "Events",
      help: """
        Report the fences that an entity passed through between two locations, and where it \
        crossed their borders.
        """),
    noInitial,
    seconds(
      .forget, \.forget, .positive("seconds"),
      help: "Forget an entity after this time without a location."),
    .text(
      .message, \.message, group: "Events", valueName: "expr",
      help: "The text of events: an Arcade expression."
    ).withDefault("the fence's name"),
    .text(
      .name, \.name, group: "Events", valueName: "name",
      help: "The monitor's name in events."
    ).withDefault("the name of each layer of fences"),
  ]

  private static let noInitial = VerbOption<Request>(
    option: .noInitial, kind: .flag, group: "Events", valueName: "",
    help: """
      Do not report the fences that contain an entity's first location.
      """,
    helpOverrides: [
      .library: "Report the fences that contain an entity's first location. Default: true."
    ], missing: [:], missingWords: [:],
    values: { $0.omitsInitial ? ["true"] : [] },
    read: { (request, json, frontEnd) throws(VerbOption<Request>.UnexpectedValue) in
      let flag = try VerbOption<Request>.truth(of: json, frontEnd)
      request.omitsInitial = frontEnd == .library ? !flag : flag
    })

  private static let outputOptions: [VerbOption<Request>] =
    VerbOption.files(\.output, \.overwrites, \.picture, missing: noFile) + [
      .tableName(\.outputTable, missing: noFile),
      .word(
        .format, \.format, group: "Output", valueName: "format", usual: .jsonl,
        help: "The format.",
        missing: noFile
      )
      .withDefault("that of the output's extension, otherwise jsonl"),
      .flag(
        .append, \.appends, group: "Output",
        help: """
          Append lines to an existing jsonl, csv or geojsonseq output as events occur. An incomplete \
          last line is removed first. With \(.table), add the events to the table, which is created if \
          it does not exist.
          """, missing: noFile),
      .flag(
        .explain, \.explains, group: "Run", help: "Add the reason to each event."),
    ]

  private static func seconds(
    _ option: Setting, _ path: any WritableKeyPath<Request, Double?> & Sendable,
    _ range: NumberRange, help: MessageTemplate
  ) -> VerbOption<Request> {
    .number(option, path, range: range, group: "Events", valueName: "seconds", help: help)
  }

  private static let rules: [OptionRule] =
    [
      .needsExactlyOne([.fences, .rasterFence]),
      .replaces(.rasterFence, [.buffer, .whereClause, .area, .accuracy, .crossings]),
      .needAny([.velocity, .segment, .start], of: [.simulate]),
      .excludes(.simulate, .maxAhead, advice: "a simulation has evenly spaced times"),
      .excludes(.velocity, .segment, advice: "give one of them"),
      .valueNeeds(.format, "gpkg", .output, "the file to write"),
      .needAny([.append], of: [.output]),
    ] + VerbOption<Request>.tableNameRules
}

extension Monitor.Part {
  private static let ofFeed: [Setting] = [
    .id, .time, .xColumn, .yColumn, .maxAhead, .simulate, .velocity, .segment, .start,
  ]

  /// The options of the part.
  package var options: OptionTable<Monitor.Request> {
    self == .follow
      ? Monitor.options.only(Self.ofFeed)
      : Monitor.options.only(
        Monitor.options.options.map(\.option).filter { !Self.ofFeed.contains($0) }
      )
  }
}
