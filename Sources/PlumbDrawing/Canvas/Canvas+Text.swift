import CCairo
import PlumbCore
import PlumbIO
import PlumbLayers

/// The fonts of pictures.
enum Font {
  case regular, bold

  /// The font's face; nil if the font is not installed.
  fileprivate var face: OpaquePointer? {
    switch self {
    case .regular: Self.regularFace?.pointer
    case .bold: Self.boldFace?.pointer ?? Self.regularFace?.pointer
    }
  }

  /// Whether text can be drawn.
  static var isInstalled: Bool { regularFace != nil }

  /// The warning if text cannot be drawn.
  static let missing =
    "the font DejaVu Sans is not installed (Debian's fonts-dejavu-core): the picture has no text"

  /// - Invariant: the font is never freed, and Cairo locks the font during use.
  private struct Face: @unchecked Sendable {
    var pointer: OpaquePointer
  }

  /// The folder of a bundle's fonts, and the folders where systems install the font.
  private static let folders =
    (ProgramBundle.path("share/fonts").map { [$0] } ?? []) + [
      "/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu-sans-fonts",
      "/usr/share/fonts/dejavu", "/usr/share/fonts/TTF", "/usr/local/share/fonts/dejavu",
    ]

  private static func face(_ file: String) -> Face? {
    folders.lazy.compactMap { plumb_cairo_font("\($0)/\(file)") }.first.map { Face(pointer: $0) }
  }

  private static let regularFace = face("DejaVuSans.ttf")
  private static let boldFace = face("DejaVuSans-Bold.ttf")
}

/// Drawing of text.
extension Canvas {
  private func select(_ font: Font, _ size: Double) -> Bool {
    guard let face = font.face else { return false }
    cairo_set_font_face(context, face)
    cairo_set_font_size(context, size)
    return true
  }

  /// The width of text; 0 if there is no font.
  func width(of text: String, size: Double, _ font: Font = .regular) -> Double {
    guard select(font, size) else { return 0 }
    var extents = cairo_text_extents_t()
    cairo_text_extents(context, text, &extents)
    return extents.x_advance
  }

  /// Returns the text, cut and with an ellipsis if the text is wider than `width`.
  func fitted(_ text: String, width: Double, size: Double, _ font: Font = .regular) -> String {
    var text = text
    guard self.width(of: text, size: size, font) > width else { return text }
    // More characters would not be readable, and each step below measures the remaining text.
    text = String(text.prefix(200))
    while !text.isEmpty, self.width(of: text + "…", size: size, font) > width { text.removeLast() }
    return text + "…"
  }

  /// Draws one line of text; draws nothing without a font.
  ///
  /// - Parameters:
  ///   - text: printable characters.
  ///   - origin: the start of the baseline.
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
