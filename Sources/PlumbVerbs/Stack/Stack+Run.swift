import Plumb
import PlumbBatch
import PlumbCore
import PlumbIO
import PlumbRaster

extension Stack {
  /// Writes the store of a request.
  ///
  /// - Throws: `OptionViolation` for an invalid combination of options, `CancellationError` for
  ///   cancelled work; otherwise the first error. A run that throws leaves no new store, and leaves
  ///   an existing store without the new dates.
  package static func run(_ request: Request, in context: RunContext) throws {
    try options.check(request, by: context.frontEnd)
    guard let output = request.output else {
      preconditionFailure("the check requires an output")
    }
    try StackStore.check(output, appends: request.appends)
    var options = StackStore.Options(output: output)
    (options.appends, options.isScaled) = (request.appends, request.isScaled)
    options.chunkBytes = request.chunkBytes ?? StackStore.defaultChunk
    options.resume = request.resumption
    options.workers = context.workers ?? Workers(count: request.threads)
    let rasters = try [Raster].open(
      request.rasters, access: context.access, workers: options.workers)
    let dates = try ImageDates(request.dates, access: context.access)
    let stacks = try DatedStack.open(rasters, dates, grouping: request.grouping)
    let store = try StackStore(stacks, options)
    defer {
      context.endProgress()
      context.collectLibraryMessages()
    }
    try store.write { context.progress($0, 0) }
  }
}
