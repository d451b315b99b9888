import PlumbCore

/// An argument that names one file on a network.
package struct RemotePath {
  /// The path that GDAL reads in parts.
  package let path: String
  /// The URL, if the argument is one.
  package let url: String?
  /// The file's name, without a query.
  package let name: String

  /// - Returns: nil for anything else, including a service's description.
  package init?(_ argument: String) {
    let lower = argument.lowercasedASCII
    guard ["http://", "https://", "ftp://"].contains(where: { lower.hasBytes(atStart: $0) }),
      // Requests to services differ from those for files.
      !lower.contains("service=")
    else { return nil }
    url = argument
    path = "/vsicurl/" + argument
    name = String(argument.prefix { $0 != "?" && $0 != "#" })
  }
}
