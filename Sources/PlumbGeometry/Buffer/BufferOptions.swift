import PlumbCore

/// How a buffer's distance is measured.
public enum BufferMethod: Sendable, Hashable {
  /// In the plane of the spatial reference.
  case planar(PlanarBufferOptions = PlanarBufferOptions())
  /// Along the ellipsoid of the spatial reference.
  case geodesic(GeodesicBufferOptions = GeodesicBufferOptions())
}

/// The shape of planar buffers.
///
/// A buffer is the union of the strips beside its edges, of what the joins fill at corners, on the
/// outer side between the strips' ends, and of the ends of lines. A line that ends where it starts
/// has a join there and no ends; one there and back between two points has ends. The strips and joins
/// of an area are on its outside, or inside with a negative distance.
public struct PlanarBufferOptions: Sendable, Hashable {
  /// How a buffer ends at the end of a line.
  public enum Cap: Sendable, Hashable {
    /// Half a circle round the end; cut off straight at it; half a square, one distance beyond it.
    case round, flat, square
  }

  /// How a buffer goes round an outer corner. Where a line turns straight back on itself, only a round
  /// join fills anything.
  public enum Join: Sendable, Hashable {
    /// An arc round the corner.
    case round
    /// Pointed, up to `limit` distances from the corner, where it is cut off straight.
    case mitre(limit: Double = 5)
    /// Cut off straight between the ends of the strips.
    case bevel
  }

  /// How a buffer ends at the ends of lines.
  public var cap: Cap
  /// How a buffer goes round outer corners.
  public var join: Join
  /// Edges in a quarter of a circle; at least 1.
  public var segmentsPerQuarter: Int

  /// Round ends and corners of 32 edges a quarter, unless said otherwise; fewer than 1 count as 1.
  public init(cap: Cap = .round, join: Join = .round, segmentsPerQuarter: Int = 32) {
    self.cap = cap
    self.join = join
    self.segmentsPerQuarter = max(1, segmentsPerQuarter)
  }
}

/// How the edges of a geometry run on the ellipsoid between their vertices.
public enum GeodesicCurve: String, Sendable, Hashable, CaseIterable {
  /// The shortest way.
  case geodesic
  /// The line of constant bearing.
  case loxodrome
  /// The plane through both ends and the ellipsoid's centre.
  case greatElliptic = "great-elliptic"
  /// The plane through the first end's normal and the second end.
  case normalSection = "normal-section"
  /// The straight line in the geometry's own coordinates.
  case shapePreserving = "shape-preserving"
}

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
