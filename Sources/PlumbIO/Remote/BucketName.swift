import PlumbCore

/// The name of a file in a bucket: `s3://bucket/key`, `gs://bucket/key` or `az://container/key`.
package struct BucketName: Sendable, Hashable {
  /// The name in GDAL's file systems, such as `/vsis3/bucket/key`.
  package let gdalPath: String

  /// The schemes with GDAL's file systems.
  private static let systems = [
    (scheme: "s3://", prefix: "/vsis3/"), (scheme: "gs://", prefix: "/vsigs/"),
    (scheme: "gcs://", prefix: "/vsigs/"), (scheme: "az://", prefix: "/vsiaz/"),
  ]

  /// - Returns: nil if the text does not start with the scheme of a bucket.
  package init?(_ text: String) {
    let start = String(decoding: text.utf8.prefix(8), as: UTF8.self).lowercasedASCII
    guard let system = Self.systems.first(where: { start.hasBytes(atStart: $0.scheme) }) else {
      return nil
    }
    gdalPath =
      system.prefix + String(decoding: text.utf8.dropFirst(system.scheme.utf8.count), as: UTF8.self)
  }

  /// Creates the name of a file in one of GDAL's file systems for buckets.
  package init?(gdalPath: String) {
    guard Self.systems.contains(where: { gdalPath.hasBytes(atStart: $0.prefix) }) else {
      return nil
    }
    self.gdalPath = gdalPath
  }

  /// GDAL's name of a file in a bucket; other names are unchanged.
  package static func gdalPath(of name: String) -> String { Self(name)?.gdalPath ?? name }
}
