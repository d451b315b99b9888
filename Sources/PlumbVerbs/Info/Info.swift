import Plumb
import PlumbBatch
import PlumbCore

/// The verb `info`: describes rasters, maps, networks, features and feeds.
package enum Info {
  /// The options of an info request.
  package struct Request: Sendable, Equatable {
    package var paths: [String] = []
    package var format: Format?
    package var writesIndex = false
    /// The patterns or tables with the dates of the rasters' files.
    package var dates: [String] = []
    package var grouping: DatedStack.Grouping?
    package var access: FileAccess?

    package init() {}
  }

  /// The format of descriptions.
  package enum Format: String, OptionWord {
    case text
    /// One object per line.
    case json
  }

  /// The options of `info`.
  package static let options = OptionTable<Request>(
    [
      .texts(
        .paths, \.paths, group: "Input", valueName: "paths",
        help: """
          Rasters (a file, a folder of tiles, or a quoted pattern), map documents, networks, files of \
          features or points (also as .gz), lines to simulate, and recordings of NMEA sentences or \
          gpsd.
          """,
        missing: [.library: "the path is an argument of the function", .service: served]),
      .word(
        .format, \.format, group: "Output", valueName: "format", usual: .text,
        help: "The format: text, or json with one object per line.",
        missing: [.library: "the description is JSON", .service: served]),
      .flag(
        .index, \.writesIndex, group: "Output",
        help: """
          Write an index, .plumb-index.json, into each folder of tiles, so that later runs open only \
          the tiles under the points. Tiles that change later are opened as if there were no index.
          """, missing: [.library: "the command writes indexes", .service: served]),
      .texts(
        .dates, \.dates, group: "Input", valueName: "pattern",
        help: """
          Also print the first and last date, the gaps and the duplicates of a raster whose files have these \
          dates, as for identify. May be repeated.
          """, missing: [.library: "the function describes files without dates", .service: served]),
      .word(
        .group, \.grouping, group: "Input", valueName: "group",
        help: "The files of one date: those of equal time, or those of one day in UTC.",
        missing: [.library: "the function describes files without dates", .service: served]),
      .access(\.access),
    ],
    rules: [
      .excludes(.dates, .index, advice: "an index has no dates")
    ])

  private static let served = "a server describes its maps"

  /// Whether a path is a document: a map or a network.
  package static func isDocument(_ path: String) -> Bool {
    Map.isDocument(path: path) || (try? OpenedNetwork.form(of: path)) != nil
  }

  /// Describes the paths of a request.
  ///
  /// - Throws: the first error, after the preceding descriptions have been written.
  package static func run(_ request: Request, in context: RunContext) throws {
    try options.check(request, by: context.frontEnd)
    let format = request.format ?? (context.frontEnd == .command ? .text : .json)
    let access = request.access.map { FileAccess.files($0) } ?? context.access
    let output = try RunOutput(context, path: nil, overwrite: false)
    for (number, path) in request.paths.enumerated() {
      if request.writesIndex {
        let written = try Raster.writeIndex(ofFolder: path, access: access)
        context.remark("\(written.printable) written")
      }
      let facts =
        try request.dates.isEmpty && request.grouping == nil
        ? facts(path, request, access, context)
        : datedFacts(RasterInfo(path, access: access), request, access, context)
      let separator = number > 0 && format == .text ? "\n" : ""
      let text = format == .json ? facts.json() : separator + facts.text()
      try output.write(Array((text + "\n").utf8))
      for line in GDALMessages.drain() { context.warn(MessageTemplate(line)) }
    }
  }

  private typealias Facts = (text: () -> String, json: () -> String)

  /// The description of a raster with its dates.
  private static func datedFacts(
    _ info: RasterInfo, _ request: Request, _ access: DocumentAccess, _ context: RunContext
  ) throws -> Facts {
    let dates = try ImageDates(request.dates, access: access)
    let stacks = try DatedStack.open([info.raster], dates, grouping: request.grouping)
    for line in info.raster.memberDates?.warnings ?? [] { context.warn(MessageTemplate(line)) }
    return facts(info, DateAxis(stacks[0]))
  }

  private static func facts(_ info: RasterInfo, _ axis: DateAxis) -> Facts {
    (
      { info.text + "\n" + axis.text },
      { String(info.json.dropLast()) + ",\"dates\":" + axis.json + "}" }
    )
  }

  private static func facts(
    _ path: String, _ request: Request, _ access: DocumentAccess, _ context: RunContext
  ) throws -> Facts {
    let uses = context.uses
    if Map.isDocument(path: path) {
      let map = try Map.open(path: path, access: access, signIn: context.signIn)
      map.notes.forEach(context.remark)
      let info = MapInfo(
        map, path: path, names: context.frontEnd == .command ? context.frontEnd.spellings : [:])
      return ({ info.text }, { info.json })
    }
    // A file that is not a network is opened as a raster, which may fail.
    if (try? OpenedNetwork.form(of: path)) != nil {
      let info = try NetworkInfo(
        try OpenedNetwork.open(path: path, access: access, signIn: context.signIn), names: uses)
      return ({ info.text }, { info.json })
    }
    do {
      let info = try RasterInfo(path, access: access)
      if info.raster.memberDates != nil {
        return try datedFacts(info, request, access, context)
      }
      if info.raster.bands.contains(where: { $0.namedDate != nil }),
        let stack = try? DatedStack(info.raster, ImageDates([], access: access))
      {
        return facts(info, DateAxis(stack))
      }
      return ({ info.text }, { info.json })
    } catch {
      // Discards messages of raster drivers about files that are not rasters.
      _ = GDALMessages.drain()
      if STACSelection.isAsset(path) { throw error }
      // A file that is not a raster may contain features or NMEA sentences.
      if let info = try VectorInfo(path, access: access, names: uses) {
        return ({ info.text }, { info.json })
      }
      guard let info = FeedInfo(path, names: uses) else {
        throw Map.documentFault(path: path).map { PlumbError($0) } ?? error
      }
      return ({ info.text }, { info.json })
    }
  }
}
