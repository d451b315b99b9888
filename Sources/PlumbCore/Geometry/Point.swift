/// One point.
public struct Point: Sendable, Hashable {
  /// Easting or longitude; NaN in an empty point.
  public var x: Double
  /// Northing or latitude; NaN in an empty point.
  public var y: Double
  /// Height; nil if there is none.
  public var z: Double?
  /// Measure; nil if there is none.
  public var m: Double?
  /// The CRS of x and y; nil if it is unknown.
  public var spatialReference: SpatialReference?

  /// A point; x is easting or longitude regardless of the axis order of the CRS.
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

  /// A point without coordinates.
  public static func empty(_ spatialReference: SpatialReference? = nil) -> Point {
    Point(x: .nan, y: .nan, spatialReference: spatialReference)
  }

  /// Whether x and y are both NaN.
  public var isEmpty: Bool { x.isNaN && y.isNaN }

  package var xy: SIMD2<Double> { SIMD2(x, y) }
}

/// Several points as one geometry.
public struct Multipoint: Sendable, Hashable {
  /// The points in order.
  public var vertices: VertexList
  /// The CRS of the coordinates; nil if it is unknown.
  public var spatialReference: SpatialReference?

  /// A multipoint of these points, in this order.
  public init(_ vertices: VertexList, spatialReference: SpatialReference? = nil) {
    self.vertices = vertices
    self.spatialReference = spatialReference
  }

  /// Whether there are no points.
  public var isEmpty: Bool { vertices.isEmpty }
}
