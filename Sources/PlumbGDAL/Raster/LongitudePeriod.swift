import CGDAL

/// The period of x in a CRS: 360 in a geographic or rotated-pole CRS in degrees. Nil if x is not a
/// longitude.
func longitudePeriod(of reference: OGRSpatialReferenceH) -> Double? {
  guard OSRIsGeographic(reference) != 0 || OSRIsDerivedGeographic(reference) != 0 else {
    return nil
  }
  let unit = OSRGetAngularUnits(reference, nil)
  guard unit.isFinite, unit > 0 else { return nil }
  // In common units, the period is an integer, but the division may have a rounding error.
  let period = 2 * Double.pi / unit
  let nearest = period.rounded()
  return (period - nearest).magnitude < 1e-9 * period ? nearest : period
}

/// The period of x in a CRS that is defined by a string.
func longitudePeriod(ofDefinition text: String) -> Double? {
  guard let reference = OSRNewSpatialReference(nil) else { return nil }
  defer { OSRRelease(reference) }
  guard OSRSetFromUserInput(reference, text) == OGRERR_NONE else { return nil }
  return longitudePeriod(of: reference)
}
