import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import PlumbVerbs
import Testing

/// The OpenAPI document of `/api`, compared with the tables of options and with requests.
@Suite struct PlainDescriptionTests {
  private typealias Object = [String: Any]

  private func document() throws -> Object {
    let reply = try TestService.sample.get().reply("/api/openapi.json")
    #expect(reply.status == 200 && reply.contentType.hasPrefix("application/json"))
    return try #require(
      try JSONSerialization.jsonObject(with: Data(try reply.bytes())) as? Object)
  }

  private func operation(_ verb: String, of document: Object) throws -> Object {
    let paths = try #require(document["paths"] as? Object)
    let item = try #require(paths["/" + verb] as? Object)
    return try #require((item["post"] ?? item["get"]) as? Object)
  }

  private func properties(_ verb: String, of document: Object) throws -> Object {
    let body = try #require(operation(verb, of: document)["requestBody"] as? Object)
    let content = try #require(body["content"] as? Object)
    let json = try #require(content["application/json"] as? Object)
    let schema = try #require(json["schema"] as? Object)
    #expect(schema["additionalProperties"] as? Bool == false)
    return try #require(schema["properties"] as? Object)
  }

  @Test func `every option of a table has a schema`() throws {
    let document = try document()
    func check<Request>(_ verb: String, _ table: OptionTable<Request>) throws {
      let properties = try properties(verb, of: document)
      #expect(
        properties.keys.sorted()
          == table.options(of: .service).map { FrontEnd.service.spelling(of: $0.option) }.sorted())
      for (name, value) in properties {
        let schema = try #require(value as? Object)
        #expect((schema["description"] as? String)?.isEmpty == false, "\(verb): \(name)")
        #expect(
          ["type", "oneOf", "allOf"].count { schema[$0] != nil } == 1, "\(verb): \(name)")
      }
    }
    try check("identify", Identify.Part.points.options)
    try check("buffer", Buffer.options)
    try check("trace", Trace.options)
    try check("locate", Locate.options)
    let parameters = try #require(
      try operation("sample", of: document)["parameters"] as? [Object])
    #expect(
      parameters.compactMap { $0["name"] as? String }.sorted()
        == Identify.Part.table.options.options(of: .service).map {
          FrontEnd.service.spelling(of: $0.option)
        }.sorted())
  }

  @Test func `the version is that of the library`() throws {
    let info = try #require(try document()["info"] as? Object)
    #expect(info["version"] as? String == plumbVersion.description)
  }

  @Test func `words and ranges are those of the tables`() throws {
    let document = try document()
    let trace = try properties("trace", of: document)
    #expect(
      (trace["type"] as? Object)?["enum"] as? [String] == [
        "connected", "subnetwork", "subnetwork-controllers", "upstream", "downstream", "loops",
        "shortest-path", "isolation",
      ])
    #expect(
      ((trace["format"] as? Object)?["enum"] as? [String])?.contains("csv") == false)
    let points = try properties("identify", of: document)
    #expect((points["format"] as? Object)?["enum"] as? [String] == ["json"])
    let parameters = try operation("sample", of: document)["parameters"] as? [Object]
    let format = parameters?.first { $0["name"] as? String == "format" }?["schema"] as? Object
    #expect(
      format?["enum"] as? [String] == [
        "csv", "tsv", "jsonl", "ndjson", "geojson", "geojsonseq", "parquet", "arrow",
      ])
    #expect((points["strict"] as? Object)?["type"] as? String == "boolean")
    let choice = try #require((points["band"] as? Object)?["oneOf"] as? [Object])
    #expect(choice.first?["minimum"] as? Int == 1)
  }

  @Test func `every address exists, with its method`() throws {
    let service = try TestService.sample.get()
    let paths = try #require(try document()["paths"] as? Object)
    #expect(
      paths.keys.sorted() == [
        "/buffer", "/identify", "/locate", "/openapi.json", "/page", "/reference", "/sample",
        "/trace", "/zonal",
      ])
    for (path, item) in paths {
      let isGet = try #require(item as? Object)["get"] != nil
      let wrong = service.service.reply(
        ServiceRequest(
          isGet ? .post : .get, "/api" + path, query: "", contentType: "application/json",
          body: []))
      #expect(wrong.status == 405, "\(path)")
    }
  }
}
