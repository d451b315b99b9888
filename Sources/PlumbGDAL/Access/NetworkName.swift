import PlumbCore

/// Names that GDAL opens over a network.
package enum NetworkName {
  /// GDAL's network file systems.
  private static let fileSystems = [
    "/vsicurl", "/vsis3", "/vsigs", "/vsiaz", "/vsiadls", "/vsioss", "/vsiswift", "/vsihdfs",
    "/vsiwebhdfs",
  ]
  /// Drivers for services whose names contain no address.
  private static let services: Set<String> = [
    "amigocloud", "carto", "csw", "daas", "eeda", "eedai", "elastic", "es", "ngw", "oapif",
    "oapif_collection", "ogcapi", "plmosaic", "plscenes", "wcs", "wfs", "wfs3", "wms", "wmts",
  ]

  /// Whether a message names a file in one of GDAL's network file systems.
  package static func isFileSystemNamed(in message: String) -> Bool {
    let bytes = Array(message.utf8)
    return fileSystems.contains { system in
      let name = Array(system.utf8)
      return bytes.indices.contains { start in
        guard bytes[start...].starts(with: name), start + name.count < bytes.count else {
          return false
        }
        // A folder may have a similar name.
        let before = start > 0 ? bytes[start - 1] : 0
        return !before.isAlphanumericASCII && before < 0x80
          && "/?".utf8.contains(bytes[start + name.count])
      }
    }
  }

  /// Whether a name by itself requires a network.
  package static func leadsToNetwork(_ name: String) -> Bool {
    let lower = name.lowercasedASCII
    if lower.hasBytes(of: "://") || fileSystems.contains(where: { lower.hasBytes(of: $0) }) {
      return true
    }
    guard let colon = lower.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
    return services.contains(String(decoding: lower.utf8[..<colon], as: UTF8.self))
  }
}
