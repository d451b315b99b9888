import Plumb
import PlumbBatch
import PlumbCore
import PlumbIO
import PlumbLayers

extension Identify {
  /// The open rasters or the open map of an identify request.
  package enum Subject {
    case map(OpenedMap)
    /// Rasters, and the cache of their tiles.
    case rasters([Raster], TileCache)
    /// Rasters that are read by column and row, and the cache of their tiles.
    case cells([Raster], TileCache)
    /// The layers with dates of a map, if all or several of their dates are read.
    case stacks([DatedStack], OpenedMap)
  }

  /// Identifies at the points of a request and writes the results.
  ///
  /// - Parameters:
  ///   - subject: the rasters or map of the request; nil to open them.
  ///   - context: receives the results and the warnings.
  /// - Throws: `OptionViolation` for an invalid combination of options, `CancellationError` for cancelled
  ///   work, or else the first error. A run that throws leaves no output file.
  package static func run(
    _ request: Request, on subject: Subject? = nil, in context: RunContext
  ) throws -> Outcome {
    try check(request, by: context.frontEnd)
    if let connections = request.connections { RemoteRasters.connections = connections }
    if let discs = request.discs {
      if let map = request.rasters.first(where: { Map.isDocument(path: $0) }) {
        throw violation(
          "\(.radius) is only for rasters, and \(map.shown) is a map; use \(.tolerance)")
      }
      try checkRasters(request)
      try Zonal.run(discs, at: request.at, in: context)
      return .done
    }
    let workers = context.workers ?? Workers(count: request.threads)
    var subject = try subject ?? open(request, workers, context)
    switch subject {
    case .map(let opened):
      try checkMap(request)
      if request.readsStacks {
        subject = .stacks(try stacks(of: opened.map, request, in: context), opened)
      }
    case .rasters(let rasters, _):
      try checkRasters(request)
      try checkDates(of: rasters, request)
    case .cells: try checkRasters(request)
    case .stacks: break
    }
    guard request.table != nil else {
      return try runPoints(request, on: subject, workers, in: context)
    }
    try runTable(request, on: subject, workers, in: context)
    return .done
  }

  private static func violation(_ messageTemplate: MessageTemplate) -> OptionViolation {
    OptionViolation(
      messageTemplate)
  }

  private static func checkMap(_ request: Request) throws {
    guard !request.areCells else {
      throw violation("cells belong to rasters: give a raster of the map instead")
    }
    guard request.table != nil || request.format.flatMap({ PrintFormat(word: $0) }) != .text else {
      throw violation("\(.format): with a map, the format is tree or json")
    }
  }

  /// - Throws: if the dates of several files would be read as one mosaic.
  package static func checkDates(of rasters: [Raster], _ request: Request) throws {
    guard request.when == nil, !request.isSeries,
      let dated = rasters.first(where: { $0.isMosaic && $0.hasDates })
    else { return }
    throw violation("the files of \(dated.name.printable) have dates: give \(.when) or \(.series)")
  }

  private static func checkRasters(_ request: Request) throws {
    if let option = options.options.first(where: {
      ofMaps.contains($0.option) && $0.isSpecified(in: request)
    }) {
      throw violation("\(option.option) needs a map: name one map document, for example MAP.json")
    }
    if request.table == nil {
      if request.format.flatMap({ PrintFormat(word: $0) }) == .tree {
        throw violation("\(.format, "tree") needs a map")
      }
      if request.layer != nil { throw violation("with rasters, \(.layer) needs \(.points)") }
    }
    if request.layer != nil, request.pointsLayer != nil {
      throw violation("\(.layer) and \(.pointsLayer) are the same for rasters; give one of them")
    }
  }

  private static func open(
    _ request: Request, _ workers: Workers, _ context: RunContext
  ) throws -> Subject {
    let cache = TileCache(capacity: request.cacheBytes ?? RunContext.defaultCache)
    guard let first = request.rasters.first else {
      preconditionFailure("a front end without paths passes what is open")
    }
    if Map.isDocument(path: first) {
      guard request.rasters.count == 1 else {
        throw violation("give one map, or one or more rasters")
      }
      let (access, signIn) = (context.access, context.signIn)
      let open: @Sendable () throws -> Map = {
        try Map.open(path: first, access: access, signIn: signIn, workers: workers)
      }
      let map = try open()
      map.notes.forEach(context.remark)
      return .map(OpenedMap(map, cache: cache, reopen: open))
    }
    if options.options.contains(where: { ofMaps.contains($0.option) && $0.isSpecified(in: request) }
    ) {
      if let reason = Map.documentFault(path: first) { throw PlumbError(reason) }
      if Map.isMissing(path: first) { throw noSuchFile(first) }
      try checkRasters(request)
    }
    do {
      return .rasters(
        try [Raster].open(
          request.rasters, access: context.access, workers: workers, readsDates: true), cache)
    } catch {
      // A raster may also be described in JSON, so the faults of a map document matter only if GDAL cannot
      // open the file.
      for path in request.rasters {
        if let reason = Map.documentFault(path: path) { throw PlumbError(reason) }
      }
      throw error
    }
  }

  // MARK: Tables

  private static func runTable(
    _ request: Request, on subject: Subject, _ workers: Workers, in context: RunContext
  ) throws {
    var options = try request.batch(in: context)
    options.workers = workers
    let target: BatchTarget
    switch subject {
    case .map(let opened):
      let query = try request.query(in: context)
      options.layer = request.pointsLayer
      options.cache = opened.cache
      target = .map(try opened.map(for: query), query.options, layer: query.layer)
    case .rasters(let rasters, let cache), .cells(let rasters, let cache):
      options.layer = request.layer ?? request.pointsLayer
      options.cache = cache
      target = .rasters(rasters)
    case .stacks(let stacks, let opened):
      options.layer = request.pointsLayer
      options.cache = opened.cache
      options.defaultReference = opened.map.resolvedReference
      options.stacks = stacks
      target = .rasters(stacks.map(\.raster))
    }
    let batch = try BatchIdentify(target, options)
    if let note = context.note { try batch.explanation().forEach(note) }
    let summary: BatchIdentify.Summary
    do {
      defer {
        context.endProgress()
        batch.warnings.forEach(context.warn)
      }
      summary = try batch.run(progress: context.progress)
    }
    context.collectLibraryMessages()
    if let note = context.note { batch.account(of: summary).forEach(note) }
  }
}

extension Identify.Request {
  /// The options of the request as options of `BatchIdentify`.
  ///
  /// - Throws: for a CRS that PROJ does not find, and for invalid column types, dates or patterns of dates.
  func batch(in context: RunContext) throws -> BatchIdentify.Options {
    var path = ""
    if case .file(let file)? = table { path = file }
    var options = BatchIdentify.Options(points: context.tables?.input ?? path)
    (options.x, options.y, options.reference) = (x, y, try reference)
    options.takesCells = areCells
    options.output = context.tables?.output ?? output
    options.format = format
    options.types = try ColumnTypes(option: types)
    (options.bands, options.resampling) = (bandIndices, resampling ?? .nearest)
    options.columns = columns
    (options.isStrict, options.overwrites) = (isStrict, overwrites)
    options.table = try DatabaseTable(
      output: output, outputTable, overwrites, appends: appends)
    options.access = context.access
    options.workers = context.workers ?? Workers(count: threads)
    options.names = context.frontEnd.spellings
    options.limits = context.limits
    options.dates = try dateOptions(context.access)
    options.series = try seriesOptions(context.access)
    options.resume = resumption
    return options
  }

  /// The columns that are written in addition to the values.
  var columns: ResultColumns.Options {
    ResultColumns.Options(
      isScaled: isScaled, hasStatus: hasStatus, hasProvenance: hasProvenance)
  }

  /// The query for points of a map.
  ///
  /// - Throws: for a CRS that PROJ does not find, and for invalid layer numbers.
  package func query(in context: RunContext) throws -> OpenedMap.Query {
    var query = OpenedMap.Query(options: mapOptions, reference: try reference)
    if let layers, let leaves = try context.layers?(layers, scale) {
      (query.options.leaves, query.options.includesHidden) = (leaves, true)
    }
    (query.layer, query.condition) = (layer, condition)
    (query.bands, query.resampling) = (bandIndices, resampling ?? .nearest)
    query.options.moment = try moment
    return query
  }
}
