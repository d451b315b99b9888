import PlumbCore
import PlumbIO

/// An argument that refers to a single file on a network.
package struct RemotePath {
  /// The path that is read in parts.
  package let path: String
  /// The URL; nil if the argument is not a URL.
  package let url: String?
  /// The file's name, without a query.
  package let name: String

  /// The file in a bucket; nil for a URL.
  package let bucket: BucketName?

  /// - Returns: nil if the argument is not the URL of a file, or a file in a bucket; the URL of a service
  ///   and patterns of files are not accepted.
  package init?(_ argument: String) {
    bucket = BucketName(argument)
    if bucket != nil {
      guard !argument.contains(where: { "*?[".contains($0) }) else { return nil }
      (path, url, name) = (argument, nil, argument)
      return
    }
    let lower = argument.lowercasedASCII
    guard ["http://", "https://", "ftp://"].contains(where: { lower.hasBytes(atStart: $0) }),
      // The requests for a service differ from those for a file.
      !lower.contains("service=")
    else { return nil }
    url = argument
    path = "/vsicurl/" + argument
    name = String(argument.prefix { $0 != "?" && $0 != "#" })
  }
}
