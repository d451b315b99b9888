import Plumb
import PlumbCore

extension Buffer {
  private static let arguments = "the shapes and distances are arguments of the function"
  private static let returned = "the areas are returned"
  private static let replied = "the reply contains the areas as GeoJSON"
  private static let noFile: [FrontEnd: String] = [.library: returned, .service: replied]
  private static let noTable: [FrontEnd: String] = [
    .library: arguments, .service: "the features are GeoJSON",
  ]

  /// The options of `buffer`.
  package static let options = OptionTable<Request>(
    inputOptions + areaOptions + outputOptions + [.threads(\.threads)], rules: rules)

  private static let inputOptions: [VerbOption<Request>] = [
    .text(
      .input, \.input, kind: .path, group: "Input", valueName: "input",
      help: "The features: a file, or - for standard input.",
      missing: [.library: arguments, .service: "the request contains the features"]),
    .json(
      .features, \.features, group: "Input", valueName: "geojson",
      help: "The features as GeoJSON.",
      missing: [.command: "the features are read from a file", .library: arguments]),
    .points(
      .at, \.points, group: "Input", valueName: "x,y",
      help: "A point instead of a file; may be repeated.",
      missing: [.library: arguments]),
    .text(
      .layer, \.layer, group: "Input", valueName: "layer", help: "The layer of the input.",
      missing: noTable),
    .text(
      .xColumn, \.x, group: "Input", valueName: "x",
      help: "The column of eastings or longitudes: its name, or its number from 1.",
      missing: noTable),
    .text(
      .yColumn, \.y, group: "Input", valueName: "y",
      help: "The column of northings or latitudes.", missing: noTable),
    .text(
      .crs, \.crs, kind: .crs, group: "Input", valueName: "crs",
      help: """
        The coordinate reference system of the input.
        """,
      helpOverrides: [
        .library: """
        The coordinate reference system of the shapes. Default: the SRID of the first shape; all shapes \
        must have the same SRID. Without SRIDs, it is unknown.
        """
      ]
    ).withDefault("that of the input; for points EPSG:4326"),
  ]

  private static let areaOptions: [VerbOption<Request>] = [
    .numbers(
      .distance, \.distances, group: "Buffers", valueName: "d,d...",
      help: "Distances, one for each feature; the last one applies to all further features.",
      missing: [.library: arguments]),
    .text(
      .distanceField, \.distanceField, group: "Buffers", valueName: "field",
      help: "The column with each feature's distance.", missing: [.library: arguments]),
    .word(
      .unit, \.unit, group: "Buffers", valueName: "unit", help: "The unit of the distances."),
    .flag(
      .geodesic, \.isGeodesic, group: "Buffers",
      help: "Measure along the ellipsoid instead of in the plane of the CRS."),
    .number(
      .maxDeviation, \.maxDeviation, range: .positive("metres"), group: "Buffers",
      valueName: "m",
      help: """
        The largest deviation of the outline from the true one, in metres.
        """
    ).withDefault("the lesser of 0.2 % of the distance and 0.01"),
    .word(
      .curve, \.curve, group: "Buffers", valueName: "curve", usual: .geodesic,
      help: "The curve of the input's edges between their vertices."),
    .flag(
      .union, \.isUnion, group: "Buffers",
      help: "Join all areas into one, without attributes."),
  ]

  private static let outputOptions: [VerbOption<Request>] =
    VerbOption.files(\.output, \.overwrites, \.picture, missing: noFile)
    + VerbOption.table(\.outputTable, \.appends, missing: noFile) + [
      .format(
        \.format, served: ["geojson"],
        help: """
          geojson, geojsonseq, parquet, arrow (a stream), gpkg, csv or tsv with WKT, or another format that \
          GDAL writes. A server \
          replies with geojson.
          """, missing: [.library: returned]),
      .text(
        .outCRS, \.outCRS, kind: .crs, group: "Output", valueName: "out-crs",
        help: """
          The coordinate reference system of the output.
          """,
        helpOverrides: [
          .library: "The coordinate reference system of the areas. Default: that of the shapes."
        ]
      ).withDefault("that of the input; GeoJSON is always in WGS84"),
      .text(
        .types, \.types, group: "Output", valueName: "name=type,...",
        help: """
          The types of CSV columns in typed formats: name=int, real, text or bool, separated by commas, \
          or text for all.
          """, missing: noTable
      ).withDefault("as for identify"),
      .flag(
        .strict, \.isStrict, group: "Output",
        help: """
          Fail on uncertain transformations, and if the shape of a feature cannot be used.
          """),
      .flag(
        .bounds, \.hasBounds, group: "Output", help: "Add the extent of each area.",
        missing: [.command: "the output has the geometry", .service: "the reply has the geometry"]),
      .word(
        .layout, \.layout, group: "Output", valueName: "layout", usual: .wkb,
        help: "The encoding of areas.",
        missing: [.command: "the format of the file sets the encoding", .service: replied]),
    ]

  private static let rules: [OptionRule] =
    [
      .needsOne([.input, .features, .at]),
      .replaces(.at, [.input, .features, .layer, .xColumn, .yColumn, .distanceField, .types]),
      .needsOne([.distance, .distanceField]),
      .excludes(.distance, .distanceField, advice: "give one of them"),
      .needs(.maxDeviation, .geodesic, "\(.maxDeviation) needs \(.geodesic)"),
      .needs(.curve, .geodesic, "\(.curve) needs \(.geodesic)"),
    ] + VerbOption<Request>.tableRules
}
