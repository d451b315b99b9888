import PlumbCore

/// An argument that names one file on a network.
package struct RemotePath {
  /// What GDAL reads in parts.
  package let path: String
  /// The URL, where the argument is one.
  package let url: String?
  /// The file's name, without a query behind it.
  package let name: String

  /// - Returns: nil for anything else, a service's description among it.
  package init?(_ argument: String) {
    let lower = argument.lowercasedASCII
    guard ["http://", "https://", "ftp://"].contains(where: { lower.hasBytes(atStart: $0) }),
      // Services are asked by other means than files.
      !lower.contains("service=")
    else { return nil }
    url = argument
    path = "/vsicurl/" + argument
    name = String(argument.prefix { $0 != "?" && $0 != "#" })
  }
}
