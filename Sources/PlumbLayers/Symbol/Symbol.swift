import PlumbCore

/// How a feature is drawn. Lengths are device-independent pixels (1/96 inch).
public enum Symbol: Sendable, Hashable {
  /// A marker, hit like a disc.
  case marker(MarkerSymbol)
  /// A line.
  case line(LineSymbol)
  /// An area.
  case fill(FillSymbol)

  /// A marker of a width and height.
  public static func marker(size: Double) -> Symbol { .marker(MarkerSymbol(size: size)) }

  /// A line of a width.
  public static func line(width: Double) -> Symbol { .line(LineSymbol(width: width)) }

  /// An area with an outline of a width.
  public static func fill(outlineWidth: Double) -> Symbol {
    .fill(FillSymbol(outline: LineSymbol(width: outlineWidth)))
  }

  /// How far the symbol reaches beyond the geometry, in pixels; 0 for a size that is not a positive
  /// number. Half of an area's outline lies outside the area; a marker's outline does not count.
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

/// A mark at a point.
public struct MarkerSymbol: Sendable, Hashable {
  /// A marker's outline.
  public enum Shape: String, Sendable, Hashable {
    /// Filled shapes; `cross` and `x` are strokes of the outline.
    case circle, square, diamond, triangle, cross, x
  }

  /// The width and height.
  public var size: Double
  /// What it looks like.
  public var shape: Shape
  /// Nil for no filling.
  public var color: Color?
  /// Nil for none.
  public var outline: LineSymbol?

  /// A grey disc without an outline, unless said otherwise.
  public init(
    size: Double, shape: Shape = .circle, color: Color? = .gray, outline: LineSymbol? = nil
  ) {
    self.size = size
    self.shape = shape
    self.color = color
    self.outline = outline
  }
}

/// A line along a shape.
public struct LineSymbol: Sendable, Hashable {
  /// How a line is broken.
  public enum Dash: String, Sendable, Hashable {
    /// From one piece to dots.
    case solid, dash, dot, dashDot, dashDotDot
  }

  /// 0 for a line that is not drawn.
  public var width: Double
  /// What it is drawn in.
  public var color: Color
  /// How it is broken.
  public var dash: Dash

  /// A grey, solid line, unless said otherwise.
  public init(width: Double, color: Color = .gray, dash: Dash = .solid) {
    self.width = width
    self.color = color
    self.dash = dash
  }
}

/// An area's inside and outline.
public struct FillSymbol: Sendable, Hashable {
  /// Lines across an area in place of a whole colour.
  public enum Pattern: String, Sendable, Hashable {
    /// The whole colour.
    case solid
    /// Lines that run to the right, up, down to the right, up to the right, and two of these.
    case horizontal, vertical, forwardDiagonal, backwardDiagonal, cross, diagonalCross
  }

  /// Nil for no filling.
  public var color: Color?
  /// How the colour is laid on.
  public var pattern: Pattern
  /// Nil for none.
  public var outline: LineSymbol?

  /// A pale grey area, unless said otherwise.
  public init(
    color: Color? = .paleGray, pattern: Pattern = .solid, outline: LineSymbol? = nil
  ) {
    self.color = color
    self.pattern = pattern
    self.outline = outline
  }
}
