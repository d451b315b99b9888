import PlumbCore

extension Envelope {
  /// The window from its west eastward: where its west exceeds its east it crosses the cut of longitude,
  /// and its east is counted on beyond that.
  ///
  /// - Throws: `bad_option` where its west exceeds its east and x has no period.
  package var eastward: Envelope {
    get throws(GeometryError) {
      guard xMin > xMax else { return self }
      guard let period = spatialReference?.planePeriod, xMin.isFinite, xMax.isFinite else {
        throw GeometryError(
          "the extent's west, \(xMin), exceeds its east, \(xMax): an extent across 180 degrees of "
            + "longitude is read in degrees, and in projections whose x goes round the world",
          code: .badOption)
      }
      var result = self
      result.xMax += period * ((xMin - xMax) / period).rounded(.up)
      return result
    }
  }
}
