import PlumbCore

/// The part of a map that a view shows.
public struct Viewpoint: Sendable, Hashable {
  /// The centre of the view, in the map's CRS unless the point has another CRS.
  public var center: Point
  /// The denominator of the scale, based on the nominal size of the map's unit.
  public var scale: Double
  /// The counter-clockwise rotation of the map on the screen in degrees: at 90, north is left.
  public var rotation: Double

  /// Creates a viewpoint, by default with north up.
  public init(center: Point, scale: Double, rotation: Double = 0) {
    self.center = center
    self.scale = scale
    self.rotation = rotation
  }
}

extension SpatialReference {
  /// The nominal length of a unit of x and y in metres, for scales: the length of a degree is its length on
  /// the equator, regardless of the latitude.
  package var metresPerUnit: Double {
    isGeographic
      ? unit.factor * (ellipsoid ?? .wgs84).semiMajorAxis : unit.factor
  }
}

/// A length on the screen.
package enum Pixel {
  /// The size of a device-independent pixel, 1/96 inch, in metres.
  package static let metres = 0.0254 / 96

  /// The side of a pixel in map units at a scale.
  package static func side(atScale scale: Double, in reference: SpatialReference?) -> Double {
    scale * metres / (reference?.metresPerUnit ?? 1)
  }
}
