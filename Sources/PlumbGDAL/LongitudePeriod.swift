import CGDAL

/// After how much x comes round again in a reference: 360 in degrees, geographic or rotated-pole;
/// nil where x is not a longitude.
func longitudePeriod(of reference: OGRSpatialReferenceH) -> Double? {
  guard OSRIsGeographic(reference) != 0 || OSRIsDerivedGeographic(reference) != 0 else {
    return nil
  }
  let unit = OSRGetAngularUnits(reference, nil)
  guard unit.isFinite, unit > 0 else { return nil }
  // A whole number of the common units, which the division may miss by a last digit.
  let period = 2 * Double.pi / unit
  let whole = period.rounded()
  return (period - whole).magnitude < 1e-9 * period ? whole : period
}

/// The same for a reference as text.
func longitudePeriod(ofDefinition text: String) -> Double? {
  guard let reference = OSRNewSpatialReference(nil) else { return nil }
  defer { OSRRelease(reference) }
  guard OSRSetFromUserInput(reference, text) == OGRERR_NONE else { return nil }
  return longitudePeriod(of: reference)
}
