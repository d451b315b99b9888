import PlumbCore

/// The accuracy of geodesic buffers.
public struct GeodesicBufferOptions: Sendable, Hashable {
  /// How edges run between their vertices; the buffer is drawn round that line.
  public var curve: GeodesicCurve
  /// How far, in metres, the boundary may lie from the true one; NaN takes the tighter of 0.2 % of
  /// the distance and 0.01 m, but no less than `deviationFloor`. Less than 1e-6 is an error.
  public var maxDeviation: Double
  /// Metres; the least deviation that NaN leads to. Without it a buffer of a millimetre would be
  /// drawn to two micrometres.
  public var deviationFloor: Double
  /// A buffer that would need more vertices is an error.
  public var vertexLimit: Int
  /// What the buffers are wanted in: their straight edges then keep the deviation there, whatever
  /// the geometries' own reference. Nil for that one.
  public var outputReference: SpatialReference?

  /// Options that draw each buffer as exactly as a map needs, unless said otherwise.
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
