import PlumbCore

/// The name of a file in a bucket: `s3://bucket/key`, `gs://bucket/key` or `az://container/key`.
package struct BucketName: Sendable, Hashable {
  /// The name in GDAL's file systems, such as `/vsis3/bucket/key`.
  package let gdalPath: String

  /// The URL schemes of buckets, and the path prefixes of GDAL's file systems for these schemes.
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

  // MARK: Parts

  /// The scheme, and the bytes of `gdalPath` after the prefix of the file system.
  private var parts: (scheme: String, rest: Substring.UTF8View)? {
    Self.systems.first { gdalPath.hasBytes(atStart: $0.prefix) }.map { system in
      // The scheme without `://`.
      (
        scheme: String(system.scheme.dropLast(3)),
        rest: gdalPath.utf8.dropFirst(system.prefix.utf8.count)
      )
    }
  }

  /// The bucket of the file; nil if the bytes before the first slash cannot be the name of a bucket.
  package var bucket: NetworkBucket? {
    guard let (scheme, rest) = parts else { return nil }
    return NetworkBucket(scheme: scheme, name: rest.prefix { $0 != UInt8(ascii: "/") })
  }

  /// The bytes after the bucket and a slash; empty for a bucket itself.
  package var key: [UInt8] {
    Array((parts?.rest ?? ""[...].utf8).drop { $0 != UInt8(ascii: "/") }.dropFirst())
  }

  /// Whether the key can only be the name of a file in the bucket. An HTTP client resolves the
  /// segments `.` and `..` in the path of a URL, so a key with these segments could lead to another
  /// bucket of the same server. A library or a server may decode percent signs, or read a backslash
  /// as a slash.
  package var hasPlainKey: Bool {
    let key = key
    return !key.isEmpty
      && [key, Self.decoded(key)].allSatisfy { bytes in
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
          && bytes.split(separator: UInt8(ascii: "/")).allSatisfy { segment in
            !segment.elementsEqual(".".utf8) && !segment.elementsEqual("..".utf8)
          }
      }
  }

  /// The bytes with percent-encoded bytes decoded. A percent sign without two hexadecimal digits is
  /// unchanged.
  private static func decoded(_ key: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var position = 0
    while position < key.count {
      if key[position] == UInt8(ascii: "%"), position + 2 < key.count,
        let high = hexDigit(key[position + 1]), let low = hexDigit(key[position + 2])
      {
        bytes.append(high << 4 | low)
        position += 3
      } else {
        bytes.append(key[position])
        position += 1
      }
    }
    return bytes
  }
}
