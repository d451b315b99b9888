import Foundation
import Plumb
import PlumbDocuments
import PlumbFormats
import PlumbService
import PlumbTestSupport
import Testing

/// Networks as services.
@Suite struct NetworkServiceTests {
  private let start =
    #"[{"traceLocationType":"startingPoint","globalId":"M0054","terminalId":2}]"#
  private let configuration =
    #"{"includeIsolated":true,"domainNetworkName":"Pipeline","tierName":"Pipe Distribution System","#
    + #""conditionBarriers":[{"name":"Operational Status","type":"networkAttribute","#
    + #""operator":"notEqual","value":1,"combineUsingOr":false,"isSpecificValue":true}],"#
    + #""filterBarriers":[{"name":"Isolating","type":"category","operator":"equal","value":"Isolating"}]}"#

  @Test func tracesAreTheEngines() throws {
    let service = try TestService.sample.get()
    let reply = service.reply(
      "/arcgis/rest/services/gas/UtilityNetworkServer/trace",
      [
        "f": "json", "traceType": "isolation", "traceLocations": start,
        "traceConfiguration": configuration,
      ])
    let read = try Data(try reply.bytes()).withUnsafeBytes { try UtilityTraceReply(json: $0) }
    #expect(read.success && !read.elements.isEmpty)
    let plain = service.api(
      "trace",
      #"{"network":"gas","type":"isolation","start":["M0054:Load"],"filter-category":"Isolating"}"#)
    let run = try ProgramRun(
      TestPaths.program("plumb"),
      [
        "trace", "rasters/gas.json", "--type", "isolation", "--start", "M0054:Load",
        "--filter-category", "Isolating", "--of", "json",
      ])
    #expect(String(decoding: try plain.bytes(), as: UTF8.self) == run.output)
  }

  /// An option that does not apply is rejected by name, even in combination with a request.
  @Test(
    arguments: [
      (#""condition":"a > 1""#, "condition cannot be combined with request"),
      (#""filter":"a > 1""#, "filter cannot be combined with request"),
      (#""filter-category":"Isolating""#, "filter-category cannot be combined with request"),
      (#""filter-barrier":["V0031"]"#, "filter-barrier cannot be combined with request"),
      (#""domain":"Pipeline""#, "domain cannot be combined with request"),
      (#""tier":"nope""#, "tier cannot be combined with request"),
      (#""cost":"x""#, "cost cannot be combined with request"),
      (#""include-isolated":true"#, "include-isolated cannot be combined with request"),
      (#""type":"connected""#, "type cannot be combined with request"),
      (#""start":["M0054"]"#, "start cannot be combined with request"),
      (#""inoperable":["V0031"]"#, "inoperable needs type isolation"),
      (#""one-way":"open""#, "one-way cannot be combined with type connected"),
    ])
  func requestsGoAlone(option: String, line: String) throws {
    let service = try TestService.sample.get()
    let request =
      #"{"traceType":"connected","traceLocations":[{"traceLocationType":"startingPoint","#
      + #""globalId":"M0054","terminalId":1}]}"#
    let plain = service.api("trace", #"{"network":"gas","request":\#(request)}"#)
    #expect(plain.status == 200)
    let reply = service.api("trace", #"{"network":"gas","request":\#(request),\#(option)}"#)
    #expect(reply.status == 400)
    let error = try TestService.object(reply).object("error")
    #expect((error["message"] as? String)?.hasPrefix(line) == true, "\(error)")
  }

  private static let town = """
    [JUNCTIONS]
    J1 10 5
    J2 10 5
    [RESERVOIRS]
    R1 100
    [PIPES]
    P1 R1 J1 100 300 100 0 Open
    P2 J1 J2 100 300 100 0 Open
    [COORDINATES]
    R1 500000 4000000
    J1 500100 4000000
    J2 500200 4000050
    """

  @Test func aNetworkWithoutAReferenceReportsNone() throws {
    let folder = try TemporaryFolder()
    let service = try TestService(maps: [], networks: [try folder.write("utm.inp", Self.town)])
    let root = try service.json("utm/FeatureServer")
    #expect(root["spatialReference"] == nil)
    #expect(try root.object("fullExtent")["spatialReference"] == nil)
    #expect(try root.object("fullExtent")["xmin"] as? Double == 500_000)
    #expect(try service.json("utm/FeatureServer/0")["spatialReference"] == nil)
    for layer in try root.list("layers") {
      let number = try #require(layer["id"] as? Int)
      #expect(try service.json("utm/FeatureServer/\(number)")["spatialReference"] == nil)
    }
    let collection = try service.ogcJSON("/collections/utm.junction")
    #expect(collection["crs"] == nil && collection["storageCrs"] == nil)
    #expect(try collection.object("extent")["spatial"] == nil)
    let items = service.service.reply(
      ServiceRequest(
        .get, "/ogc/collections/utm.junction/items", query: "f=json", origin: "http://plumb"))
    #expect(items.status == 200 && !items.headers.contains { $0.0 == "Content-Crs" })
  }

  @Test func aNetworkHasTheValvesAndTheReferenceThatAreNamed() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("utm.inp", Self.town)
    let valves = try folder.write("v.csv", "link,node\nP1,J1\n")
    let service = try TestService(
      maps: [], networks: ["\(path),valves=\(valves),crs=EPSG:32634"])
    let root = try service.json("utm/FeatureServer")
    #expect(try root.object("spatialReference")["wkid"] as? Int == 32634)
    #expect(try root.object("fullExtent").object("spatialReference")["wkid"] as? Int == 32634)
    let reply = service.api("trace", #"{"type":"isolation","start":["J2"]}"#)
    let replyObject = try TestService.object(reply)
    let isolating = try replyObject.object("isolation").list("isolating")
    #expect(try isolating.first?.object("element")["globalId"] as? String == "P1@J1")
    let shapes = service.api("trace", #"{"type":"isolation","start":["J2"],"format":"geojson"}"#)
    #expect(String(decoding: try shapes.bytes(), as: UTF8.self).contains("[21.00"))
    for wrong in ["crs=", "crs=EPSG:4326,crs=EPSG:3857", "crs=nothing"] {
      #expect(throws: PlumbError.self) { try NetworkChoice("\(path),\(wrong)") }
    }
    #expect(try NetworkChoice("a,b.inp").path == "a,b.inp")
  }

  @Test func tablesAreServed() throws {
    let service = try TestService.sample.get()
    let description = try service.json("gas/FeatureServer")
    #expect(
      try description.object("controllerDatasetLayers")["utilityNetworkLayerId"] as? Int == 50)
    let layers = try description.list("layers")
    #expect(layers.contains { $0["id"] as? Int == 100 })
    let network = try service.json("gas/FeatureServer/50")
    let table = try #require(
      try network.object("systemLayers")["associationsTableId"] as? Int)
    let rows = try service.json("gas/FeatureServer/\(table)/query", ["returnCountOnly": "true"])
    #expect(rows["count"] as? Int ?? 0 > 0)
    let devices = try service.json(
      "gas/FeatureServer/100/query", ["where": "GLOBALID = 'M0054'", "outFields": "*"])
    #expect(try devices.attributes().count == 1)
    let elements = try service.json("gas/FeatureServer/queryDataElements", ["layers": "[50]"])
    #expect(try elements.list("layerDataElements").first?["layerId"] as? Int == 50)
    let associations = try service.json("gas/UtilityNetworkServer/associations/query")
    #expect(try associations.list("associations").count == rows["count"] as? Int)
  }

  @Test(
    arguments: [
      ["traceType": "isolation"], ["traceType": "nothing", "traceLocations": "[]"],
      ["traceType": "isolation", "traceLocations": "[{}]"],
      ["traceType": "isolation", "traceLocations": "{"],
      [
        "traceType": "connected",
        "traceLocations": #"[{"traceLocationType":"startingPoint","globalId":"absent"}]"#,
      ],
    ] as [[String: String]])
  func mistakesAreReported(parameters: [String: String]) throws {
    let reply = try TestService.sample.get().json("gas/UtilityNetworkServer/trace", parameters)
    #expect(try reply.failure().code == 400, "\(reply)")
  }
}
