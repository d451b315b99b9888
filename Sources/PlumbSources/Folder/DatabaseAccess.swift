import PlumbCore
import PlumbIO

/// The databases to which a document may refer.
enum DatabaseAccess {
  /// The parameters that a document may set. Others name files or other hosts.
  private static let parameters: Set<String> = [
    "host", "port", "dbname", "user", "sslmode", "connect_timeout", "application_name", "schemas",
    "active_schema", "tables",
  ]
  private static let defaultPort = 5432

  /// Checks that a document may connect to a database.
  ///
  /// - Parameter hosts: the allowed hosts.
  /// - Returns: the address with the IP addresses that were checked.
  /// - Throws: if the address has a parameter that documents may not set, or its host is not allowed.
  static func checked(
    _ address: DatabaseAddress, _ hosts: HostAccess
  ) throws(PlumbError) -> DatabaseAddress {
    let shown = address.shown.printable
    func refusal(
      _ reason: String, _ remedy: MessageTemplate = "this requires \(.allowOutside)"
    ) -> PlumbError {
      PlumbError("\(shown) is refused: \(reason)", code: .notAllowed, remedies: [remedy])
    }
    guard let all = address.parameters else {
      throw refusal("a document names a database with parameters, as in PG:host=… dbname=…")
    }
    if let other = all.first(where: { !parameters.contains($0.name) }) {
      throw refusal("a document may not set \(other.name.printable)")
    }
    guard let name = address.value("host"), let host = NetworkHost(name), host.port == nil else {
      throw refusal("a document names one host")
    }
    guard let port = Int(address.value("port") ?? "\(defaultPort)"), (1...65535).contains(port)
    else { throw refusal("its port is not a number from 1 to 65535") }
    let origin = NetworkOrigin(host: host.name, port: port)
    guard hosts.allows(origin) else {
      throw refusal("it names the host \(host)", "this requires \(.allowHost, host.description)")
    }
    let found = host.addresses
    guard !found.isEmpty else {
      throw PlumbError("\(shown): the host \(host) is not known", code: .notFound)
    }
    if let inner = found.first(where: { !hosts.allows($0, of: origin) }) {
      throw refusal(
        "\(host) has the address \(inner) of this machine or of a private network",
        "this requires \(.allowHost, inner.description)")
    }
    // The connection uses the addresses that were checked.
    let count = found.count
    return address.adding([
      .init(name: "host", value: repeatElement(host.name, count: count).joined(separator: ",")),
      .init(name: "hostaddr", value: found.map(\.description).joined(separator: ",")),
    ])
  }
}
