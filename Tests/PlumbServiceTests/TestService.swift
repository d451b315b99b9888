import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// A service, and its replies as values.
struct TestService {
  let service: Service

  init(maps: [String], networks: [String] = [], _ settings: ServiceSettings = .init()) throws {
    service = Service(try ServiceCatalog(maps: maps, networks: networks, settings))
  }

  /// The sample map and network.
  static let sample = Result {
    try TestService(
      maps: [TestPaths.rasters + "/cape.json"], networks: [TestPaths.rasters + "/gas.json"])
  }

  /// A map of features in a temporary folder.
  static func of(
    _ features: String, name: String = "f", folder: TemporaryFolder
  ) throws -> TestService {
    try folder.write("\(name).geojson", features)
    try folder.write(
      "map.json",
      #"{"operationalLayers":[{"id":"\#(name)","layerType":"ArcGISFeatureLayer","#
        + #""url":"\#(name).geojson"}],"version":"2.31"}"#)
    return try TestService(maps: [folder.path("map.json")])
  }

  func reply(_ path: String, _ parameters: [String: String] = [:]) -> ServiceReply {
    service.reply(ServiceRequest(.get, path, query: Self.form(parameters)))
  }

  static func form(_ parameters: [String: String]) -> String {
    var allowed = CharacterSet.alphanumerics
    allowed.insert(charactersIn: "-._~")
    return parameters.map { name, value in
      "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
    }.joined(separator: "&")
  }

  /// The JSON of a service below `/arcgis/rest/services`.
  func json(_ path: String, _ parameters: [String: String] = [:]) throws -> [String: Any] {
    var parameters = parameters
    if parameters["f"] == nil { parameters["f"] = "json" }
    let reply = reply("/arcgis/rest/services/" + path, parameters)
    #expect(reply.status == 200)
    return try Self.object(reply)
  }

  static func object(_ reply: ServiceReply) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(try reply.bytes()))
    return try #require(value as? [String: Any])
  }

  /// The reply of a plain verb.
  func api(_ verb: String, _ body: String) -> ServiceReply {
    service.reply(
      ServiceRequest(
        .post, "/api/" + verb, contentType: "application/json", body: Array(body.utf8)))
  }
}

extension [String: Any] {
  func list(_ name: String) throws -> [[String: Any]] {
    try #require(self[name] as? [[String: Any]], "\(name) in \(self)")
  }

  func object(_ name: String) throws -> [String: Any] {
    try #require(self[name] as? [String: Any], "\(name) in \(self)")
  }

  /// The attributes of the features in a query's reply.
  func attributes() throws -> [[String: Any]] {
    try list("features").map { try $0.object("attributes") }
  }

  /// An error's code and message.
  func failure() throws -> (code: Int, message: String) {
    let error = try object("error")
    #expect(error["details"] is [Any])
    return (try #require(error["code"] as? Int), try #require(error["message"] as? String))
  }
}
