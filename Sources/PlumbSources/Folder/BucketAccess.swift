import PlumbCore
import PlumbIO

/// The files in buckets to which a document may refer.
package enum BucketAccess {
  /// Checks that a document may refer to a file in a bucket.
  ///
  /// - Parameters:
  ///   - text: the name of the file in the document, for messages.
  ///   - hosts: the allowed hosts and buckets.
  /// - Returns: the access for requests for the file, which allows only the file's bucket.
  /// - Throws: if the bucket is not allowed, or if the key could refer to something other than one file in
  ///   the bucket.
  package static func checked(
    _ file: BucketName, called text: String, _ hosts: HostAccess
  ) throws(PlumbError) -> HostAccess {
    guard let bucket = file.bucket else {
      throw PlumbError("\(text.printable) does not name a file in a bucket", code: .notAllowed)
    }
    guard hosts.buckets.contains(bucket) else {
      throw PlumbError(
        "\(bucket) is not an allowed bucket", code: .notAllowed,
        remedies: ["this requires \(.allowHost, bucket.description)"])
    }
    let access = HostAccess([], buckets: [bucket])
    guard access.allows(file) else {
      throw PlumbError(
        "\(text.printable) is refused: a document names a file in a bucket by its key, without . and .. "
          + "between slashes, backslashes and control characters", code: .notAllowed)
    }
    return access
  }

  /// - Throws: if a remote file has the name of a local file, which would be opened instead.
  package static func checkIsNotLocal(_ text: String) throws(PlumbError) {
    guard FileKind(path: text) == nil else {
      throw PlumbError("\(text.printable) is also the path of a local file", code: .notAllowed)
    }
  }
}
