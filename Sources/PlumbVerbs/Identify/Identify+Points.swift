import Plumb
import PlumbBatch
import PlumbCore
import PlumbIO
import PlumbLayers

extension Identify {
  /// Identifies at the single points of a request and writes all results at once.
  static func runPoints(
    _ request: Request, on subject: Subject, _ workers: Workers, in context: RunContext
  ) throws -> Outcome {
    let points = request.areCells ? request.pixel : request.at
    if let maximum = context.limits.rows, points.count > maximum {
      throw PlumbError("more than \(maximum) points", code: .limit)
    }
    let output = try RunOutput(context, path: nil, overwrite: false)
    if request.isSeries {
      return try runSeries(request, on: subject, at: points, output, in: context)
    }
    let text = PointText(request, output, context)
    switch subject {
    case .map(let opened):
      let picture = try ResultPicture(
        path: request.picture, overwrite: request.overwrites, inputs: opened.map.documents)
      var query = try request.query(in: context)
      if points.count > few { query.threads = workers.count }
      var found: [[IdentifyLayerResult]] = []
      let ((reference, failure), isUnread) = try withIdentifier(
        query, on: opened, at: points, isStrict: request.isStrict, in: context
      ) { identifier in
        let refusal = try run(
          at: points, with: identifier, threads: query.threads, isStrict: request.isStrict,
          in: context
        ) { point, results in
          try text.append(point, results, identifier.reference)
          if picture != nil { found.append(results) }
        }
        return ((identifier.reference, identifier.wholeFailure), refusal)
      }
      context.collectLibraryMessages()
      try text.finish()
      try picture?.draw(
        found, at: points, in: reference, scale: request.scale, on: opened.map(for: query),
        context)
      if let failure { return .failed(failure) }
      return isUnread ? .unread : .done
    case .rasters(let rasters, let cache):
      let targets = request.areCells ? try rasters.map { try $0.inCells() } : rasters
      return try run(at: points, of: targets, cache, workers, request, text, in: context)
    case .cells(let rasters, let cache):
      return try run(at: points, of: rasters, cache, workers, request, text, in: context)
    case .stacks: preconditionFailure("only a series reads the stacks of a map at single points")
    }
  }

  private static func run(
    at points: [SIMD2<Double>], of rasters: [Raster], _ cache: TileCache, _ workers: Workers,
    _ request: Request, _ text: PointText, in context: RunContext
  ) throws -> Outcome {
    let picture = try ResultPicture(path: request.picture, overwrite: request.overwrites)
    let bands = request.bandIndices
    let identifier = try RasterIdentifier(
      rasters.map { RasterSampler.Request($0, bands: bands) }, reference: request.reference,
      resampling: request.resampling ?? .nearest, cache: cache, workers: workers)
    let answers = try answers(of: identifier, at: points, request.isStrict, in: context)
    text.rasters = rasters
    for (point, results) in zip(points, answers.results) {
      try text.append(point, results, identifier.reference)
    }
    try text.finish()
    if let picture {
      let map = Map(
        layers: rasters.map { RasterLayer(LayerProperties(id: $0.name), raster: $0) },
        spatialReference: identifier.reference)
      try picture.draw(
        answers.results, at: points, in: identifier.reference, scale: nil, on: map, context)
    }
    return answers.isUnread ? .unread : .done
  }

  /// The values of rasters at points.
  ///
  /// - Throws: the error of strict mode, or `CancellationError` for cancelled work.
  private static func answers(
    of identifier: RasterIdentifier, at points: [SIMD2<Double>], _ isStrict: Bool,
    in context: RunContext
  ) throws -> PointAnswers {
    for line in identifier.referenceWarnings { context.warn(MessageTemplate(line)) }
    try context.report(
      identifier.transformationWarnings.map { MessageTemplate($0) }, isStrict: isStrict, "it")
    if let note = context.note {
      identifier.explanation(x: points.map(\.x), y: points.map(\.y)).forEach(note)
    }
    let answers = try PointAnswers(identifier, points)
    try WorkCancellation.checkCurrent()
    if let note = context.note { identifier.fetchSummary.forEach(note) }
    answers.warnings.forEach(context.warn)
    context.collectLibraryMessages()
    if isStrict, let refusal = answers.refusal { throw refusal }
    answers.hints.forEach(context.warn)
    return answers
  }

  /// The number of points of a map that each thread identifies together (`chunk`). If there are at most `few`
  /// points, they are identified one by one.
  private static let (chunk, few) = (256, 32)

  /// Calls `body` with an identifier for single points of a map, and reports the warnings about the
  /// points and the layers.
  ///
  /// - Parameters:
  ///   - points: the points in the CRS of the query.
  ///   - body: identifies at the points, and returns the error of strict mode, if any. Its argument must not
  ///     be used after the call.
  /// - Returns: the result of `body`, and whether some cells cannot be read.
  /// - Throws: the error of `body`, the error of strict mode, or `CancellationError` for cancelled work.
  package static func withIdentifier<Value>(
    _ query: OpenedMap.Query, on opened: OpenedMap, at points: [SIMD2<Double>], isStrict: Bool,
    in context: RunContext, _ body: (MapIdentifier) throws -> (value: Value, refusal: PlumbError?)
  ) throws -> (value: Value, isUnread: Bool) {
    try opened.withIdentifier(query) { identifier in
      identifier.referenceWarnings.forEach { context.warn(MessageTemplate($0)) }
      try context.report(
        identifier.transformationWarnings.map { MessageTemplate($0) }, isStrict: isStrict, "it")
      let (value, refusal) = try body(identifier)
      try WorkCancellation.checkCurrent()
      let unread = identifier.rasters?.sampler.drainFailures().messages ?? []
      try context.report(identifier.warnings + unread, isStrict: isStrict)
      if let refusal { throw refusal }
      PointWarnings(x: points.map(\.x), y: points.map(\.y), reference: identifier.reference)
        .warnings(of: identifier).forEach(context.warn)
      return (value, !unread.isEmpty)
    }
  }

  /// Identifies at single points of a map.
  ///
  /// - Parameters:
  ///   - points: the points in the identifier's CRS.
  ///   - threads: the number of the identifier's threads.
  ///   - isStrict: whether warnings are errors.
  ///   - context: receives the explanation if requested.
  ///   - emit: receives the results of each point in order.
  /// - Returns: in strict mode, the error of the first layer that strict mode rejects.
  /// - Throws: the layer's failure if only one layer is identified, `CancellationError` for cancelled
  ///   work, or the error of `emit`.
  private static func run(
    at points: [SIMD2<Double>], with identifier: MapIdentifier, threads: Int, isStrict: Bool,
    in context: RunContext, emit: (SIMD2<Double>, [IdentifyLayerResult]) throws -> Void
  ) throws -> PlumbError? {
    let (x, y) = (points.map(\.x), points.map(\.y))
    if let note = context.note, let rasters = identifier.rasters {
      rasters.explanation(x: x, y: y).forEach(note)
    }
    var refusal: PlumbError?
    // Identifying at a single point reads only the features around the point. Identifying at
    // several points together loads whole layers.
    let chunk = points.count > Self.few ? Self.chunk * threads : 1
    for start in stride(from: 0, to: points.count, by: chunk) {
      try WorkCancellation.checkCurrent()
      let rows = start..<min(points.count, start + chunk)
      var row = start
      try identifier.identify(x: x[rows], y: y[rows]) { results in
        try WorkCancellation.checkCurrent()
        if let failure = identifier.failure { throw failure }
        if isStrict { refusal = refusal ?? IdentifyLayerResult.strictRefusal(of: results) }
        try emit(points[row], results)
        row += 1
      }
    }
    return refusal
  }
}

/// The text of the results at single points.
private final class PointText {
  /// The complete parts of the text. The text is divided into parts, so that memory never contains
  /// two copies of the text.
  private var parts: [TextBuffer] = []
  private var text = TextBuffer(capacity: 1 << 14)
  private var count = 0
  private let format: Identify.PrintFormat
  private let names: [Setting: String]
  private let output: RunOutput
  private static let partSize = 1 << 20
  /// The rasters of the results; empty for the results of a map.
  var rasters: [Raster] = []

  init(_ request: Identify.Request, _ output: RunOutput, _ context: RunContext) {
    let usual: Identify.PrintFormat = context.frontEnd == .command ? .text : .json
    format = request.format.flatMap { Identify.PrintFormat(word: $0) } ?? usual
    (names, self.output) = (context.frontEnd.spellings, output)
  }

  /// - Throws: if the output would exceed its limit.
  func append(
    _ point: SIMD2<Double>, _ results: [IdentifyLayerResult], _ reference: SpatialReference?
  ) throws {
    let queryPoint = QueryPoint(x: point.x, y: point.y, reference: reference?.label)
    if format == .json {
      IdentifyJSON.append(point: queryPoint, results: results, names: names, to: text)
    } else {
      if count + text.count > 0 { text.append(UInt8(ascii: "\n")) }
      let lines =
        rasters.isEmpty
        ? IdentifyTree(point: queryPoint, results: results, names: names).text
        : Callout(point: queryPoint, rasters: rasters, results: results, names: names).text
      text.append(lines)
    }
    text.append(UInt8(ascii: "\n"))
    if text.count > Self.partSize {
      count += text.count
      parts.append(text)
      text = TextBuffer(capacity: Self.partSize)
    }
    try output.check(count + text.count)
  }

  func finish() throws {
    count += text.count
    parts.append(text)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for index in parts.indices {
      bytes.append(contentsOf: parts[index].bytes)
      parts[index] = TextBuffer(capacity: 0)
    }
    try output.write(bytes)
  }
}

extension ResultPicture {
  /// Draws the results at points on their map.
  fileprivate func draw(
    _ results: [[IdentifyLayerResult]], at points: [SIMD2<Double>], in reference: SpatialReference?,
    scale: Double?, on map: Map, _ context: RunContext
  ) throws {
    let found = Overlay(identified: results, at: points, reference: reference)
    let view = try view(
      of: points, in: reference, reach: Overlay.reach(of: results.joined(), in: reference),
      scale: scale)
    try write(on: map, [found], view: view, warn: context.warn)
  }
}
