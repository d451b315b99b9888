import PlumbCore

/// The symbol of a feature. Lengths are in device-independent pixels (1/96 inch).
public enum Symbol: Sendable, Hashable {
  /// A marker, which hit tests treat as a disc.
  case marker(MarkerSymbol)
  /// A line.
  case line(LineSymbol)
  /// An area.
  case fill(FillSymbol)

  /// A marker with the given width and height.
  public static func marker(size: Double) -> Symbol { .marker(MarkerSymbol(size: size)) }

  /// A line with the given width.
  public static func line(width: Double) -> Symbol { .line(LineSymbol(width: width)) }

  /// An area with an outline of the given width.
  public static func fill(outlineWidth: Double) -> Symbol {
    .fill(FillSymbol(outline: LineSymbol(width: outlineWidth)))
  }

  /// The extent of the symbol beyond the geometry, in pixels; 0 for a size that is not a positive number.
  /// Half of an area's outline is outside the area; a marker's outline does not count.
  public var extent: Double {
    let size =
      switch self {
      case .marker(let marker): marker.size
      case .line(let line): line.width
      case .fill(let fill): fill.outline?.width ?? 0
      }
    return size > 0 && size.isFinite ? size / 2 : 0
  }
}

/// The symbol of a point.
public struct MarkerSymbol: Sendable, Hashable {
  /// The shape of a marker.
  public enum Shape: String, Sendable, Hashable {
    /// Filled shapes; `cross` and `x` are strokes of the outline.
    case circle, square, diamond, triangle, cross, x
  }

  /// The width and height.
  public var size: Double
  /// The shape of the marker.
  public var shape: Shape
  /// The fill colour; nil for none.
  public var color: Color?
  /// The outline; nil for none.
  public var outline: LineSymbol?

  /// Creates a marker, by default a grey disc without an outline.
  public init(
    size: Double, shape: Shape = .circle, color: Color? = .gray, outline: LineSymbol? = nil
  ) {
    self.size = size
    self.shape = shape
    self.color = color
    self.outline = outline
  }
}

/// The symbol of a line.
public struct LineSymbol: Sendable, Hashable {
  /// The dash pattern of a line.
  public enum Dash: String, Sendable, Hashable {
    /// Patterns from a continuous line to dots.
    case solid, dash, dot, dashDot, dashDotDot
  }

  /// The width; 0 for a line that is not drawn.
  public var width: Double
  /// The colour of the line.
  public var color: Color
  /// The dash pattern.
  public var dash: Dash

  /// Creates a line, by default grey and solid.
  public init(width: Double, color: Color = .gray, dash: Dash = .solid) {
    self.width = width
    self.color = color
    self.dash = dash
  }
}

/// The fill and outline of an area.
public struct FillSymbol: Sendable, Hashable {
  /// The fill pattern of an area.
  public enum Pattern: String, Sendable, Hashable {
    /// A solid colour.
    case solid
    /// Lines that are horizontal, vertical, descending to the right or ascending to the right; crossed
    /// horizontal and vertical lines; crossed diagonal lines.
    case horizontal, vertical, forwardDiagonal, backwardDiagonal, cross, diagonalCross
  }

  /// The fill colour; nil for none.
  public var color: Color?
  /// The fill pattern.
  public var pattern: Pattern
  /// The outline; nil for none.
  public var outline: LineSymbol?

  /// Creates a fill, by default pale grey.
  public init(
    color: Color? = .paleGray, pattern: Pattern = .solid, outline: LineSymbol? = nil
  ) {
    self.color = color
    self.pattern = pattern
    self.outline = outline
  }
}
