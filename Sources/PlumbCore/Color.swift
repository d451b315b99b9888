/// A colour with red, green, blue and alpha components from 0 to 255, not premultiplied by alpha.
public struct Color: Sendable, Hashable {
  /// From 0 to 255.
  public var red, green, blue: UInt8
  /// From 0 (fully transparent) to 255 (opaque).
  public var alpha: UInt8

  /// A colour, opaque by default.
  public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, alpha: UInt8 = 255) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }

  /// A colour from one number: red in the highest 8 bits, alpha in the lowest.
  package init(rgba: UInt32) {
    func part(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: rgba >> shift) }
    self.init(part(24), part(16), part(8), alpha: part(0))
  }

  /// The colour as one number.
  package var rgba: UInt32 {
    UInt32(red) << 24 | UInt32(green) << 16 | UInt32(blue) << 8 | UInt32(alpha)
  }

  /// The stroke colour of shapes for which the document specifies no colour.
  public static let gray = Color(110, 110, 110)
  /// The fill colour of areas for which the document specifies no colour.
  public static let paleGray = Color(110, 110, 110, alpha: 60)
}
