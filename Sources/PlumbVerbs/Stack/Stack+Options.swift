import Plumb
import PlumbBatch
import PlumbCore

extension Stack {
  private static let missing: [FrontEnd: String] = [
    .library: "C and Python do not write stores", .service: "a server does not write files",
  ]

  /// The options of `stack`.
  package static let options = OptionTable<Request>(
    [
      .texts(
        .rasters, \.rasters, group: "Input", valueName: "rasters",
        help: "Stacks, each a file, a pattern or NAME=FILES. Each becomes a variable of the store.",
        missing: missing),
      .texts(
        .dates, \.dates, group: "Time", valueName: "pattern",
        help: "The dates of the stacks' files, as for identify. May be repeated.", missing: missing),
      .word(
        .group, \.grouping, group: "Time", valueName: "group",
        help: "The files of one date, as for identify. A store has one file for each date.",
        missing: missing),
      .flag(
        .scaled, \.isScaled, group: "Store",
        help: "Store values with scale and offset applied, as floats with NaN for nodata.",
        missing: missing),
      .bytes(
        .chunkSize, \.chunkBytes, range: 1...64 << 20, group: "Store", valueName: "chunk-size",
        help: """
          The size of a chunk before compression, roughly. A chunk has all dates of a block of cells.
          """, missing: missing
      ).withDefault(.integer(1 << 20)),
      .text(
        .output, \.output, kind: .path, group: "Output", valueName: "output",
        help: "The store to write, a new folder such as evi.zarr.", missing: missing),
      .flag(
        .append, \.appends, group: "Output",
        help: "Add dates to an existing store, after its last date.", missing: missing),
      .flag(
        .resume, \.resumes, group: "Output",
        help: """
          Keep the chunks so far in the folder OUTPUT.resume, so that the same command continues after it was \
          killed.
          """, missing: missing),
      .integer(
        .threads, \.threads, range: 1...1024, group: "Run", valueName: "threads",
        help: "The number of threads.", missing: missing
      ).withDefault("one per processor"),
    ], rules: rules)

  private static let rules: [OptionRule] = [
    .needsOne([.output]),
    .excludes(.append, .chunkSize, advice: "a store keeps its chunks"),
    .excludes(
      .append, .resume, advice: "dates that are not complete are not visible, and are written again"
    ),
  ]
}
