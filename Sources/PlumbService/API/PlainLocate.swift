import PlumbIO
import PlumbVerbs

/// Handles `POST /api/locate`, which returns the element of a network that is nearest to a point.
struct PlainLocate {
  private let service: NetworkService
  private let request: Locate.Request

  init(_ members: [String: JSONTree], _ catalog: ServiceCatalog) throws {
    var request = Locate.Request()
    try Locate.options.read(members, into: &request, by: .service)
    self.request = request
    service = try catalog.network(named: request.network)
  }

  func reply() throws -> ServiceReply {
    try ServiceReply(ContentType.json) { try Locate.run(request, on: service.opened, in: $0) }
  }
}
