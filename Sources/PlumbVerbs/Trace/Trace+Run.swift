import Plumb
import PlumbCore
import PlumbDocuments
import PlumbFormats
import PlumbNetwork

extension Trace {
  /// The formats of a trace, by name and by extension of the output.
  private static let traceFormats = OutputFormats<Format>(
    [
      .init("text", "txt", "text", format: .text), .init("json", "json", format: .json),
      .init("geojson", "geojson", format: .geojson),
    ] + layerEntries)

  /// The formats of segments, by name and by extension of the output.
  private static let segmentFormats = OutputFormats<Format>(
    [
      .init("json", "json", format: .json), .init("csv", "csv", format: .csv),
      .init("geojson", "geojson", format: .geojson),
    ] + layerEntries)

  private static let layerEntries: [OutputFormats<Format>.Entry] = [
    .init("gpkg", "gpkg", format: .gpkg),
    .init("parquet", "parquet", "geoparquet", format: .parquet),
    .init("arrow", "arrows", format: .arrow),
  ]

  /// Traces a network and writes the result.
  ///
  /// - Parameters:
  ///   - opened: the network; nil to open the network that the request names.
  ///   - context: receives the result and the warnings.
  /// - Throws: `OptionViolation` for an invalid combination of options, `CancellationError` for cancelled
  ///   work, or else the first error. A run that throws leaves no output file.
  package static func run(
    _ request: Request, on opened: OpenedNetwork? = nil, in context: RunContext
  ) throws -> Outcome {
    try options.check(request, by: context.frontEnd)
    defer {
      context.endProgress()
      context.collectLibraryMessages()
    }
    let formats = request.isSegments ? segmentFormats : traceFormats
    let usual: Format =
      context.frontEnd != .command || request.isSegments || request.request != nil ? .json : .text
    let table = try DatabaseTable(
      output: request.output, request.outputTable, request.overwrites, appends: request.appends)
    // A database table has the same features and columns as a GeoPackage.
    let format =
      try table == nil ? formats.choose(request.format, output: request.output) ?? usual : .gpkg
    let output = try RunOutput(
      context, path: request.output, overwrite: request.overwrites, table: table)
    let opened = try opened ?? open(request, in: context)
    var inputs = opened.files
    if case .file(let path)? = request.request { inputs.append(path) }
    try output.check(inputs: inputs)
    let picture = try ResultPicture(
      path: request.picture, overwrite: request.overwrites, inputs: inputs)
    let layer = format.layerFormat.map { NetworkFeatureLayer(opened, format: $0) }
    if format == .geojson || layer != nil || request.hasShapes {
      warn(ofShapesIn: opened, isGeoJSON: layer == nil, context)
    }
    if request.isSegments {
      try write(segmentsOf: opened, request, format, layer, to: output, context)
      return .done
    }
    let (parameters, result) = try checkedResult(of: request, in: opened, context)
    switch format {
    case .gpkg, .parquet, .arrow: try output.writeLayer { try layer?.write(result, to: $0) }
    case .geojson: try output.write(result.geoJSON(in: opened))
    case .json, .csv:
      var json = result.json(in: opened.network)
      if request.hasShapes {
        // Removes the closing brace and the line feed at the end of the object.
        json.removeLast(2)
        json += Array(",\"geoJSON\":".utf8) + (try result.geoJSON(in: opened)) + Array("}\n".utf8)
      }
      try output.write(json)
    case .text:
      let text = result.text(
        parameters, in: opened.network, listsIsolated: request.includesIsolated)
      try output.write(Array((text + "\n").utf8))
    }
    if let picture {
      let found = try Overlay(result, from: parameters.startingLocations, in: opened)
      let view = try found.extent.map { _ in
        try DrawnView(
          showing: [found], width: ResultPicture.size.width, height: ResultPicture.size.height)
      }
      try picture.write([Overlay(pipesOf: opened), found], view: view, warn: context.warn)
    }
    return result.isSuccess ? .done : .notIsolated
  }

  /// Reports why the coordinates of elements may not be those that the format requires.
  private static func warn(
    ofShapesIn opened: OpenedNetwork, isGeoJSON: Bool, _ context: RunContext
  ) {
    guard let reference = opened.spatialReference else {
      return context.warn("the network has no CRS: its coordinates are written unchanged")
    }
    if isGeoJSON, let line = Transformation.warning(from: reference, to: .wgs84, area: nil) {
      context.warn(MessageTemplate(line))
    }
  }

  /// Traces a network without writing the result.
  ///
  /// - Parameter context: receives the warnings, which include those of the result.
  /// - Throws: as `run(_:on:in:)`.
  package static func result(
    of request: Request, in opened: OpenedNetwork, _ context: RunContext
  ) throws -> (parameters: UtilityTraceParameters, result: UtilityTraceResult) {
    try options.check(request, by: context.frontEnd)
    return try checkedResult(of: request, in: opened, context)
  }

  /// Traces a network with options that have been checked.
  private static func checkedResult(
    of request: Request, in opened: OpenedNetwork, _ context: RunContext
  ) throws -> (parameters: UtilityTraceParameters, result: UtilityTraceResult) {
    let parameters = try parameters(of: request, in: opened, context)
    if let note = context.note { opened.explanation(of: parameters).forEach(note) }
    let result = try opened.network.trace(parameters)
    for line in result.warnings { context.warn(MessageTemplate(line)) }
    return (parameters, result)
  }

  /// Opens the network of a request.
  package static func open(
    _ request: Request, in context: RunContext
  ) throws -> OpenedNetwork {
    guard context.frontEnd != .service, let path = request.network else {
      preconditionFailure("a server passes an open network")
    }
    let reference = try request.crs.map { try SpatialReference(userInput: $0) }
    let access = request.access.map { FileAccess.files($0) } ?? context.access
    defer { context.endProgress() }
    var opened = try OpenedNetwork.open(
      path: path, valveLayer: request.valveLayer, access: access,
      signIn: context.signIn, isStrict: request.isStrict, progress: context.progress)
    if let reference { opened = try opened.referenced(by: reference) }
    for line in opened.warnings { context.warn(MessageTemplate(line)) }
    return opened
  }

  private static func write(
    segmentsOf opened: OpenedNetwork, _ request: Request, _ format: Format,
    _ layer: NetworkFeatureLayer?, to output: RunOutput, _ context: RunContext
  ) throws {
    let (found, hasValves) = try opened.segments(of: request)
    if !hasValves {
      context.warn(
        "no valve may be closed: give \(.valveLayer), \(.filter) or \(.filterCategory)")
    }
    context.note?("\(found.count) segments")
    switch format {
    case .csv: try output.write(found.csv(in: opened))
    case .geojson: try output.write(found.geoJSON(in: opened))
    case .gpkg, .parquet, .arrow: try output.writeLayer { try layer?.write(found, to: $0) }
    case .json, .text: try output.write(found.json(in: opened))
    }
  }
}

extension Trace.Format {
  /// The format of a layer; nil for text.
  fileprivate var layerFormat: NetworkFeatureLayer.Format? {
    switch self {
    case .gpkg: .geoPackage
    case .parquet: .parquet
    case .arrow: .arrow
    case .text, .json, .geojson, .csv: nil
    }
  }
}
