/// The method that measures a buffer's distance.
public enum BufferMethod: Sendable, Hashable {
  /// In the plane of the CRS.
  case planar(PlanarBufferOptions = PlanarBufferOptions())
  /// Along the ellipsoid of the CRS.
  case geodesic(GeodesicBufferOptions = GeodesicBufferOptions())
}

/// The shape of planar buffers.
///
/// A buffer is the union of the strips along the edges, the joins that fill the gaps between strips
/// on the outer side of corners, and the caps at the ends of lines. A line that ends where it
/// starts has a join at this vertex and no caps; a line from one point to another and back has
/// caps. The strips and joins of an area are outside the area, or inside it for a negative
/// distance.
public struct PlanarBufferOptions: Sendable, Hashable {
  /// The shape of a buffer at the end of a line.
  public enum Cap: Sendable, Hashable {
    /// A semicircle around the end.
    case round
    /// A straight cut at the end.
    case flat
    /// Half a square that extends beyond the end by the buffer distance.
    case square
  }

  /// The shape of a buffer at an outer corner. Where a line turns straight back on itself, only a
  /// round join adds an area.
  public enum Join: Sendable, Hashable {
    /// An arc around the corner.
    case round
    /// A pointed tip. A straight line cuts off the part of the tip whose distance from the corner
    /// exceeds `limit` times the buffer distance.
    case mitre(limit: Double = 5)
    /// A straight cut between the ends of the strips.
    case bevel
  }

  /// The shape of a buffer at the ends of lines.
  public var cap: Cap
  /// The shape of a buffer at outer corners.
  public var join: Join
  /// The number of edges per quarter of a circle; at least 1.
  public var segmentsPerQuarter: Int

  /// Creates options. By default, caps and joins are round, with 32 edges per quarter circle. A
  /// number of edges below 1 is treated as 1.
  public init(cap: Cap = .round, join: Join = .round, segmentsPerQuarter: Int = 32) {
    self.cap = cap
    self.join = join
    self.segmentsPerQuarter = max(1, segmentsPerQuarter)
  }
}
