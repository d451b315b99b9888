import PlumbCore

/// A CRS that does not need PROJ.
func reference(_ definition: String) -> SpatialReference {
  SpatialReference(
    .init(
      definition: definition, label: definition, isGeographic: false, isGeoreferenced: true,
      unit: .metre, ellipsoid: .wgs84))
}

/// The CRS of an EPSG code or WKT.
func resolved(_ text: String) -> SpatialReference {
  reference(Int(text) == nil ? text : "EPSG:" + text)
}
