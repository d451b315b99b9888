/// The scales at which a layer is drawn, as denominators.
public struct ScaleRange: Sendable, Hashable {
  /// The smallest scale, i.e. the largest denominator; 0 for no limit.
  public var minScale: Double
  /// The largest scale, i.e. the smallest denominator; 0 for no limit.
  public var maxScale: Double

  /// Creates a range of denominators; 0 for no limit.
  public init(minScale: Double = 0, maxScale: Double = 0) {
    self.minScale = minScale
    self.maxScale = maxScale
  }

  /// Whether the range contains a scale; the limits are included.
  public func contains(_ scale: Double) -> Bool {
    (minScale == 0 || scale <= minScale) && (maxScale == 0 || scale >= maxScale)
  }
}
