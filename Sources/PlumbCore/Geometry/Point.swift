/// One point.
public struct Point: Sendable, Hashable {
  /// Easting or longitude; NaN in an empty point.
  public var x: Double
  /// Northing or latitude; NaN in an empty point.
  public var y: Double
  /// Height; nil without.
  public var z: Double?
  /// Measure; nil without.
  public var m: Double?
  /// What x and y are in; nil where it is not known.
  public var spatialReference: SpatialReference?

  /// A point; x is easting or longitude whatever the reference's own axis order.
  public init(
    x: Double, y: Double, z: Double? = nil, m: Double? = nil,
    spatialReference: SpatialReference? = nil
  ) {
    self.x = x
    self.y = y
    self.z = z
    self.m = m
    self.spatialReference = spatialReference
  }

  /// A point that is nowhere.
  public static func empty(_ spatialReference: SpatialReference? = nil) -> Point {
    Point(x: .nan, y: .nan, spatialReference: spatialReference)
  }

  /// Whether x and y are both NaN.
  public var isEmpty: Bool { x.isNaN && y.isNaN }

  package var xy: SIMD2<Double> { SIMD2(x, y) }
}

/// Any number of points that belong together.
public struct Multipoint: Sendable, Hashable {
  /// The points in their order.
  public var vertices: VertexList
  /// What the coordinates are in; nil where it is not known.
  public var spatialReference: SpatialReference?

  /// A shape of these points, in this order.
  public init(_ vertices: VertexList, spatialReference: SpatialReference? = nil) {
    self.vertices = vertices
    self.spatialReference = spatialReference
  }

  /// Whether there are no points.
  public var isEmpty: Bool { vertices.isEmpty }
}
