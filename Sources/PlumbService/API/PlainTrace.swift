import Plumb
import PlumbDocuments
import PlumbIO
import PlumbVerbs

/// Handles `POST /api/trace`, which returns the output of `plumb trace NETWORK … --of json`.
struct PlainTrace {
  private let service: NetworkService
  private let request: Trace.Request

  init(_ members: [String: JSONTree], _ catalog: ServiceCatalog) throws {
    var request = Trace.Request()
    try Trace.options.read(members, into: &request, by: .service)
    self.request = request
    service = try catalog.network(named: request.network)
  }

  func reply() throws -> ServiceReply {
    try ServiceReply(request.format == .geojson ? ContentType.geoJSON : ContentType.json) {
      _ = try Trace.run(request, on: service.opened, in: $0)
    }
  }
}
