import Plumb
import PlumbCore

extension Canvas.Format {
  /// Creates the picture format of a file name; nil for an unknown extension.
  package init?(ofName name: String) {
    let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
    guard name.contains("."), let format = Self(rawValue: ending) else { return nil }
    self = format
  }
}

/// The picture of a result. Its file is created before the work begins.
struct ResultPicture {
  private let format: Canvas.Format
  private let output: ResultOutput
  package static let size = PictureSize()

  /// - Parameters:
  ///   - path: the picture's file; nil for no picture.
  ///   - inputs: the input files, which the picture must not replace.
  /// - Precondition: the name has the extension of a picture format, as the option's check ensures.
  /// - Throws: if the file cannot be written.
  package init?(path: String?, overwrite: Bool, inputs: [String] = []) throws {
    guard let path else { return nil }
    format = Canvas.Format(ofName: path) ?? .png
    output = try ResultOutput(path: path, overwrite: overwrite)
    try output.check(inputs: inputs)
  }

  /// Draws and writes the picture.
  ///
  /// - Parameters:
  ///   - map: the map under the result; nil for no map.
  ///   - overlays: the results, bottom first.
  ///   - view: the extent and the scale; nil for the extent of the overlays.
  ///   - warn: receives the warnings.
  package func write(
    on map: Map? = nil, _ overlays: [Overlay], view: DrawnView? = nil,
    warn: (MessageTemplate) -> Void
  ) throws {
    for line in overlays.compactMap(\.warning) { warn(MessageTemplate(line)) }
    let shown =
      try view
      ?? DrawnView(showing: overlays, width: Self.size.width, height: Self.size.height)
    let canvas = try Canvas(width: shown.width, height: shown.height, format: format)
    var painter = MapPainter(shown, on: canvas)
    painter.fill(Color(255, 255, 255))
    if let map { painter.draw(map) }
    for overlay in overlays { try painter.draw(overlay) }
    painter.annotate()
    for line in painter.warnings { warn(MessageTemplate("the picture: " + line)) }
    try output.write(try canvas.finish())
  }

  /// The view of a picture of points on a map, which shows the points and the search distance around them.
  ///
  /// - Parameters:
  ///   - reach: the search distance in metres. Distances below a minimum are increased.
  ///   - scale: the scale of the map; nil to derive it from `reach`.
  package func view(
    of points: [SIMD2<Double>], in reference: SpatialReference?, reach: Double, scale: Double? = nil
  ) throws -> DrawnView {
    try DrawnView(
      of: points, in: reference, reach: reach, scale: scale, width: Self.size.width,
      height: Self.size.height)
  }
}
