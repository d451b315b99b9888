import CCairo
import PlumbCore
import PlumbLayers

/// A picture that is being drawn. Coordinates are pixels from the upper left corner, x to the right and y
/// downwards. Only one thread may use a canvas.
public final class Canvas {
  /// The file format of a picture.
  public enum Format: String, Sendable, CaseIterable {
    /// PNG stores pixels; SVG and PDF store shapes.
    case png, svg, pdf
  }

  /// The size in pixels.
  public let width, height: Int
  /// The number of canvas pixels per pixel of a symbol: more than 1 for displays of more than 96 pixels per
  /// inch.
  package var symbolScale = 1.0
  /// The approximate memory limit in bytes for the shapes and images of a vector picture; nil for no limit.
  package var memoryLimit: Int?
  /// The approximate memory in bytes of the shapes and images of a vector picture.
  package internal(set) var memory = 0
  let context: OpaquePointer
  private let surface: OpaquePointer
  private let format: Format
  let sink = CanvasSink()

  /// Whether the format stores shapes instead of pixels.
  package var isVector: Bool { format != .png }

  /// Passes the bytes that Cairo writes to a sink, and stops Cairo if the sink does not accept
  /// them.
  private static let write: cairo_write_func_t = { closure, data, length in
    guard let closure, let data else { return 0 }
    let sink = Unmanaged<CanvasSink>.fromOpaque(closure).takeUnretainedValue()
    let isAccepted = sink.add(UnsafeBufferPointer(start: data, count: Int(length)))
    return isAccepted ? 0 : CanvasSink.writeError
  }

  /// The maximum width and height of a picture in pixels.
  public static let longestSide = 16_384

  /// Creates an empty, transparent picture.
  ///
  /// - Throws: `missing_library` if Cairo is not installed, `bad_option` for a size that is not
  ///   from 1 to `longestSide`.
  public init(width: Int, height: Int, format: Format) throws(DrawingError) {
    if let missing = plumb_cairo_missing() {
      throw DrawingError(MessageTemplate(String(cString: missing)), code: .missingLibrary)
    }
    guard (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height) else {
      throw DrawingError(
        "the width and the height of a picture are from 1 to \(Self.longestSide.description) pixels",
        code: .badOption)
    }
    (self.width, self.height, self.format) = (width, height, format)
    // Vector formats use points of 1/72 inch.
    let points = (Double(width) * 0.75, Double(height) * 0.75)
    let closure = Unmanaged.passUnretained(sink).toOpaque()
    let made: OpaquePointer? =
      switch format {
      case .png: cairo_image_surface_create(Int32(PLUMB_CAIRO_ARGB32), Int32(width), Int32(height))
      case .svg: cairo_svg_surface_create_for_stream(Self.write, closure, points.0, points.1)
      case .pdf: cairo_pdf_surface_create_for_stream(Self.write, closure, points.0, points.1)
      }
    guard let made, let context = cairo_create(made) else {
      throw DrawingError("Cairo cannot create a picture")
    }
    (surface, self.context) = (made, context)
    if isVector { cairo_scale(context, 0.75, 0.75) }
    try check()
  }

  /// Loads Cairo in the background. Only one thread at a time can load libraries: if another thread has begun to
  /// load GDAL, which takes longer, the first canvas waits for it.
  package static func loadLibrary() -> BackgroundTask {
    BackgroundTask { _ = plumb_cairo_missing() }
  }

  deinit {
    cairo_destroy(context)
    // `cairo_surface_destroy` writes an unfinished vector picture in full, which takes much time and
    // memory. Clearing the picture discards its shapes.
    if isVector, let eraser = cairo_create(surface) {
      cairo_set_operator(eraser, Int32(PLUMB_CAIRO_CLEAR))
      cairo_paint(eraser)
      cairo_destroy(eraser)
    }
    cairo_surface_destroy(surface)
  }

  /// Adds the memory of a drawn shape to the total, because Cairo keeps all shapes of a vector
  /// picture until the picture is finished.
  func count(vertices: Int) {
    if isVector { memory += Self.shapeMemory + vertices * Self.vertexMemory }
  }

  // Measured with Cairo 1.16. A million markers take 4.5 GB.
  private static let shapeMemory = 4500
  private static let vertexMemory = 100

  /// Whether the memory limit is exceeded, so that further shapes need not be drawn.
  var isFull: Bool { memoryLimit.map { memory > $0 } ?? false }

  /// - Throws: if any Cairo call has failed so far.
  func check() throws(DrawingError) {
    let status = max(cairo_status(context), cairo_surface_status(surface))
    guard status != 0 else { return }
    let reason = cairo_status_to_string(status).map { String(cString: $0) } ?? "no reason given"
    throw DrawingError("Cairo: \(reason)")
  }

  /// - Throws: if Cairo failed to draw, or `limit` if the memory limit is exceeded.
  package func checkDrawn() throws(DrawingError) {
    try check()
    guard !isFull else {
      throw DrawingError(
        "\(format.rawValue) stores every shape and image, and the picture has too many: use png, a "
          + "smaller part, or fewer layers", code: .limit)
    }
  }

  /// Returns the bytes of the picture; nothing may be drawn afterwards.
  ///
  /// - Parameter workers: the threads that compress PNG.
  /// - Throws: if Cairo failed to draw, or `limit` if the memory limit is exceeded.
  public func finish(workers: Workers = Workers()) throws(DrawingError) -> [UInt8] {
    try checkDrawn()
    if format == .png {
      cairo_surface_flush(surface)
      guard let cells = cairo_image_surface_get_data(surface) else {
        throw DrawingError("Cairo cannot return the picture")
      }
      let stride = Int(cairo_image_surface_get_stride(surface)) / 4
      return try cells.withMemoryRebound(to: UInt32.self, capacity: stride * height) {
        pixels throws(DrawingError) in
        try PNGWriter(pixels, stride: stride, width: width, height: height).write(workers)
      }
    }
    try finishSurface()
    return sink.bytes
  }

  /// Writes a vector picture in chunks, while Cairo creates it; nothing may be drawn afterwards.
  ///
  /// - Parameter send: receives each chunk. If it throws, writing stops.
  /// - Throws: an error of `send`, if Cairo failed to draw, or `limit` if the memory limit is
  ///   exceeded.
  package func finish(sending send: ([UInt8]) throws -> Void) throws {
    try checkDrawn()
    try withoutActuallyEscaping(send) { send in
      sink.send = send
      defer { sink.send = nil }
      let outcome = Result { () throws(DrawingError) in try finishSurface() }
      if let failure = sink.failure { throw failure }
      try outcome.get()
      try sink.sendRest()
    }
  }

  private func finishSurface() throws(DrawingError) {
    cairo_surface_finish(surface)
    guard cairo_surface_status(surface) == 0 else {
      throw DrawingError("Cairo cannot write the picture")
    }
  }

  /// Draws the output of `body` as a group with an opacity from 0 to 1.
  func withOpacity<Failure: Error>(
    _ opacity: Double, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    guard opacity < 1 else { return try body() }
    cairo_push_group(context)
    defer {
      cairo_pop_group_to_source(context)
      cairo_paint_with_alpha(context, max(0, opacity))
    }
    try body()
  }

  /// Fills the whole picture.
  func fill(_ color: Color) {
    setSource(color)
    cairo_paint(context)
  }

  func setSource(_ color: Color) {
    cairo_set_source_rgba(
      context, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255,
      Double(color.alpha) / 255)
  }

  /// Draws an image in a rectangle of the picture.
  ///
  /// - Parameters:
  ///   - pixels: premultiplied ARGB with 8 bits per channel, and alpha in the highest bits; row by
  ///     row from the top.
  ///   - columns: the number of pixels in a row.
  ///   - x: the left side of the rectangle.
  ///   - y: the top of the rectangle.
  ///   - scale: the number of pixels of the picture per pixel of the image.
  func draw(_ pixels: inout [UInt32], columns: Int, x: Double, y: Double, scale: Double) {
    let rows = pixels.count / max(1, columns)
    guard rows > 0 else { return }
    // Cairo keeps a copy of the image in a vector picture.
    if isVector { memory += pixels.count * 4 }
    guard !isFull else { return }
    pixels.withUnsafeMutableBytes { bytes in
      guard
        let image = cairo_image_surface_create_for_data(
          bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(PLUMB_CAIRO_ARGB32),
          Int32(columns), Int32(rows), Int32(columns * 4))
      else { return }
      cairo_save(context)
      cairo_translate(context, x, y)
      cairo_scale(context, scale, scale)
      cairo_set_source_surface(context, image, 0, 0)
      cairo_pattern_set_filter(cairo_get_source(context), Int32(PLUMB_CAIRO_NEAREST))
      cairo_paint(context)
      cairo_restore(context)
      // Vector formats read the pixels when the picture is finished; finishing the image copies the
      // pixels.
      cairo_surface_finish(image)
      cairo_surface_destroy(image)
    }
  }
}
