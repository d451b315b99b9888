/// A window whose sides run along the axes.
public struct Envelope: Sendable, Hashable {
  /// The least easting or longitude.
  public var xMin: Double
  /// The least northing or latitude.
  public var yMin: Double
  /// The greatest easting or longitude.
  public var xMax: Double
  /// The greatest northing or latitude.
  public var yMax: Double
  /// Least and greatest height; nil without.
  public var zRange: ClosedRange<Double>?
  /// Least and greatest measure; nil without.
  public var mRange: ClosedRange<Double>?
  /// What the coordinates are in; nil where it is not known.
  public var spatialReference: SpatialReference?

  /// A window as its bounds say; one with the least above the greatest is empty, not turned round.
  public init(
    xMin: Double, yMin: Double, xMax: Double, yMax: Double, zRange: ClosedRange<Double>? = nil,
    mRange: ClosedRange<Double>? = nil, spatialReference: SpatialReference? = nil
  ) {
    self.xMin = xMin
    self.yMin = yMin
    self.xMax = xMax
    self.yMax = yMax
    self.zRange = zRange
    self.mRange = mRange
    self.spatialReference = spatialReference
  }

  /// A window without any point in it.
  public static func empty(_ spatialReference: SpatialReference? = nil) -> Envelope {
    Envelope(xMin: .nan, yMin: .nan, xMax: .nan, yMax: .nan, spatialReference: spatialReference)
  }

  /// Whether there is no point in it: a bound is not a number, or the least above the greatest.
  public var isEmpty: Bool { !(xMin <= xMax && yMin <= yMax) }

  /// The window as an area: one ring, clockwise from the lower left corner.
  public var polygon: Polygon {
    guard !isEmpty else { return .empty(spatialReference) }
    return Polygon(
      canonical: VertexList([
        SIMD2(xMin, yMin), SIMD2(xMin, yMax), SIMD2(xMax, yMax), SIMD2(xMax, yMin),
        SIMD2(xMin, yMin),
      ]),
      ringEnds: [5], partEnds: [1], spatialReference: spatialReference)
  }
}
