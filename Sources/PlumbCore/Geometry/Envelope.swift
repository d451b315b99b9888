/// A rectangle whose sides are parallel to the axes.
public struct Envelope: Sendable, Hashable {
  /// The least easting or longitude.
  public var xMin: Double
  /// The least northing or latitude.
  public var yMin: Double
  /// The greatest easting or longitude.
  public var xMax: Double
  /// The greatest northing or latitude.
  public var yMax: Double
  /// The least and greatest height; nil if there are no heights.
  public var zRange: ClosedRange<Double>?
  /// The least and greatest measure; nil if there are no measures.
  public var mRange: ClosedRange<Double>?
  /// The CRS of the coordinates; nil if it is unknown.
  public var spatialReference: SpatialReference?

  /// An envelope with these bounds. If a minimum exceeds its maximum, the bounds are not swapped,
  /// and the envelope is empty.
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

  /// An envelope that contains no points.
  public static func empty(_ spatialReference: SpatialReference? = nil) -> Envelope {
    Envelope(xMin: .nan, yMin: .nan, xMax: .nan, yMax: .nan, spatialReference: spatialReference)
  }

  /// Whether the envelope contains no points: a bound is NaN, or a minimum exceeds its maximum.
  public var isEmpty: Bool { !(xMin <= xMax && yMin <= yMax) }

  /// The envelope as a polygon: one ring, clockwise from the lower left corner.
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
