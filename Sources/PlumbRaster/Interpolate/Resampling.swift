/// The method by which the value at a point is computed from cells.
public enum Resampling: String, Sendable, CaseIterable {
  /// The value of the cell that contains the point, in the stored type.
  case nearest
  /// A value interpolated from the 2 by 2 cells around the point, as a double.
  case bilinear
  /// A value interpolated from the 4 by 4 cells around the point (Catmull-Rom), as a double.
  case cubic
}
