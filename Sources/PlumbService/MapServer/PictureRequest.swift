import Plumb
import PlumbDrawing
import PlumbIO

/// The parameters of a picture for `export` and `exportImage`.
struct PictureRequest {
  var view: DrawnView
  let format: Canvas.Format
  let isTransparent: Bool
  /// The view's scale denominator at the resolution of the picture.
  let scale: Double
  /// The number of pixels per 1/96 inch, which is the unit of symbol sizes.
  let symbolScale: Double

  /// - Parameters:
  ///   - defaultReference: the service's CRS, which is the default CRS of the box.
  ///   - mapScale: the denominator of the requested scale; nil to show the whole box. With a scale,
  ///     the picture is centred on the box.
  init(
    _ parameters: Parameters, reference defaultReference: SpatialReference,
    scale mapScale: Double? = nil,
    usual: Canvas.Format = .png
  ) throws(ServiceError) {
    let boxReference = try parameters.reference("bboxSR") ?? defaultReference
    let reference = try parameters.reference("imageSR") ?? boxReference
    guard let box = try parameters.box("bbox", reference: boxReference) else {
      throw ServiceError("'bbox' parameter is not specified.")
    }
    var (width, height) = (400, 400)
    if let size = try parameters.numbers("size") {
      guard (1...2).contains(size.count), size.allSatisfy({ $0 >= 1 && $0 <= 1e6 }) else {
        throw ServiceError("'size' parameter is invalid: expected width,height")
      }
      (width, height) = (Int(size[0]), Int(size.last ?? size[0]))
    }
    let side = ServiceLimits.pictureSide
    guard width <= side, height <= side else {
      throw ServiceError(
        "The requested image exceeds the size limit: \(side) × \(side)", kind: .limit)
    }
    guard case .envelope(let extent) = try GeometryText.box(box, in: reference) else {
      throw ServiceError("'bbox' parameter is invalid")
    }
    let resolution = try parameters.number("dpi") ?? 96
    guard resolution >= 1, resolution <= 10_000 else {
      throw ServiceError("'dpi' parameter is invalid: expected 1 to 10000")
    }
    guard mapScale.map({ $0 > 0 && $0 <= 1e12 }) ?? true else {
      throw ServiceError("'mapScale' parameter is invalid: expected a denominator above 0")
    }
    do {
      if let mapScale {
        view = try DrawnView(
          center: SIMD2((extent.xMin + extent.xMax) / 2, (extent.yMin + extent.yMax) / 2),
          scale: mapScale * 96 / resolution, width: width, height: height, reference: reference)
      } else {
        view = try DrawnView(extent: extent, width: width, height: height, reference: reference)
      }
    } catch {
      throw ServiceError(error)
    }
    switch parameters.word("format")?.lowercased() {
    case nil: format = usual
    case "png", "png8", "png24", "png32", "jpgpng": format = .png
    case "svg": format = .svg
    case "pdf": format = .pdf
    case let other?:
      throw ServiceError(
        "'format' parameter is invalid: \(other.shown) is not one of png, png8, png24, png32, "
          + "svg, pdf"
      )
    }
    isTransparent = try parameters.flag("transparent")
    symbolScale = min(max(resolution / 96, 0.25), 8)
    scale = view.scale * resolution / 96
  }

  /// Returns the picture that `paint` draws.
  func content(
    _ form: ReplyForm, href: String, cache: TileCache, _ settings: ServiceSettings,
    _ paint: (inout MapPainter) throws -> Void
  ) throws -> ReplyContent {
    guard case .image = form else { return .json(description(href: href)) }
    let canvas = try Canvas(width: view.width, height: view.height, format: format)
    canvas.symbolScale = symbolScale
    canvas.memoryLimit = settings.vectorPicture
    var painter = MapPainter(view, on: canvas, cache: cache, workers: settings.workers)
    painter.scale = scale
    if !isTransparent { painter.fill(Color(255, 255, 255)) }
    try paint(&painter)
    try WorkCancellation.checkCurrent()
    let warnings = painter.warnings
    if canvas.isVector {
      try canvas.checkDrawn()
      let picture = FinishedPicture(canvas: canvas)
      let stream = ReplyStream(values: canvas.memory) { try picture.write($0) }
      return .stream(stream, type: format.contentType, warnings: warnings)
    }
    let bytes = try canvas.finish(workers: settings.workers)
    return .file(bytes, type: format.contentType, warnings: warnings)
  }

  private func description(href: String) -> JSONObject {
    var object = JSONObject()
    object.add("href", href)
    object.add("width", view.width)
    object.add("height", view.height)
    object.add("extent", view.extent.json)
    object.add("scale", scale)
    return object
  }
}

/// A vector picture whose drawing is complete.
///
/// Invariant: the picture is written once, after drawing has ended, by one thread.
private struct FinishedPicture: @unchecked Sendable {
  let canvas: Canvas

  /// Writes the picture in chunks. The work ends when it is cancelled.
  func write(_ send: ([UInt8]) throws -> Void) throws {
    try canvas.finish { chunk in
      try WorkCancellation.checkCurrent()
      try send(chunk)
    }
  }
}

extension Canvas.Format {
  var contentType: String {
    switch self {
    case .png: "image/png"
    case .svg: "image/svg+xml"
    case .pdf: "application/pdf"
    }
  }
}
