import Plumb
import PlumbBatch
import PlumbCore

extension Buffer {
  /// Checks the options of a request.
  ///
  /// - Throws: `OptionViolation`, or an error for invalid column types.
  package static func check(_ request: Request, by frontEnd: FrontEnd) throws {
    try options.check(request, by: frontEnd)
    _ = try ColumnTypes(option: request.types)
  }

  /// Computes buffers and writes them to the request's output.
  ///
  /// - Throws: `OptionViolation` for an invalid combination of options, `CancellationError` for cancelled
  ///   work, or else the first error. A run that throws leaves no output file.
  package static func run(_ request: Request, in context: RunContext) throws {
    try check(request, by: context.frontEnd)
    let inputs = [request.input].compactMap { $0 }
    let picture = try ResultPicture(
      path: request.picture, overwrite: request.overwrites, inputs: inputs)
    let batch = try BatchBuffer(try request.batch(in: context))
    var areas = Overlay("Buffers", reference: batch.outputReference)
    var features = Overlay("Features", reference: batch.inputReference)
    if picture != nil {
      batch.observer = { read, found in
        features.add(features: read)
        areas.add(areas: found)
      }
    }
    for line in batch.warnings { context.warn(line) }
    let shown = batch.warnings.count
    do {
      defer {
        context.endProgress()
        context.collectLibraryMessages()
        for line in batch.warnings.dropFirst(shown) { context.warn(line) }
      }
      _ = try batch.run(progress: context.progress)
    }
    try picture?.write([areas, features], warn: context.warn)
  }
}

extension Buffer.Request {
  /// The options of the request as options of `BatchBuffer`.
  ///
  /// - Throws: for a CRS that PROJ does not find, and for invalid column types.
  package func batch(in context: RunContext) throws -> BatchBuffer.Options {
    let source: BatchBuffer.Source = input.map { .file($0) } ?? .points(points)
    let distances: BufferDistances =
      distanceField.map { .field($0) } ?? .list(self.distances)
    var options = BatchBuffer.Options(source, distances: distances)
    options.unit = unit
    if isGeodesic {
      var geodesic = GeodesicBufferOptions(
        curve: curve ?? .geodesic, maxDeviation: maxDeviation ?? .nan)
      if let limit = context.limits.vertices { geodesic.vertexLimit = limit }
      if let limit = context.limits.joinedVertices { geodesic.joinedVertexLimit = limit }
      options.method = .geodesic(geodesic)
    }
    options.isUnion = isUnion
    (options.x, options.y, options.layer) = (x, y, layer)
    options.reference = try crs.map { try SpatialReference(userInput: $0) }
    options.outputReference = try outCRS.map { try SpatialReference(userInput: $0) }
    (options.output, options.format) = (output, format)
    options.types = try ColumnTypes(option: types)
    options.overwrites = overwrites
    options.table = try DatabaseTable(output: output, outputTable, overwrites, appends: appends)
    options.access = context.access
    options.services = context.services
    options.checkShapes = context.checkShapes
    options.isStrict = isStrict
    options.workers = context.workers ?? Workers(count: threads)
    return options
  }
}
