/// How a feature is drawn, as far as it matters for what lies under a point: its size in
/// device-independent pixels (1/96 inch).
public enum Symbol: Sendable, Hashable {
  /// A marker of a width and height, hit like a disc.
  case marker(size: Double)
  /// A line of a width.
  case line(width: Double)
  /// An area with an outline, half of which lies outside the area.
  case fill(outlineWidth: Double)

  /// How far the symbol reaches beyond the geometry, in pixels; 0 for a size that is not a positive
  /// number.
  public var extent: Double {
    let size =
      switch self {
      case .marker(let size): size
      case .line(let width): width
      case .fill(let width): width
      }
    return size > 0 && size.isFinite ? size / 2 : 0
  }
}
