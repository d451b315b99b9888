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
