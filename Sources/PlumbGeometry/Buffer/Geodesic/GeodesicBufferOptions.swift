import PlumbCore

/// The accuracy of geodesic buffers.
public struct GeodesicBufferOptions: Sendable, Hashable {
  /// The curve that edges follow between their vertices; the buffer is built around these curves.
  public var curve: GeodesicCurve
  /// The greatest deviation, in metres, of the boundary from the true boundary. NaN means the smaller of
  /// 0.2 % of the distance and 0.01 m, but at least `deviationFloor`. A value below 1e-6 is an error.
  public var maxDeviation: Double
  /// The least deviation, in metres, that is used if `maxDeviation` is NaN. Without this minimum, a
  /// buffer of 1 mm would be computed with a deviation of 2 µm.
  public var deviationFloor: Double
  /// The maximum number of vertices; a buffer that would need more is an error.
  public var vertexLimit: Int
  /// The maximum number of vertices of the intermediate parts of a union, before these parts are
  /// joined; a union that would need more is an error.
  package var joinedVertexLimit = Int.max
  /// The CRS of the buffers; nil for the CRS of the geometries. The edges of a buffer are straight,
  /// and within the deviation, in the coordinates of this CRS.
  public var outputReference: SpatialReference?

  /// The default options, which are accurate enough for a map.
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
