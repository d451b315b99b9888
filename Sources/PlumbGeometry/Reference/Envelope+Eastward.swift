import PlumbCore

extension Envelope {
  /// The extent with ascending x. If `xMin` exceeds `xMax`, the extent crosses the antimeridian, and one
  /// period is added to `xMax`.
  ///
  /// - Throws: `bad_option` if `xMin` exceeds `xMax` and x has no period.
  package var eastward: Envelope {
    get throws(GeometryError) {
      guard xMin > xMax else { return self }
      guard let period = spatialReference?.planePeriod, xMin.isFinite, xMax.isFinite else {
        throw GeometryError(
          "the extent's west, \(xMin), exceeds its east, \(xMax): an extent across 180 degrees of "
            + "longitude needs degrees, or a projection whose x goes around the world",
          code: .badOption)
      }
      var result = self
      result.xMax += period * ((xMin - xMax) / period).rounded(.up)
      return result
    }
  }
}
