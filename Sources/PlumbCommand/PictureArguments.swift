import ArgumentParser
import Plumb

/// A picture beside a result.
struct PictureArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Draw the result too, on its map where it has one: PNG, SVG or PDF by the name.",
      valueName: "file"))
  var picture: String?

  func validate() throws {
    if let picture { _ = try Canvas.Format(ofName: picture, option: "--picture") }
  }
}

extension Canvas.Format {
  /// The format of a file by its name.
  init(ofName name: String, option: String) throws {
    let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
    guard name.contains("."), let format = Self(rawValue: ending) else {
      throw ValidationError(
        "\(option) \(name.printable): a picture's name ends in .png, .svg or .pdf")
    }
    self = format
  }
}

/// A picture of a result that is being made: its file is there, or cannot be, before the work begins.
struct ResultPicture {
  private let format: Canvas.Format
  private let output: ResultOutput
  /// Pixels.
  static let size = (width: 1200, height: 800)

  /// - Returns: nil where none is asked for.
  init?(_ arguments: PictureArguments, overwrite: Bool, inputs: [String] = []) throws {
    guard let path = arguments.picture else { return nil }
    format = try Canvas.Format(ofName: path, option: "--picture")
    output = try ResultOutput(path: path, overwrite: overwrite)
    try output.check(inputs: inputs)
  }

  /// Draws and writes it.
  ///
  /// - Parameters:
  ///   - map: what lies under the result; nil for nothing.
  ///   - overlays: the result, the lowest first.
  ///   - view: what it shows; nil for all of the overlays.
  func write(
    on map: Map? = nil, _ overlays: [Overlay], view: DrawnView? = nil, _ console: Console
  ) throws {
    for line in overlays.compactMap(\.warning) { console.warn(line) }
    let shown =
      try view
      ?? DrawnView(showing: overlays, width: Self.size.width, height: Self.size.height)
    let canvas = try Canvas(width: shown.width, height: shown.height, format: format)
    var painter = MapPainter(shown, on: canvas)
    painter.fill(Color(255, 255, 255))
    if let map { painter.draw(map) }
    for overlay in overlays { try painter.draw(overlay) }
    painter.annotate()
    for line in painter.warnings { console.warn("the picture: " + line) }
    try output.write(try canvas.finish())
  }

  /// What a picture of points on a map shows: them, and as far round them as was looked.
  ///
  /// - Parameters:
  ///   - reach: metres; at least what is needed to see something.
  ///   - scale: the map's; nil goes by the reach.
  func view(
    of points: [SIMD2<Double>], in reference: SpatialReference?, reach: Double, scale: Double? = nil
  ) throws -> DrawnView {
    try DrawnView(
      of: points, in: reference, reach: reach, scale: scale, width: Self.size.width,
      height: Self.size.height)
  }
}
