import Plumb
import PlumbCore
import PlumbLayers

extension Zonal {
  private static let arguments = "the areas are arguments of the function"
  private static let noFile: [FrontEnd: String] = [
    .library: "the statistics are returned", .service: "the reply contains the statistics",
  ]
  private static let noTable: [FrontEnd: String] = [
    .library: arguments, .service: "the features are GeoJSON",
  ]
  private static let server = "the server's option cache applies"

  /// The options of `zonal`.
  package static let options = OptionTable<Request>(
    inputOptions + areaOptions + statisticOptions + dateOptions + outputOptions
      + [
        .threads(\.threads)
      ], rules: rules)

  private static let inputOptions: [VerbOption<Request>] = [
    .texts(
      .rasters, \.rasters, group: "Input", valueName: "rasters",
      help: "Rasters, each a file or NAME=PATH; in a request, the names of image services.",
      missing: [.library: "the rasters are arguments of the function"]),
    .texts(
      .names, \.names, group: "Input", valueName: "name",
      help: """
        A name for each raster; an empty name selects the default. Rasters are then paths without \
        NAME=.
        """,
      missing: [
        .command: "a raster is named with NAME=PATH", .service: "a raster is named with NAME=PATH",
      ]),
    .json(
      .features, \.features, group: "Input", valueName: "geojson",
      help: "The areas, or with \(.radius) the points, as GeoJSON.",
      missing: [.command: "the areas are read from a file", .library: arguments]),
    .text(
      .areas, \.areas, kind: .path, group: "Input", valueName: "areas",
      help: """
        The areas: a file that OGR can open, a layer of a map (MAP.json#LAYER), or - for standard \
        input.
        """,
      missing: [
        .library: arguments, .service: "the request contains the features",
      ]),
    .text(
      .points, \.points, kind: .path, group: "Input", valueName: "points",
      help:
        "Points instead of areas, as for identify; the areas are discs around them (\(.radius)).",
      missing: [
        .library: arguments, .service: "the request contains the features",
      ]),
    .text(
      .layer, \.layer, group: "Input", valueName: "layer",
      help: "The layer of the areas or points.", missing: noTable),
    .text(
      .xColumn, \.x, group: "Input", valueName: "x",
      help: "The points' column of eastings or longitudes: its name, or its number from 1.",
      missing: noTable),
    .text(
      .yColumn, \.y, group: "Input", valueName: "y",
      help: "The points' column of northings or latitudes.", missing: noTable),
    .text(
      .crs, \.crs, kind: .crs, group: "Input", valueName: "crs",
      help: "The coordinate reference system of the areas or points.",
      helpOverrides: [
        .library: """
        The coordinate reference system of the shapes. Default: the SRID of the first shape; all shapes \
        must have the same SRID. Without SRIDs, it is unknown.
        """
      ]
    ).withDefault("that of their file"),
    .bytes(
      .cache, \.cacheBytes, group: "Run", valueName: "cache",
      help: "Memory for decoded tiles.", missing: [.service: server]
    ).withDefault(.integer(512 << 20)),
    .flag(
      .explain, \.explains, group: "Run",
      help: "Print what is read and computed to standard error.",
      missing: [
        .library: "a function has no standard error", .service: "the reply has no explanation",
      ]),
  ]

  private static let areaOptions: [VerbOption<Request>] = [
    .radius(
      \.radius, group: "Areas",
      help: "The radius on the ground of the discs around points, for example 50m or 2km."),
    .text(
      .whereClause, \.condition, kind: .condition, group: "Areas", valueName: "condition",
      help: "Use only the areas or points that meet a condition.",
      missing: [.library: "the caller selects the rows"]),
    .text(
      .by, \.groupColumn, group: "Areas", valueName: "column",
      help:
        "Join the areas with equal values in a column into one area, in which each cell counts once.",
      missing: [.library: "the groups are an argument of the function"]),
    .word(
      .cells, \.cells, group: "Areas", valueName: "rule", usual: .exact,
      help: """
        The cells that count: each by its covered fraction (exact), those whose centre is in the area \
        (center), or all that the area touches (all-touched).
        """),
    .number(
      .coverageThreshold, \.threshold, range: .within(0...1, ""), group: "Areas",
      valueName: "fraction", help: "Ignore cells with a smaller covered fraction."),
    .text(
      .coverage, \.coverage, kind: .path, group: "Areas", valueName: "file",
      help: """
        A file of the covered cells: written by the first run, and read by later runs with the same areas, \
        grid and rule for cells.
        """,
      missing: [.service: "a request cannot name files"]),
  ]

  private static let statisticOptions: [VerbOption<Request>] = [
    .text(
      .statistics, \.statistics, group: "Statistics", valueName: "name,...",
      help: """
        count, sum, mean, min, max, range, median, quantile:Q, stdev, variance, cv, variety, majority, \
        minority, area, coverage, values, coverages, frac, min_center, max_center, weighted_mean, weighted_sum \
        and weighted_stdev, separated by commas.
        """
    ).withDefault(.text("count,mean,min,max")),
    .integers(
      .band, \.bands, range: 1...Int(Int32.max), group: "Statistics", valueName: "band",
      help: "Bands, from 1."
    ).withDefault("all"),
    .text(
      .weights, \.weights, group: "Statistics", valueName: "raster",
      help: """
        The weights of the cells: a raster, or area for their areas on the ground. Used by weighted_mean, \
        weighted_sum and weighted_stdev.
        """),
    .flag(
      .approximate, \.isApproximate, group: "Statistics",
      help: """
        Do not use a temporary file for quantiles of areas with millions of different values. The column \
        NAME_rank_error has their error.
        """,
      missing: [.service: "areas with so many values are refused"]),
    .flag(
      .scaled, \.isScaled, group: "Statistics",
      help: "Apply scale and offset to the values."),
    .flag(
      .classes, \.hasClasses, group: "Statistics",
      help: "Write one row per area and class of cells, with its count, area in m² and share."),
  ]

  private static let undated: [FrontEnd: String] = [
    .service: "the last date of an image service is used"
  ]

  private static let dateOptions: [VerbOption<Request>] = [
    .texts(
      .dates, \.dates, group: "Time", valueName: "pattern",
      help: """
        The dates of the rasters' files, as for identify. Each date has its own columns, NAME_DATE_STAT. May \
        be repeated.
        """, missing: undated),
    .word(
      .group, \.grouping, group: "Time", valueName: "group",
      help: """
        The files of one date: those of equal time, or those of one day in UTC.
        """, missing: undated
    ).withDefault("time; day for STAC items, and if files cover different areas"),
    .date(.from, \.from, help: "The first date that is read.", missing: undated),
    .date(.to, \.to, help: "The last date that is read, inclusive.", missing: undated),
  ]

  private static let rules: [OptionRule] =
    [
      .needsOne([.rasters]), .needsOne([.areas, .points, .features]),
      .excludes(.areas, .points, advice: "give one of them"),
      .needs(.points, .radius, "\(.points) needs \(.radius)"),
      .needs(.radius, .points, "\(.radius) needs \(.points)"),
      .needs(.xColumn, .points, "\(.xColumn) needs \(.points)"),
      .needs(.yColumn, .points, "\(.yColumn) needs \(.points)"),
      .excludes(.by, .points, advice: "give one of them"),
      .excludes(.classes, .statistics, advice: "classes have their own columns"),
      .excludes(.classes, .long, advice: "classes have one row each"),
      .excludes(.classes, .weights, advice: "classes have no weights"),
      .excludes(.approximate, .classes, advice: "classes are exact"),
      .excludes(.approximate, .long, advice: "rows of statistics have no column for the error"),
      .excludes(.classes, .picture, advice: "a picture shows one statistic"),
      .needs(.wide, .classes, "\(.wide) needs \(.classes)"),
    ] + VerbOption<Request>.tableRules

  private static let outputOptions: [VerbOption<Request>] =
    VerbOption.files(\.output, \.overwrites, \.picture, missing: noFile)
    + VerbOption.table(\.outputTable, \.appends, missing: noFile) + [
      .flag(
        .wide, \.isWide, group: "Output",
        help: "With \(.classes), write one column per class instead of one row."),
      .flag(
        .long, \.isLong, group: "Output",
        help: "Write one row per area, raster, band and statistic."),
      .format(
        \.format, served: ["geojson", "csv"],
        help: """
          csv or tsv without the shapes, geojson, geojsonseq, parquet, arrow (a stream), gpkg, or another \
          format that GDAL writes.
          """,
        missing: [
          .library: "the statistics are returned"
        ]
      ).withDefault("that of the output's extension, otherwise csv"),
      .flag(
        .strict, \.isStrict, group: "Output",
        help: """
          Fail on uncertain transformations, and if an area has to be repaired or cannot be used.
          """),
    ]
}

extension VerbOption {
  /// A length above 0 on the ground.
  static func radius(
    option: Setting = .radius,
    _ path: any WritableKeyPath<Request, IdentifyOptions.Tolerance?> & Sendable, group: String,
    help: MessageTemplate, missing: [FrontEnd: String] = [:]
  ) -> VerbOption {
    VerbOption(
      option: option, kind: .distance, group: group, valueName: "length", help: help,
      missing: missing, missingWords: [:],
      values: { $0[keyPath: path].map { [$0.text] } ?? [] },
      isAllowed: { request in
        switch request[keyPath: path] {
        case nil: true
        case .metres(let radius)?: radius > 0 && radius.isFinite
        case .pixels?, .mapUnits?: false
        }
      },
      read: { (request, json, _) throws(UnexpectedValue) in
        guard case .text(let text) = json, let radius = IdentifyOptions.Tolerance(text: text)
        else { throw UnexpectedValue() }
        request[keyPath: path] = radius
      })
  }
}
