/// Names that GDAL opens over a network.
package enum NetworkName {
  /// GDAL's file systems on networks.
  private static let fileSystems = [
    "/vsicurl", "/vsis3", "/vsigs", "/vsiaz", "/vsiadls", "/vsioss", "/vsiswift", "/vsihdfs",
    "/vsiwebhdfs",
  ]
  /// Drivers that stand for a service without an address in the name.
  private static let services: Set<String> = [
    "amigocloud", "carto", "csw", "daas", "eeda", "eedai", "elastic", "es", "ngw", "oapif",
    "oapif_collection", "ogcapi", "plmosaic", "plscenes", "wcs", "wfs", "wfs3", "wms", "wmts",
  ]

  /// Whether a message names something in one of GDAL's file systems on networks.
  package static func isFileSystemNamed(in message: String) -> Bool {
    fileSystems.contains { system in
      message.ranges(of: system).contains { range in
        let before = message[..<range.lowerBound].last
        let after = message[range.upperBound...].first
        // A folder may be called so, too.
        return before?.isLetter != true && before?.isNumber != true
          && (after == "/" || after == "?")
      }
    }
  }

  /// Whether a name, by itself, says that a network is to be used.
  package static func leadsToNetwork(_ name: String) -> Bool {
    let lower = name.lowercased()
    if lower.contains("://") || fileSystems.contains(where: { lower.contains($0) }) { return true }
    guard let colon = lower.firstIndex(of: ":") else { return false }
    return services.contains(String(lower[..<colon]))
  }
}
