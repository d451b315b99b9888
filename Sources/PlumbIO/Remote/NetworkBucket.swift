import PlumbCore

/// A bucket of Amazon S3 or of a server with the same API (`s3://bucket`), a bucket of Google Cloud
/// Storage (`gs://bucket`), or a container of Azure (`az://container`).
public struct NetworkBucket: Sendable, Hashable, CustomStringConvertible {
  /// The scheme of the service: `s3`, `gs` or `az`.
  public let scheme: String
  /// The name of the bucket, which is case-sensitive.
  public let name: String

  /// The maximum length of a name in bytes.
  private static let maximumLength = 255

  /// Parses `s3://bucket`, `gs://bucket` or `az://container`, which may end with a slash; nil for any
  /// other string, including the name of a file in a bucket.
  public init?(_ text: String) {
    guard let file = BucketName(text), file.key.isEmpty, let bucket = file.bucket else {
      return nil
    }
    self = bucket
  }

  /// - Returns: nil if the name is empty or too long, contains a character that is not allowed, or does
  ///   not begin and end with a letter or digit.
  init?(scheme: String, name: some Collection<UInt8>) {
    let bytes = Array(name)
    guard let first = bytes.first, let last = bytes.last, bytes.count <= Self.maximumLength,
      first.isAlphanumericASCII, last.isAlphanumericASCII,
      bytes.allSatisfy({ $0.isAlphanumericASCII || "-._".utf8.contains($0) })
    else { return nil }
    (self.scheme, self.name) = (scheme, String(decoding: bytes, as: UTF8.self))
  }

  /// The bucket as a string, such as `s3://bucket`.
  public var description: String { "\(scheme)://\(name)" }
}
