import Plumb
import PlumbCore

extension Zonal {
  private static let missing: [FrontEnd: String] = [
    .library: "only the command computes statistics of areas",
    .service: "only the command computes statistics of areas",
  ]

  /// The options of `zonal`.
  package static let options = OptionTable<Request>(
    inputOptions + outputOptions
      + [
        .integer(
          .threads, \.threads, range: 1...1024, group: "Run", valueName: "threads",
          help: "Threads. Default: one for each processor.", missing: missing)
      ], rules: [.needsOne([.areas])])

  private static let inputOptions: [VerbOption<Request>] = [
    .texts(
      .rasters, \.rasters, group: "Input", valueName: "rasters",
      help: "Rasters, each a file or NAME=PATH.", missing: missing),
    .text(
      .areas, \.areas, kind: .path, group: "Input", valueName: "areas",
      help: "The areas: a file that OGR opens, or - for standard input.", missing: missing),
    .text(
      .layer, \.layer, group: "Input", valueName: "layer", help: "The layer of the areas.",
      missing: missing),
    .text(
      .crs, \.crs, kind: .crs, group: "Input", valueName: "crs",
      help: "The coordinate reference system of the areas. Default: that of their file.",
      missing: missing),
    .text(
      .statistics, \.statistics, group: "Statistics", valueName: "name,...",
      help: """
        count, sum, mean, min, max, range, median, quantile:Q, stdev, variance, cv, variety, majority, \
        minority, coverage, values and coverages, separated by commas. Default: count,mean,min,max.
        """, missing: missing),
    .integers(
      .band, \.bands, range: 1...Int(Int32.max), group: "Statistics", valueName: "band",
      help: "Bands, from 1. Default: all.", missing: missing),
    .bytes(
      .cache, \.cacheBytes, group: "Run", valueName: "cache",
      help: "Memory for decoded tiles. Default: 512 MB.", missing: missing),
  ]

  private static let outputOptions: [VerbOption<Request>] = [
    .text(
      .output, \.output, kind: .path, group: "Output", valueName: "output",
      help: "The file to write. Default, and for -: standard output.", missing: missing),
    .flag(
      .overwrite, \.overwrites, group: "Output", help: "Replace an existing output.",
      missing: missing),
    .text(
      .format, \.format, group: "Output", valueName: "format",
      help: """
        csv or tsv without the shapes, geojson, geojsonseq, gpkg, or another format that GDAL writes. \
        Default: that of the output's name, else csv.
        """, missing: missing),
    .flag(
      .strict, \.isStrict, group: "Output",
      help: "Fail if an area has to be repaired or cannot be used.", missing: missing),
  ]
}
