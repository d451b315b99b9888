import Plumb
import PlumbBatch
import PlumbCore
import PlumbIO

extension Identify {
  private static let arguments = "the points are arguments of the function"
  private static let replied = "the reply contains the results"
  private static let returned = "the results are returned"
  private static let noFile: [FrontEnd: String] = [.library: returned, .service: replied]
  private static let zonal: [FrontEnd: String] = [
    .library: "plumb_zonal computes statistics", .service: "/api/zonal computes statistics",
  ]

  /// The options of `identify`.
  package static let options = OptionTable<Request>(
    sourceOptions + pointOptions + mapOptions + rasterOptions + timeOptions + outputOptions
      + runOptions,
    rules: rules)

  private static let sourceOptions: [VerbOption<Request>] = [
    .texts(
      .rasters, \.rasters, group: "Input", valueName: "rasters",
      help: "Rasters (a file, NAME=PATH, a folder of tiles, or a quoted pattern), or a map.",
      missing: [
        .library: "the rasters are arguments of the function",
        .service: "the server opens its maps when it starts",
      ]),
    .text(
      .map, \.map, group: "Input", valueName: "name",
      help: "The name of the map; needed when there are several.",
      missing: [.command: "the map is an argument", .library: "the map is a handle"]),
  ]

  private static let pointOptions: [VerbOption<Request>] = [
    .points(
      .at, \.at, group: "Input", valueName: "x,y", help: "A point; may be repeated.",
      missing: [.library: arguments]),
    table(
      .points, \.points, group: "Input", valueName: "points",
      help: """
        A file of points (CSV, TSV, GeoJSON, each also as .gz, or any OGR format); - is standard input.
        """, missing: [.library: arguments, .service: "the request body contains the points"]),
    .points(
      .pixel, \.pixel, group: "Input", valueName: "column,row",
      help: """
        A cell of a raster: its column and row, from 0. The raster need not be georeferenced. May be \
        repeated.
        """, missing: [.library: arguments]),
    table(
      .pixels, \.pixels, group: "Input", valueName: "points",
      help: """
        Cells instead of points: a CSV or TSV file with the columns column and row.
        """,
      helpOverrides: [
        .library: """
        Whether the points are columns and rows of the cells, counted from 0 at the outer corner of \
        the first cell.
        """,
        .service: "Whether the table contains cells, in the columns column and row.",
      ]),
    .text(
      .layer, \.layer, group: "Input", valueName: "layer",
      help: """
        Identify only the layer of the map with this id. With rasters, it is the same as \
        \(.pointsLayer).
        """,
      helpOverrides: [
        .library: "Identify only the layer with this id.",
        .service: "Identify only the layer with this id.",
      ]),
    .text(
      .pointsLayer, \.pointsLayer, group: "Input", valueName: "points-layer",
      help: "The layer of the file of points.",
      missing: [.library: arguments, .service: "the request body has one layer"]),
    .text(
      .crs, \.crs, kind: .crs, group: "Input", valueName: "crs",
      help: """
        The coordinate reference system of the points, for example EPSG:4326.
        """, missing: [.library: "the CRS is an argument of the function"]
    ).withDefault("that of the file, otherwise that of the rasters or the map"),
    .text(
      .xColumn, \.x, group: "Input", valueName: "x",
      help: "The column of eastings or longitudes: its name, or its number from 1.",
      missing: [.library: arguments]),
    .text(
      .yColumn, \.y, group: "Input", valueName: "y",
      help: "The column of northings or latitudes.", missing: [.library: arguments]),
  ]

  private static let mapOptions: [VerbOption<Request>] = [
    VerbOption(
      option: .tolerance, kind: .length, group: "Map options", valueName: "length",
      help: """
        The radius of the circle around the point, for example 50m, or 12px with \(.scale).
        """, missing: [:], missingWords: [:],
      values: { $0.tolerance == nil ? [] : ["a length"] },
      read: { (request, json, _) throws(VerbOption<Request>.UnexpectedValue) in
        switch json {
        case .integer(0), .real(0): request.tolerance = .exact
        case .text(let text):
          guard let tolerance = IdentifyOptions.Tolerance(text: text) else {
            throw VerbOption<Request>.UnexpectedValue()
          }
          request.tolerance = tolerance
        default: throw VerbOption<Request>.UnexpectedValue()
        }
      }
    ).withDefault(.integer(0)),
    .number(
      .scale, \.scale, range: .any, group: "Map options", valueName: "50000",
      help: """
        The denominator of the scale. With it, symbol sizes and the scale ranges of layers apply.
        """),
    VerbOption(
      option: .maxResults, kind: .limit, group: "Map options", valueName: "max-results",
      help: "The maximum number of elements of a layer, or all.", missing: [:],
      missingWords: [:],
      values: { $0.maxResults == nil ? [] : ["a number"] },
      read: { (request, json, frontEnd) throws(VerbOption<Request>.UnexpectedValue) in
        let text: String? =
          switch json {
          case .integer(let number): String(number)
          case .real(let number) where frontEnd == .service: NumberRange.shown(number)
          case .text(let text) where frontEnd == .service || text.lowercased() == "all": text
          default: nil
          }
        guard let limit = text.flatMap({ ResultLimit(text: $0) }) else {
          throw VerbOption<Request>.UnexpectedValue()
        }
        request.maxResults = limit
      }
    ).withDefault(.integer(1)),
    .flag(
      .popupsOnly, \.popupsOnly, group: "Map options",
      help: "Return popups instead of elements; layers without popups are omitted."),
    .text(
      .whereClause, \.condition, kind: .condition, group: "Map options", valueName: "condition",
      help: "Identify only the features of \(.layer) that meet a condition."),
    .text(
      .layers, \.layers, group: "Map options", valueName: "show:n,...",
      help: "The layers to identify by number, visible or not, for example show:1,4.",
      missing: [
        .command: "a layer is selected by its id", .library: "a layer is selected by its id",
      ]),
  ]

  private static let rasterOptions: [VerbOption<Request>] = [
    .integers(
      .band, \.bands, range: 1...Int(Int32.max), group: "Raster options", valueName: "band",
      help: "Bands, from 1."
    ).withDefault("all"),
    .word(
      .resampling, \.resampling, group: "Raster options", valueName: "resampling",
      usual: .nearest,
      help: """
        The value at a point: that of its cell, or a double interpolated from 4 or 16 cells.
        """),
    .flag(
      .scaled, \.isScaled, group: "Raster options",
      help: "Apply scale and offset; the values are then doubles."),
    .radius(
      \.radius, group: "Raster options",
      help: """
        Return statistics of the cells within this distance on the ground of each point, for example 50m or \
        2km, instead of values.
        """, missing: zonal),
    .text(
      .statistics, \.statistics, group: "Raster options", valueName: "name,...",
      help: """
        The statistics within \(.radius), as for zonal: count, sum, mean, median, area and others, separated \
        by commas.
        """, missing: zonal
    ).withDefault(.text("count,mean,min,max")),
    .bytes(
      .cache, \.cacheBytes, group: "Raster options", valueName: "cache",
      help: "Memory for decoded tiles.",
      missing: [.service: "the server's option cache applies"]
    ).withDefault(.integer(512 << 20)),
    .flag(
      .once, \.isUsedOnce, group: "Raster options",
      help: "Do not keep tiles after the call; for a sampler that is called once.",
      missing: [
        .command: "a run reads its points only once",
        .service: "the server keeps tiles in its cache",
      ]),
    .texts(
      .names, \.names, group: "Raster options", valueName: "name",
      help: """
        A name for each raster; an empty name selects the default. Rasters are then paths without \
        NAME=.
        """,
      missing: [
        .command: "a raster is given as NAME=PATH",
        .service: "the server's rasters already have names",
      ]),
  ]

  private static let undated: [FrontEnd: String] = [
    .service: "the map document has the dates of its layers"
  ]

  private static let timeOptions: [VerbOption<Request>] = [
    .texts(
      .dates, \.dates, group: "Time", valueName: "pattern",
      help: """
        The dates of the rasters' files: a pattern for their names without extension, such as MOD13Q1_%Y%j, \
        with the codes of strptime and the wildcards * and ?; tag:ITEM, a metadata item such as an acquisition \
        time; or a CSV file with the columns file, date and optionally end. May be repeated. Variables of arrays \
        (FILE#VARIABLE) and assets of STAC items (FILE.json#ASSET) have their own dates.
        """, missing: undated),
    .word(
      .group, \.grouping, group: "Time", valueName: "group",
      help: """
        The files of one date: those of equal time, or those of one day in UTC.
        """, missing: undated
    ).withDefault("time; day for STAC items, and if files cover different areas"),
    .date(
      .date, \.date,
      help: """
        The date for a map's layers with dates. Each layer is read with its nearest date, at a distance of at most \
        \(.within) if that is given.
        """, missing: [.library: "layers with dates are read with their last dates"]
    ).withDefault("the last date of each layer"),
    .text(
      .when, \.when, group: "Time", valueName: "column",
      help: """
        The column with the time of each row. Each raster returns its value on the matching date. Times are in ISO \
        8601, or seconds or milliseconds since 1970. COLUMN:FORMAT selects another format: s, ms, us, ns, or \
        a pattern such as %d/%m/%Y.
        """,
      missing: [.library: "the times are an argument of the function"]),
    .word(
      .match, \.match, group: "Time", valueName: "match", usual: .nearest,
      help: """
        The matching date: the nearest date (if two are equally near, the earlier one), the last date before, or \
        the first date after the time.
        """),
    .checkedText(
      .within, \.within, kind: .span, group: "Time", valueName: "16d",
      help: "The largest distance of a date from the time, with the unit s, min, h, d or w.",
      isAllowed: { $0.within == nil || $0.window != nil }),
    .text(
      .valid, \.valid, kind: .condition, group: "Time", valueName: "condition",
      help: """
        Use only dates whose cells meet this condition on the rasters, such as (qa & 3) = 0. It has the operators \
        & | ^ << >> on integers.
        """),
    .radius(
      option: .search, \.search, group: "Time",
      help: """
        Where no date is valid at the point, use the nearest cell on the ground that has a valid date, within this \
        distance, for example 500m. Adds a column NAME_distance, in metres.
        """),
    .word(
      .interpolate, \.interpolation, group: "Time", valueName: "interpolate",
      help: """
        Return the value on the line between the nearest dates with a value before and after the time, both \
        at a distance of at most \(.within).
        """),
    .text(
      .reduce, \.reductions, group: "Time", valueName: "name,...",
      help: """
        Return statistics of the values of all dates at a distance of at most \(.within) from the time: mean, min, \
        max, count and slope (per day, by least squares), separated by commas.
        """),
    .flag(
      .series, \.isSeries, group: "Time",
      help: "Read all dates: one column for each date of a raster."),
    .date(
      .from, \.from, help: "The first date of the series."),
    .date(
      .to, \.to, help: "The last date of the series, inclusive."),
    .flag(
      .long, \.isLong, group: "Time",
      help: """
        Write a row for each date: the input's columns, then stack, band, date, value and status.
        """,
      missing: [.library: "the function has one column for each date"]),
    .flag(
      .resume, \.resumes, group: "Time",
      help: """
        Keep the results so far in the folder OUTPUT.resume, so that the same command continues after it was \
        killed.
        """, missing: noFile),
  ]

  private static let outputOptions: [VerbOption<Request>] =
    VerbOption.files(\.output, \.overwrites, \.picture, missing: noFile)
    + VerbOption.table(\.outputTable, \.appends, missing: noFile) + [
      .format(
        \.format, served: ["json"] + Request.servedFormats,
        help: """
          The format: csv, tsv, jsonl, geojson, geojsonseq, parquet, arrow (a stream), gpkg or another \
          format that GDAL writes for tables; text or json at single points; tree or json for a map. A server \
          replies with json, and to tables with csv, tsv, jsonl, geojson, geojsonseq, parquet or arrow.
          """, missing: [.library: returned]),
      .text(
        .types, \.types, group: "Output", valueName: "name=type,...",
        help: """
          The types of CSV columns in typed formats: name=int, real, text or bool, separated by commas, \
          or text for all.
          """, missing: [.library: returned]
      ).withDefault(
        "numbers if all values of the column in a file are numbers in their usual form; text from a pipe"
      ),
      .flag(
        .status, \.hasStatus, group: "Output", help: "Add a column NAME_status."),
      .flag(
        .provenance, \.hasProvenance, group: "Output",
        help: "Add columns NAME_file, NAME_row and NAME_column.",
        missing: [.service: "a server does not disclose the paths of its files"]),
      fields,
      .flag(
        .strict, \.isStrict, group: "Output",
        help: """
          Fail on uncertain transformations, warnings about layers, and rows whose values cannot be \
          read.
          """),
    ]

  private static let fields = VerbOption<Request>(
    option: .fields, kind: .texts, group: "Output", valueName: "layer.field",
    help: "The columns to return, in order.",
    missing: [.command: "rows have all columns", .service: "rows have all columns"],
    missingWords: [:],
    values: { $0.fields.map { $0.isEmpty ? ["none"] : $0 } ?? [] },
    read: { (request, json, _) throws(VerbOption<Request>.UnexpectedValue) in
      var items = [json]
      if let list = json.elements { items = list }
      var names: [String] = []
      for item in items {
        guard case .text(let name) = item else { throw VerbOption<Request>.UnexpectedValue() }
        names.append(name)
      }
      request.fields = names
    })

  private static let runOptions: [VerbOption<Request>] = [
    .threads(\.threads),
    .integer(
      .connections, \.connections, range: 1...256, group: "Run", valueName: "connections",
      help: "The maximum number of simultaneous requests to servers in the process.",
      missing: [.service: "the limit applies to the whole server"]
    ).withDefault(.integer(8)),
    .access(\.access),
  ]

  /// Creates an option for a table of points or cells. In the command, its value is a path. In
  /// other front ends, the table is part of the call.
  private static func table(
    _ option: Setting, _ path: any WritableKeyPath<Request, Table?> & Sendable, group: String,
    valueName: String, help: MessageTemplate, helpOverrides: [FrontEnd: MessageTemplate] = [:],
    missing: [FrontEnd: String] = [:]
  ) -> VerbOption<Request> {
    VerbOption(
      option: option, kind: .table, group: group, valueName: valueName, help: help,
      helpOverrides: helpOverrides, missing: missing, missingWords: [:],
      values: { $0[keyPath: path] == nil ? [] : ["a table"] },
      read: { (request, json, frontEnd) throws(VerbOption<Request>.UnexpectedValue) in
        request[keyPath: path] = try VerbOption<Request>.truth(of: json, frontEnd) ? .inline : nil
      })
  }

  /// The options that apply only to maps.
  static let ofMaps: [Setting] = [
    .tolerance, .scale, .maxResults, .popupsOnly, .whereClause, .layers, .date,
  ]

  private static let rules: [OptionRule] =
    [
      .needsOne([.rasters]), .needsExactlyOne([.at, .points, .pixel, .pixels]),
      .replaces(.pixel, ofMaps + [.layer]), .replaces(.pixels, ofMaps),
      .excludes(.crs, .pixel, advice: "columns and rows have no CRS"),
      .excludes(.crs, .pixels, advice: "columns and rows have no CRS"),
      .needAny(
        [
          .pointsLayer, .output, .types, .xColumn, .yColumn, .scaled, .status, .provenance, .fields,
        ], of: [.points, .pixels]),
      .needAny([.overwrite], of: [.points, .pixels, .picture]),
      .needAny([.picture], of: [.at]),
      .needAny([.whereClause], of: [.layer]), .needAny([.table], of: [.points]),
      .needAny([.radius], of: [.points, .at]),
      .needs(.statistics, .radius, "\(.statistics) needs \(.radius)"),
      .needAny([.dates, .group, .valid], of: [.when, .series]),
      .needAny([.match, .search, .interpolate, .reduce], of: [.when]),
      .needAny([.within], of: [.when, .date]),
      .needs(.search, .valid, "\(.search) needs \(.valid)"),
      .excludes(.search, .interpolate, advice: "a value between dates has no single cell"),
      .excludes(.search, .reduce, advice: "statistics are those of the point's own cell"),
      .replaces(.reduce, [.match, .interpolate, .provenance]),
      .replaces(.interpolate, [.match, .provenance]),
      .needAny([.from, .to, .long], of: [.series]),
      .excludes(.when, .series, advice: "a series has all dates"),
      .needAny([.series], of: [.points, .at]), .needAny([.long], of: [.points]),
      .needAny([.resume], of: [.when, .series]), .needAny([.resume], of: [.output]),
      .replaces(.series, ofMaps + [.radius, .picture]), .replaces(.long, [.provenance]),
      .needs(.when, .within, "\(.when) needs \(.within)"),
      .needAny([.when], of: [.points]),
      .replaces(.when, ofMaps + [.radius]),
      .replaces(.radius, ofMaps + [.resampling, .types, .status, .provenance, .picture]),
    ] + VerbOption<Request>.tableRules

  /// Checks the options of a request.
  ///
  /// - Throws: `OptionViolation`, or `LayerError` for an invalid tolerance or scale.
  package static func check(_ request: Request, by frontEnd: FrontEnd) throws {
    try options.check(request, by: frontEnd)
    if request.table == nil, let format = request.format {
      guard let known = PrintFormat(word: format) else {
        throw OptionViolation(
          "\(.format, format.shown): with \(.at), the format is text, tree or json")
      }
      guard !request.isSeries || known == .json else {
        throw OptionViolation(
          "\(.format, format.shown): with \(.at) and \(.series), the format is json")
      }
    }
    _ = try ColumnTypes(option: request.types)
    if let discs = request.discs {
      if let statistic = try discs.statisticList().first(where: \.needsWeights) {
        throw PlumbError(
          messageTemplate: "\(.statistics): \(statistic.name) needs weights; use zonal",
          code: .badOption)
      }
      try Zonal.check(discs, by: frontEnd)
    }
    try request.mapOptions.check()
    try BandList.check(request.bands)
    _ = try request.period
    _ = try request.reductions.map(DateReduction.list)
  }

  /// The format of results at single points.
  enum PrintFormat: String, OptionWord { case text, tree, json }
}

extension Identify.Part {
  /// The front end that the part belongs to.
  var frontEnd: FrontEnd {
    switch self {
    case .mapOpen, .samplerOpen, .sampleDates, .mapPoint, .mapPoints: .library
    case .points, .table: .service
    }
  }

  /// The options of the part.
  package var options: OptionTable<Identify.Request> {
    let table = Identify.options.only(settings)
    return switch self {
    case .points: table.serving([Identify.PrintFormat.json.word], as: .format)
    case .table: table.serving(Identify.Request.servedFormats, as: .format)
    default: table
    }
  }

  private static let map: [Setting] = [
    .tolerance, .scale, .maxResults, .popupsOnly, .layer, .whereClause, .strict,
  ]
  private static let opening: [Setting] = [
    .band, .resampling, .cache, .threads, .access, .connections,
  ]

  private var settings: [Setting] {
    switch self {
    case .mapOpen: Self.opening
    case .samplerOpen: Self.opening + [.names, .scaled, .once, .pixels, .dates, .group]
    case .sampleDates:
      [
        .match, .within, .valid, .search, .interpolate, .reduce, .series, .from, .to, .status,
        .provenance,
        .strict,
      ]
    case .mapPoint: Self.map
    case .mapPoints: Self.map + [.scaled, .status, .provenance, .fields]
    case .points:
      Self.map + [.map, .at, .pixel, .crs, .layers, .band, .resampling, .format, .date, .within]
        + [.valid, .series, .from, .to]
    case .table:
      Self.map + [
        .map, .pixels, .xColumn, .yColumn, .crs, .layers, .band, .resampling, .scaled, .format,
        .types, .status, .date, .when, .match, .within, .valid, .search, .interpolate, .reduce,
        .series, .from, .to, .long,
      ]
    }
  }
}
