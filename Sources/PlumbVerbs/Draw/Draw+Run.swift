import Plumb
import PlumbCore
import PlumbLayers

extension Draw {
  /// Draws a map and writes the picture.
  ///
  /// - Throws: `OptionViolation` for an invalid combination of options, `CancellationError` for cancelled
  ///   work, or else the first error. A run that throws leaves no output file.
  package static func run(_ request: Request, in context: RunContext) throws {
    try options.check(request, by: context.frontEnd)
    let loading = Canvas.loadLibrary()
    let workers = context.workers ?? Workers()
    let output = try RunOutput(context, path: request.output, overwrite: request.overwrites)
    let moment = try RasterMoment(.date, request.date)
    let map = try request.openMap(workers, in: context)
    try output.check(inputs: map.documents + request.results)
    loading.wait()
    let opening = LayerOpening(map)
    let overlays = try request.results.enumerated().map { number, path in
      try Overlay.read(path, number: number, access: context.access)
    }
    for line in overlays.compactMap(\.warning) { context.warn(MessageTemplate(line)) }
    let view = try request.view(of: map, overlays)
    let format = request.output.flatMap { Canvas.Format(ofName: $0) } ?? .png
    let canvas = try Canvas(width: view.width, height: view.height, format: format)
    var painter = MapPainter(view, on: canvas, workers: workers)
    if !request.isPlain { painter.fill(Color(255, 255, 255)) }
    painter.moment = moment
    painter.opening = opening
    painter.draw(map)
    try request.checkDates(painter.dateNotes)
    for overlay in overlays { try painter.draw(overlay) }
    if !request.isPlain { painter.annotate() }
    for line in painter.warnings { context.warn(MessageTemplate(line)) }
    painter.dateNotes.forEach(context.remark)
    context.collectLibraryMessages()
    try output.write(try canvas.finish(workers: workers))
  }
}

extension Draw.Request {
  /// Opens the map. If the request has a date or rules for the dates of files, a raster is opened as a
  /// layer with dates.
  fileprivate func openMap(_ workers: Workers, in context: RunContext) throws -> Map {
    let path = map ?? ""
    let isDocument = Map.isDocument(path: path)
    guard !dates.isEmpty || date != nil && !isDocument else {
      return try Map.any(
        path: path, access: context.access, signIn: context.signIn, workers: workers)
    }
    guard !isDocument else {
      throw OptionViolation(
        "\(.dates) is only for a raster: the map document has the dates of its layers")
    }
    let rasters = try [Raster].open([path], access: context.access, workers: workers)
    let files = try ImageDates(dates, access: context.access)
    let stacks = try DatedStack.open(rasters, files, grouping: grouping)
    for line in stacks.flatMap(\.warnings) { context.warn(MessageTemplate(line)) }
    return Map(
      layers: stacks.map { stack in
        RasterLayer(
          LayerProperties(id: stack.name), opening: { .dates(RasterDates(stack)) })
      })
  }

  /// - Throws: if the request has a date, and no layer with dates was drawn.
  fileprivate func checkDates(_ drawn: [String]) throws {
    guard date != nil, drawn.isEmpty else { return }
    throw PlumbError(
      messageTemplate: "\(.date): no layer with dates is in the picture", code: .badOption)
  }

  /// Returns the view of the picture. It shows the requested centre or extent. Without these, it
  /// shows the extent of the results or, if there are none, the extent of all layers.
  fileprivate func view(of map: Map, _ overlays: [Overlay]) throws -> DrawnView {
    let reference =
      try crs.map { try SpatialReference(userInput: $0) } ?? DrawnView.defaultReference
    let size = self.size ?? PictureSize()
    if center.count == 2, let scale {
      let point = Geometry.point(
        Point(x: center[0], y: center[1], spatialReference: inputReference(reference)))
      guard case .point(let projectedShape) = try projected(point, to: reference, .center) else {
        throw PlumbError(messageTemplate: "\(.center): not a point")
      }
      return try DrawnView(
        center: projectedShape.xy, scale: scale, width: size.width, height: size.height,
        reference: reference)
    }
    if extent.isEmpty, overlays.contains(where: { $0.extent != nil }) {
      return try DrawnView(
        showing: overlays, width: size.width, height: size.height, reference: reference)
    }
    return try DrawnView(
      extent: extent.count == 4 ? requestedExtent(reference) : Self.extent(of: map, reference),
      width: size.width, height: size.height, reference: reference)
  }

  /// Returns the CRS of coordinates in options, which is WGS84 unless the request has a CRS.
  private func inputReference(_ reference: SpatialReference) -> SpatialReference {
    crs == nil ? .wgs84 : reference
  }

  private func requestedExtent(_ reference: SpatialReference) throws -> Envelope {
    let window = Envelope(
      xMin: extent[0], yMin: extent[1], xMax: extent[2], yMax: extent[3],
      spatialReference: inputReference(reference))
    let eastward: Envelope
    do {
      eastward = try window.eastward
    } catch {
      throw PlumbError("\(.extent)", error)
    }
    guard
      case .envelope(let projectedShape) = try projected(
        .envelope(eastward), to: reference, .extent)
    else { throw PlumbError(messageTemplate: "\(.extent): not an extent") }
    return projectedShape
  }

  /// The extent of all layers of a map.
  private static func extent(of map: Map, _ reference: SpatialReference) throws -> Envelope {
    guard var extent = DrawnView.extent(of: map, in: reference) else {
      if let failure = DrawnView.failureOfExtent(of: map) {
        throw PlumbError("no layer of the map has a known extent", failure)
      }
      throw PlumbError(
        messageTemplate: "no layer of the map has a known extent: give \(.extent)")
    }
    // The extent of a single point is enlarged to about one kilometre.
    if extent.xMin == extent.xMax, extent.yMin == extent.yMax {
      let margin = reference.isGeographic ? 0.005 : 500
      extent.xMin -= margin
      extent.xMax += margin
    }
    return extent
  }

  private func projected(
    _ shape: Geometry, to reference: SpatialReference, _ option: Setting
  ) throws -> Geometry {
    if crs == nil {
      guard shape.vertices.xy.allSatisfy({ $0.x.magnitude <= 360 && $0.y.magnitude <= 90 }) else {
        throw PlumbError(
          messageTemplate:
            "\(option): expected longitude and latitude in degrees; \(.crs) selects another CRS")
      }
    }
    do {
      return try GeometryEngine.project(shape, to: reference)
    } catch {
      throw PlumbError("\(option)", error)
    }
  }
}
