import Plumb

/// A network as a service.
final class NetworkService: Sendable {
  let name: String
  let opened: OpenedNetwork
  let settings: ServiceSettings

  init(path: String, name: String, _ settings: ServiceSettings) throws {
    (self.name, self.settings) = (name, settings)
    opened = try OpenedNetwork.open(path: path, access: settings.access)
  }
}
