import Plumb
import PlumbCore

extension Canvas.Format {
  /// The format of a picture by its name; nil for another ending.
  package init?(ofName name: String) {
    let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
    guard name.contains("."), let format = Self(rawValue: ending) else { return nil }
    self = format
  }
}

/// A picture of a result that is being made: its file is there, or cannot be, before the work begins.
package struct ResultPicture {
  private let format: Canvas.Format
  private let output: ResultOutput
  package static let size = PictureSize()

  /// - Parameters:
  ///   - path: the picture's file; nil for no picture.
  ///   - inputs: the files that are read, which the picture must not replace.
  /// - Precondition: the name is one of a picture, as the option's check ensures.
  /// - Throws: for a file that cannot be written.
  package init?(path: String?, overwrite: Bool, inputs: [String] = []) throws {
    guard let path else { return nil }
    format = Canvas.Format(ofName: path) ?? .png
    output = try ResultOutput(path: path, overwrite: overwrite)
    try output.check(inputs: inputs)
  }

  /// Draws and writes it.
  ///
  /// - Parameters:
  ///   - map: what lies under the result; nil for nothing.
  ///   - overlays: the result, the lowest first.
  ///   - view: what it shows; nil for all of the overlays.
  ///   - warn: takes warnings.
  package func write(
    on map: Map? = nil, _ overlays: [Overlay], view: DrawnView? = nil, warn: (Wording) -> Void
  ) throws {
    for line in overlays.compactMap(\.warning) { warn(Wording(line)) }
    let shown =
      try view
      ?? DrawnView(showing: overlays, width: Self.size.width, height: Self.size.height)
    let canvas = try Canvas(width: shown.width, height: shown.height, format: format)
    var painter = MapPainter(shown, on: canvas)
    painter.fill(Color(255, 255, 255))
    if let map { painter.draw(map) }
    for overlay in overlays { try painter.draw(overlay) }
    painter.annotate()
    for line in painter.warnings { warn(Wording("the picture: " + line)) }
    try output.write(try canvas.finish())
  }

  /// What a picture of points on a map shows: them, and as far round them as was looked.
  ///
  /// - Parameters:
  ///   - reach: metres; at least what is needed to see something.
  ///   - scale: the map's; nil goes by the reach.
  package func view(
    of points: [SIMD2<Double>], in reference: SpatialReference?, reach: Double, scale: Double? = nil
  ) throws -> DrawnView {
    try DrawnView(
      of: points, in: reference, reach: reach, scale: scale, width: Self.size.width,
      height: Self.size.height)
  }
}
