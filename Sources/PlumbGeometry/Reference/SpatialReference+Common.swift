import PlumbCore

extension SpatialReference {
  /// A CRS that does not need PROJ: `EPSG:4326`, `EPSG:3857` and the zones of UTM on WGS 84
  /// (`EPSG:32601` to `32660`, `32701` to `32760`).
  ///
  /// Most rasters have one of these CRSs, and opening PROJ's database takes longer than opening a
  /// raster.
  ///
  /// - Returns: nil for any other definition, which may still be valid for PROJ.
  package static func common(_ definition: String) -> SpatialReference? {
    let prefix = "EPSG:"
    guard definition.hasPrefix(prefix), let code = Int(definition.dropFirst(prefix.count)),
      definition == prefix + String(code)
    else { return nil }
    switch code {
    case 4326: return .wgs84
    case 3857, 32601...32660, 32701...32760:
      return SpatialReference(
        Facts(
          definition: definition, label: definition, isGeographic: false, isGeoreferenced: true,
          unit: .metre, ellipsoid: .wgs84))
    default: return nil
    }
  }
}
