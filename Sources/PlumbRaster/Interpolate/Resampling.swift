/// The method of computing a value from cells.
public enum Resampling: String, Sendable, CaseIterable {
  /// The value of the cell that contains the point, in the stored type.
  case nearest
  /// From the 2 by 2 cells around the point, as a double.
  case bilinear
  /// From the 4 by 4 cells around the point (Catmull-Rom), as a double.
  case cubic
}
