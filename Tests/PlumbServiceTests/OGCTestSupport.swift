import Foundation
import PlumbService
import PlumbTestSupport
import Testing

extension TestService {
  /// A reply below `/ogc`.
  func ogc(_ path: String, _ parameters: [String: String] = [:], accept: String = "")
    -> ServiceReply
  {
    service.reply(
      ServiceRequest(
        .get, "/ogc" + path, query: Self.form(parameters), origin: "http://plumb", accept: accept))
  }

  /// The JSON of a reply below `/ogc`; the request has to succeed.
  func ogcJSON(_ path: String, _ parameters: [String: String] = [:]) throws -> [String: Any] {
    let reply = ogc(path, parameters)
    let text = String(decoding: try reply.bytes().prefix(300), as: UTF8.self)
    #expect(reply.status == 200, "\(path) \(parameters): \(text)")
    return try Self.object(reply)
  }

  /// The problem details of a failed request, whose structure is checked.
  @discardableResult
  func problem(
    _ path: String, _ parameters: [String: String] = [:], accept: String = "", status: Int = 400
  ) throws -> String {
    let reply = ogc(path, parameters, accept: accept)
    #expect(reply.status == status, "\(path) \(parameters)")
    #expect(reply.contentType == "application/problem+json", "\(path) \(parameters)")
    let object = try Self.object(reply)
    #expect(Set(object.keys) == ["type", "title", "status", "detail"])
    #expect(object["status"] as? Int == status)
    #expect(object["type"] as? String == "about:blank")
    let detail = try #require(object["detail"] as? String)
    #expect(!detail.isEmpty && !detail.contains("\n"))
    return detail
  }
}

extension ServiceReply {
  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

extension [String: Any] {
  /// The address of the link with a relation, without the server's address.
  func link(_ relation: String) throws -> URLComponents? {
    let address = try list("links").first { $0["rel"] as? String == relation }?["href"] as? String
    return address.flatMap { URLComponents(string: $0) }
  }
}
