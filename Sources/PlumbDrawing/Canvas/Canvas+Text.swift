import CCairo
import PlumbCore
import PlumbLayers

/// Fonts that pictures are written in.
enum Font {
  case regular, bold

  /// Nil where the font is not installed.
  fileprivate var face: OpaquePointer? {
    switch self {
    case .regular: Self.regularFace?.pointer
    case .bold: Self.boldFace?.pointer ?? Self.regularFace?.pointer
    }
  }

  /// Whether anything can be written.
  static var isInstalled: Bool { regularFace != nil }

  /// What is said once where nothing can.
  static let missing =
    "the font DejaVu Sans is not installed (Debian's fonts-dejavu-core): the picture has no text"

  /// - Invariant: the font is never freed, and Cairo locks it where it is used.
  private struct Face: @unchecked Sendable {
    var pointer: OpaquePointer
  }

  /// Where systems have the font.
  private static let folders = [
    "/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu-sans-fonts",
    "/usr/share/fonts/dejavu", "/usr/share/fonts/TTF", "/usr/local/share/fonts/dejavu",
  ]

  private static func face(_ file: String) -> Face? {
    folders.lazy.compactMap { plumb_cairo_font("\($0)/\(file)") }.first.map { Face(pointer: $0) }
  }

  private static let regularFace = face("DejaVuSans.ttf")
  private static let boldFace = face("DejaVuSans-Bold.ttf")
}

/// Text.
extension Canvas {
  private func select(_ font: Font, _ size: Double) -> Bool {
    guard let face = font.face else { return false }
    cairo_set_font_face(context, face)
    cairo_set_font_size(context, size)
    return true
  }

  /// How wide a text is; 0 without a font.
  func width(of text: String, size: Double, _ font: Font = .regular) -> Double {
    guard select(font, size) else { return 0 }
    var extents = cairo_text_extents_t()
    cairo_text_extents(context, text, &extents)
    return extents.x_advance
  }

  /// The text, or as much of its start as fits a width, with an ellipsis.
  func fitted(_ text: String, width: Double, size: Double, _ font: Font = .regular) -> String {
    var text = text
    guard self.width(of: text, size: size, font) > width else { return text }
    // Nobody reads more of it, and each step measures what is left.
    text = String(text.prefix(200))
    while !text.isEmpty, self.width(of: text + "…", size: size, font) > width { text.removeLast() }
    return text + "…"
  }

  /// Writes one line; nothing without a font.
  ///
  /// - Parameters:
  ///   - text: of printable characters.
  ///   - origin: where its baseline begins.
  func write(
    _ text: String, at origin: SIMD2<Double>, size: Double, _ font: Font = .regular,
    color: Color = Color(34, 34, 34)
  ) {
    guard select(font, size) else { return }
    setSource(color)
    cairo_move_to(context, origin.x, origin.y)
    cairo_show_text(context, text)
    cairo_new_path(context)
  }

  /// Fills a rectangle.
  func fill(x: Double, y: Double, width: Double, height: Double, _ fill: FillSymbol) {
    self.fill(
      [
        Path(
          points: [
            SIMD2(x, y), SIMD2(x + width, y), SIMD2(x + width, y + height), SIMD2(x, y + height),
          ], isClosed: true)
      ], fill)
  }
}
