/// One place.
public struct Point: Sendable, Hashable {
  /// Easting or longitude; NaN in an empty point.
  public var x: Double
  /// Northing or latitude; NaN in an empty point.
  public var y: Double
  /// Height; nil without.
  public var z: Double?
  /// Measure; nil without.
  public var m: Double?
  public var spatialReference: SpatialReference?

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

  public var isEmpty: Bool { x.isNaN && y.isNaN }

  package var xy: SIMD2<Double> { SIMD2(x, y) }
}

/// Any number of places that belong together.
public struct Multipoint: Sendable, Hashable {
  public var vertices: VertexList
  public var spatialReference: SpatialReference?

  public init(_ vertices: VertexList, spatialReference: SpatialReference? = nil) {
    self.vertices = vertices
    self.spatialReference = spatialReference
  }

  public var isEmpty: Bool { vertices.isEmpty }
}
