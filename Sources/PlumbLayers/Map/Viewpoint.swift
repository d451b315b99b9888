import PlumbCore

/// What a view shows of a map.
public struct Viewpoint: Sendable, Hashable {
  /// In the middle of the view; in the map's reference unless it says another.
  public var center: Point
  /// The denominator of the scale, by the nominal size of the map's unit.
  public var scale: Double
  /// Degrees by which the map is turned counter-clockwise on the screen: at 90, north is left.
  public var rotation: Double

  /// What a view shows, with north up unless `rotation` says otherwise.
  public init(center: Point, scale: Double, rotation: Double = 0) {
    self.center = center
    self.scale = scale
    self.rotation = rotation
  }
}

extension SpatialReference {
  /// The nominal length of a unit of x and y in metres, which scales go by: degrees count on the
  /// equator, whatever the latitude.
  package var metresPerUnit: Double {
    isGeographic
      ? unit.factor * (ellipsoid ?? .wgs84).semiMajorAxis : unit.factor
  }
}

/// A length on the screen.
package enum Pixel {
  /// Metres in a device-independent pixel, 1/96 inch.
  package static let metres = 0.0254 / 96

  /// The side of a pixel in map units at a scale.
  package static func side(atScale scale: Double, in reference: SpatialReference?) -> Double {
    scale * metres / (reference?.metresPerUnit ?? 1)
  }
}
