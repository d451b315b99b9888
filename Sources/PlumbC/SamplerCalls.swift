import CPlumb
import Plumb
import PlumbVerbs
import Synchronization

/// The open samplers.
private let samplers = HandleTable<Sampler>()

/// The maximum number of points that are sampled on the calling thread. For so few points, starting
/// a thread would take longer than sampling.
private let fewPoints = 256

/// Opens rasters.
@c @implementation
public func plumb_sampler_open(
  _ rasters: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int64,
  _ options: UnsafePointer<CChar>?, _ poll: plumb_poll?, _ context: UnsafeMutableRawPointer?,
  _ handle: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  opening(handle) {
    let paths = try texts(rasters, count, "the rasters")
    guard !paths.isEmpty else { throw CallError.bad("no rasters: name at least one") }
    var request = Identify.Request()
    try Identify.Part.samplerOpen.options.read(options, into: &request)
    // The points are passed by later calls.
    if request.pixels == nil { request.points = .inline }
    // Whether dates are matched or all dates are read is an option of later calls.
    var checked = request
    checked.isSeries = !request.dates.isEmpty || request.grouping != nil
    try Identify.check(checked, by: .library)
    guard request.names.isEmpty || request.names.count == paths.count else {
      throw CallError.bad(
        "the option names: \(request.names.count) names for \(paths.count) rasters")
    }
    if let connections = request.connections { RemoteRasters.connections = connections }
    let opening = request
    let sampler = try Poll(poll, context).run(mayOutlive: true) { _ in
      try Sampler(paths, opening)
    }
    warn()
    return samplers.insert(sampler)
  }
}

/// The caller's list of strings.
func texts(
  _ list: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int64, _ name: String
) throws -> [String] {
  guard count >= 0, count <= Int64(Int32.max) else {
    throw CallError.bad("\(name): \(count) is not a valid number")
  }
  guard let list else {
    if count == 0 { return [] }
    throw CallError.null(name)
  }
  return try (0..<Int(count)).map { try CText.text(list[$0], "\(name): number \($0)") }
}

/// Describes a sampler's columns and rasters.
@c @implementation
public func plumb_sampler_describe(
  _ handle: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  texting(json) { try samplers[handle].description() }
}

/// Reads all columns at points.
@c @implementation
public func plumb_sample(
  _ handle: OpaquePointer?, _ x: UnsafePointer<Double>?, _ y: UnsafePointer<Double>?, _ n: Int64,
  _ crs: UnsafePointer<CChar>?, _ columns: UnsafePointer<plumb_column>?, _ columnCount: Int64,
  _ cells: UnsafePointer<plumb_cells>?, _ poll: plumb_poll?,
  _ context: UnsafeMutableRawPointer?
) -> CInt {
  entry {
    let sampler = try samplers[handle]
    guard sampler.options.dates.isEmpty else {
      throw CallError.bad("the rasters have dates: call plumb_sample_dates")
    }
    try Identify.checkDates(of: sampler.rasters, sampler.options)
    let points = try SamplePoints(x, y, n)
    let targets = try SampleTargets(
      columns, columnCount, cells, of: sampler, count: points.count)
    let crs = try CText.optional(crs, "the points' CRS")
    // A few points of local files are sampled without the callback, and therefore without another
    // thread. Starting a thread would take longer than sampling these points.
    let polls = points.count > fewPoints || sampler.isRemote
    let identifier = try Poll(polls ? poll : nil, context).run(mayOutlive: false) { progress in
      let identifier = try sampler.identifier(crs: crs)
      try sampler.sample(points, identifier, into: targets, progress)
      return identifier
    }
    warn(identifier.sampler.drainFailures().messages)
  }
}

extension Sampler {
  /// Reads all columns into a caller's arrays.
  ///
  /// - Throws: `CancellationError`.
  fileprivate func sample(
    _ points: SamplePoints, _ identifier: RasterIdentifier, into targets: SampleTargets,
    _ progress: CallProgress
  ) throws {
    var first = 0
    let answers = requests.indices.map { raster in
      defer { first += requests[raster].bands.count }
      return targets.answer(of: identifier.sampler, raster: raster, first: first, columns)
    }
    // The closure below is called once by the identifier, before the points are projected, and by the sampler
    // before each part.
    let parts = Double(identifier.sampler.partCount(of: points.count) + 1)
    var begun = 0.0
    points.withCoordinates(workers) { coordinates in
      identifier.sample(coordinates, into: answers, keepsTiles: !options.isUsedOnce) {
        progress.share = min(begun / parts, 1)
        begun += 1
        return !WorkCancellation.isCurrentCancelled
      }
    }
    try WorkCancellation.checkCurrent()
    targets.finish(answers, self)
  }
}

/// Reads the values of dates at points.
@c @implementation
public func plumb_sample_dates(
  _ handle: OpaquePointer?, _ x: UnsafePointer<Double>?, _ y: UnsafePointer<Double>?,
  _ times: UnsafePointer<Int64>?, _ n: Int64, _ crs: UnsafePointer<CChar>?,
  _ options: UnsafePointer<CChar>?, _ poll: plumb_poll?, _ context: UnsafeMutableRawPointer?,
  _ schema: UnsafeMutablePointer<ArrowSchema>?, _ array: UnsafeMutablePointer<ArrowArray>?
) -> CInt {
  tabling(schema, array) {
    let sampler = try samplers[handle]
    let points = try SamplePoints(x, y, n)
    var request = sampler.options
    try Identify.Part.sampleDates.options.read(options, into: &request)
    request.crs = try CText.optional(crs, "the points' CRS")
    var moments: [Int64]?
    if let times {
      guard UInt(bitPattern: times) % UInt(MemoryLayout<Int64>.alignment) == 0 else {
        throw CallError.bad("times is not aligned to 8 bytes")
      }
      moments = Array(UnsafeBufferPointer(start: times, count: points.count))
    } else if points.count == 0, !request.isSeries {
      moments = []
    }
    // The times are an argument of the function.
    request.when = moments == nil ? nil : "times"
    guard moments != nil || request.isSeries else { throw CallError.null("the times") }
    let (query, values) = (request, moments)
    let result = try Poll(poll, context).run(mayOutlive: false) { progress in
      try sampler.dates(points, times: values, query, progress)
    }
    warn(result.warnings)
    return result.table
  }
}

extension Sampler {
  /// The values of dates as a table, and the warnings.
  fileprivate func dates(
    _ points: SamplePoints, times: [Int64]?, _ request: Identify.Request, _ progress: CallProgress
  ) throws -> (table: ArrowTable, warnings: [MessageTemplate]) {
    var warnings: [MessageTemplate] = []
    var context = RunContext(.library) { warnings.append($0) }
    context.progress = { share, _ in progress.share = share ?? -1 }
    context.workers = workers
    context.access = FileAccess.files(request.access)
    let found = try points.withCoordinates(workers) { coordinates in
      try Identify.dates(
        of: rasters, cache, request, at: coordinates, times: times, in: context)
    }
    let maker = AnswerColumns(
      requests: found.stacks.source.rasters?.sampler.requests ?? [], count: points.count,
      workers: workers, hasStatusCodes: true)
    let columns = try found.columns.map { column in
      var made = try maker.column(column, found.answers.rasters[column.part])
      if let label = found.stacks.label(of: column) {
        made.metadata = [
          ("plumb:stack", label.stack), ("plumb:band", String(label.band)),
          ("plumb:date", label.date.text),
        ]
      }
      if case .status = column.content { made.metadata.append(("plumb:kind", "status")) }
      return made
    }
    return (ArrowTable(columns: columns, count: points.count), warnings)
  }
}

/// Closes a sampler.
@c @implementation
public func plumb_sampler_close(_ handle: OpaquePointer?) -> CInt {
  entry { try samplers.remove(handle) }
}
