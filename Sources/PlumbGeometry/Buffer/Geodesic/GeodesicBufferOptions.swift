import PlumbCore

/// The accuracy of geodesic buffers.
public struct GeodesicBufferOptions: Sendable, Hashable {
  /// The curve of edges between their vertices; the buffer is built round that line.
  public var curve: GeodesicCurve
  /// The greatest deviation, in metres, of the boundary from the true one; NaN means the smaller of
  /// 0.2 % of the distance and 0.01 m, but at least `deviationFloor`. Less than 1e-6 is an error.
  public var maxDeviation: Double
  /// The least deviation, in metres, that NaN results in. Without it a buffer of a millimetre would
  /// be computed to two micrometres.
  public var deviationFloor: Double
  /// The maximum number of vertices; a buffer that would need more is an error.
  public var vertexLimit: Int
  /// The CRS of the buffers, in which their straight edges keep the deviation; nil for the CRS of the
  /// geometries.
  public var outputReference: SpatialReference?

  /// By default, each buffer is as accurate as a map needs.
  public init(
    curve: GeodesicCurve = .geodesic, maxDeviation: Double = .nan, deviationFloor: Double = 1e-5,
    vertexLimit: Int = 10_000_000, outputReference: SpatialReference? = nil
  ) {
    self.curve = curve
    self.maxDeviation = maxDeviation
    self.deviationFloor = deviationFloor
    self.vertexLimit = vertexLimit
    self.outputReference = outputReference
  }
}
