import PlumbCore
import PlumbGeometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Shapes of views that extend around the world. A Web Mercator view may extend beyond 180 degrees,
/// or show the world more than once.
enum PeriodicShapes {
  private static let webMercator = "EPSG:3857"
  private static let radius = 6_378_137.0

  /// Returns a shape in a CRS and, if x is periodic, copies of the shape shifted by one period to
  /// the west and to the east, so that features are found in any range of longitudes.
  static func copies(
    of geometry: Geometry, in target: SpatialReference?
  ) throws(ServiceError) -> [Geometry] {
    guard let source = geometry.spatialReference, let target, !geometry.isEmpty else {
      return [try GeometryText.projected(geometry, to: target)]
    }
    let isMercator = source.definition == webMercator
    if source == target || source.isEquivalent(to: target) {
      let period = isMercator ? 2 * Double.pi * radius : target.period
      return turns(of: geometry, period, target)
    }
    if isMercator, SpatialReference.wgs84.isEquivalent(to: target) {
      return turns(of: try degrees(geometry), 360, target)
    }
    if isMercator {
      // A copy that extends beyond ±180 degrees is cut, because PROJ only returns longitudes from
      // −180 to 180.
      let box = Geometry.polygon(
        Envelope(xMin: -180, yMin: -90, xMax: 180, yMax: 90, spatialReference: .wgs84).polygon)
      var copies: [Geometry] = []
      for copy in turns(of: try degrees(geometry), 360, .wgs84) {
        let window = copy.envelope
        if window.xMin >= -180, window.xMax <= 180 {
          copies.append(try GeometryText.projected(copy, to: target))
        } else if window.xMax >= -180, window.xMin <= 180 {
          let part: Geometry?
          do {
            part = try GeometryEngine.intersection(copy, box)
          } catch {
            throw ServiceError(error)
          }
          // `part` is nil if the copy and the box do not intersect.
          if let part { copies.append(try GeometryText.projected(part, to: target)) }
        }
      }
      return copies
    }
    if source.isEquivalent(to: .wgs84), target.definition == webMercator {
      let metres = geometry.mapped { location in
        let latitude = max(-89.9, min(89.9, location.y)) * .pi / 180
        return SIMD2(
          location.x * .pi / 180 * radius, radius * log(tan(.pi / 4 + latitude / 2)))
      }
      return turns(of: metres, 2 * .pi * radius, target)
    }
    return [try GeometryText.projected(geometry, to: target)]
  }

  private static func turns(
    of geometry: Geometry, _ period: Double?, _ reference: SpatialReference
  ) -> [Geometry] {
    var copy = geometry
    copy.spatialReference = reference
    guard let period else { return [copy] }
    return [copy]
      + [-period, period].map { shift in
        copy.mapped { SIMD2($0.x + shift, $0.y) }
      }
  }

  /// Converts a Web Mercator shape to degrees. Longitudes may exceed 180 degrees. Edges along
  /// meridians and parallels are straight in both CRSs. Other edges are densified.
  private static func degrees(_ geometry: Geometry) throws(ServiceError) -> Geometry {
    var shape = geometry
    let box = geometry.envelope
    let longest = max(box.xMax - box.xMin, box.yMax - box.yMin) / 64
    switch geometry {
    case .polyline, .polygon:
      if longest > 0, longest.isFinite {
        do {
          shape = try GeometryEngine.densify(geometry, maxSegmentLength: longest)
        } catch {
          throw ServiceError(error)
        }
      }
    case .point, .multipoint, .envelope: break
    }
    var result = shape.mapped { location in
      SIMD2(
        location.x / radius * 180 / .pi, atan(sinh(location.y / radius)) * 180 / .pi)
    }
    result.spatialReference = .wgs84
    return result
  }
}
