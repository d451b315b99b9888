import CPROJ
import PlumbCore

/// Geodesics on an ellipsoid, by PROJ's `geodesic.h` (C. F. F. Karney, Algorithms for geodesics, J.
/// Geodesy 87, 43–55, 2013). Angles are in degrees, x is longitude and y latitude; azimuths are
/// clockwise from north; distances are in metres.
package struct Geodesic: Sendable {
  let ellipsoid: SpatialReference.Ellipsoid
  private var constants = geod_geodesic()

  package init(_ ellipsoid: SpatialReference.Ellipsoid) {
    self.ellipsoid = ellipsoid
    geod_init(&constants, ellipsoid.semiMajorAxis, ellipsoid.flattening)
  }

  /// The semi-minor axis in metres.
  var semiMinorAxis: Double { ellipsoid.semiMajorAxis * (1 - ellipsoid.flattening) }

  /// The shortest path between two points.
  package struct Inverse {
    /// The distance in metres.
    package var distance: Double
    /// The azimuths of the path at its start and, in the forward direction, at its end.
    package var startAzimuth: Double
    package var endAzimuth: Double
  }

  package func inverse(from a: SIMD2<Double>, to b: SIMD2<Double>) -> Inverse {
    var result = Inverse(distance: 0, startAzimuth: 0, endAzimuth: 0)
    withUnsafePointer(to: constants) {
      geod_inverse(
        $0, a.y, a.x, b.y, b.x, &result.distance, &result.startAzimuth, &result.endAzimuth)
    }
    return result
  }

  package func distance(from a: SIMD2<Double>, to b: SIMD2<Double>) -> Double {
    var distance = 0.0
    withUnsafePointer(to: constants) { geod_inverse($0, a.y, a.x, b.y, b.x, &distance, nil, nil) }
    return distance
  }

  /// The point at a distance along an azimuth, with its longitude in [−180, 180].
  func direct(
    from point: SIMD2<Double>, azimuth: Double, distance: Double
  ) -> SIMD2<Double> {
    var (x, y) = (0.0, 0.0)
    withUnsafePointer(to: constants) {
      geod_direct($0, point.y, point.x, azimuth, distance, &y, &x, nil)
    }
    return SIMD2(x, y)
  }

  /// A geodesic line on which many points are computed.
  package struct Line {
    private var line = geod_geodesicline()

    init(_ geodesic: Geodesic, from point: SIMD2<Double>, azimuth: Double) {
      withUnsafePointer(to: geodesic.constants) {
        geod_lineinit(&line, $0, point.y, point.x, azimuth, 0)
      }
    }

    /// The point and the azimuth at a distance from the start.
    package func point(at distance: Double) -> (point: SIMD2<Double>, azimuth: Double) {
      var (x, y) = (0.0, 0.0)
      var azimuth = 0.0
      withUnsafePointer(to: line) {
        geod_position($0, distance, &y, &x, &azimuth)
      }
      return (SIMD2(x, y), azimuth)
    }

    /// The point at a distance. Its longitude is continuous from the start, so it is beyond ±180°
    /// after the line has crossed that meridian.
    func unrolledPoint(at distance: Double) -> SIMD2<Double> {
      var (x, y) = (0.0, 0.0)
      withUnsafePointer(to: line) {
        _ = geod_genposition(
          $0, GEOD_LONG_UNROLL.rawValue, distance, &y, &x, nil, nil, nil, nil, nil, nil)
      }
      return SIMD2(x, y)
    }
  }

  package func line(from point: SIMD2<Double>, azimuth: Double) -> Line {
    Line(self, from: point, azimuth: azimuth)
  }

  /// The area in square metres between the equator and the geodesic from one point to another,
  /// positive if the geodesic runs eastward in the northern hemisphere.
  func areaBeneath(from a: SIMD2<Double>, to b: SIMD2<Double>) -> Double {
    var area = 0.0
    withUnsafePointer(to: constants) {
      _ = geod_geninverse($0, a.y, a.x, b.y, b.x, nil, nil, nil, nil, nil, nil, &area)
    }
    return area
  }

  /// Area in square metres (positive counter-clockwise) and perimeter in metres of a closed ring of
  /// geodesics; the last vertex may repeat the first.
  func areaAndPerimeter(
    ofRing vertices: some Sequence<SIMD2<Double>>
  ) -> (area: Double, perimeter: Double) {
    var polygon = geod_polygon()
    geod_polygon_init(&polygon, 0)
    var area = 0.0
    var perimeter = 0.0
    withUnsafePointer(to: constants) { constants in
      for point in vertices { geod_polygon_addpoint(constants, &polygon, point.y, point.x) }
      geod_polygon_compute(constants, &polygon, 0, 1, &area, &perimeter)
    }
    return (area, perimeter)
  }
}
