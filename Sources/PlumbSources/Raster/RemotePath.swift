import PlumbCore

/// An argument that refers to a single file on a network.
package struct RemotePath {
  /// The path that GDAL reads in parts.
  package let path: String
  /// The URL; nil if the argument is not a URL.
  package let url: String?
  /// The file's name, without a query.
  package let name: String

  /// - Returns: nil if the argument is not the URL of a file; the URL of a service is not accepted.
  package init?(_ argument: String) {
    let lower = argument.lowercasedASCII
    guard ["http://", "https://", "ftp://"].contains(where: { lower.hasBytes(atStart: $0) }),
      // A service requires other requests than a file.
      !lower.contains("service=")
    else { return nil }
    url = argument
    path = "/vsicurl/" + argument
    name = String(argument.prefix { $0 != "?" && $0 != "#" })
  }
}
