/// The scales at which a layer is drawn, by the denominators of their fractions.
public struct ScaleRange: Sendable, Hashable {
  /// The smallest scale, that is the greatest denominator; 0 for no limit.
  public var minScale: Double
  /// The largest scale, that is the least denominator; 0 for no limit.
  public var maxScale: Double

  /// Limits as denominators; 0 for none.
  public init(minScale: Double = 0, maxScale: Double = 0) {
    self.minScale = minScale
    self.maxScale = maxScale
  }

  /// Whether the layer is drawn at a scale, its limits among it.
  public func contains(_ scale: Double) -> Bool {
    (minScale == 0 || scale <= minScale) && (maxScale == 0 || scale >= maxScale)
  }
}
