import Foundation
import PlumbTestSupport
import Testing

@testable import PlumbService

/// The table of parameters: the parameters that it rejects and accepts, and its agreement with the
/// documentation and the code.
@Suite struct RequestParameterTests {
  /// An address of an operation in the sample services.
  private static func path(_ operation: RESTOperation) throws -> String {
    let service = try TestService.sample.get()
    var path = operation.rawValue
    let tables = try service.json("gas/FeatureServer").list("layers")
    // The first is the network service.
    let layer = path.hasPrefix("{network}") ? tables[1]["id"] as? Int : 2
    let images = try service.json("").list("services").filter {
      $0["type"] as? String == "ImageServer"
    }
    for (name, value) in [
      ("{map}", "cape"), ("{network}", "gas"), ("{layer}", "\(try #require(layer))"),
      ("{image}", try #require(images.first?["name"] as? String)),
    ] { path = path.replacing(name, with: value) }
    return path
  }

  private static func message(_ path: String, _ parameters: [String: String]) throws -> String? {
    let reply = try TestService.sample.get().json(path, parameters)
    return reply["error"] == nil ? nil : try reply.failure().message
  }

  private static func post(_ path: String, _ type: String, _ body: String) throws -> String? {
    let reply = try TestService.sample.get().service.reply(
      ServiceRequest(
        .post, "/arcgis/rest/services/" + path, query: "f=json", contentType: type,
        body: Array(body.utf8)))
    let object = try TestService.object(reply)
    return object["error"] == nil ? nil : try object.failure().message
  }

  private static let form = "application/x-www-form-urlencoded"

  @Test(arguments: RESTOperation.allCases)
  func refusedParametersAreNamed(operation: RESTOperation) throws {
    let path = try Self.path(operation)
    let refused = operation.parameters.filter {
      if case .refused = $0.use { true } else { false }
    }
    for parameter in refused {
      let name = parameter.name
      let start = "'\(name)' parameter is not supported: "
      for written in [name, name.uppercased()] {
        let message = try Self.message(path, [written: "[7]"])
        #expect(message?.hasPrefix(start) == true, "\(path) \(written): \(message ?? "no error")")
        #expect(message?.contains("; leave it out") == true)
      }
      #expect(try Self.post(path, Self.form, "\(name)=%5B7%5D")?.hasPrefix(start) == true)
      #expect(
        try Self.post(path, "application/json", "{\"\(name)\":[7]}")?.hasPrefix(start) == true)
      // If a parameter is in the address and in the body, the body applies.
      for accepted in ["", " ", parameter.defaultText, parameter.defaultText.uppercased()] {
        let message = try Self.message(path, [name: accepted])
        #expect(message?.hasPrefix(start) != true, "\(path) \(name)=\(accepted): \(message ?? "")")
      }
    }
  }

  @Test(arguments: RESTOperation.allCases)
  func otherParametersAreNotRefused(operation: RESTOperation) throws {
    let path = try Self.path(operation)
    let usual = try Self.message(path, [:])
    for parameter in operation.parameters {
      guard case .ignored = parameter.use else { continue }
      #expect(try Self.message(path, [parameter.name: "[7]"]) == usual, "\(parameter.name)")
    }
    for name in ["_ts", "disableCache", "nothing", "userInfo"] {
      #expect(try Self.message(path, [name: "[7]"]) == usual, "\(name)")
    }
  }

  @Test func valuesThatChangeNothingAreAccepted() throws {
    let query = "cape/FeatureServer/2/query"
    for (name, value) in [
      ("returnTrueCurves", "false"), ("returnTrueCurves", "0"), ("returnCentroid", "False"),
      ("sqlFormat", "STANDARD"), ("sqlFormat", "none"), ("resultType", "none"),
      ("maxRecordCountFactor", "1.0"), ("gdbVersion", "SDE.default"),
      ("quantizationParameters", "{}"), ("quantizationParameters", "null"),
      ("returnExceededLimitFeatures", "true"), ("featureEncoding", "esriDefault"),
      ("historicMoment", ""),
    ] {
      #expect(try Self.message(query, ["where": "1=1", name: value]) == nil, "\(name)=\(value)")
    }
    for (name, value) in [
      ("returnTrueCurves", "true"), ("returnTrueCurves", "maybe"), ("sqlFormat", "native"),
      ("maxRecordCountFactor", "2"), ("gdbVersion", "sde.other"), ("historicMoment", "0"),
      ("quantizationParameters", "{\"tolerance\":1}"), ("returnExceededLimitFeatures", "false"),
      ("text", "a"), ("fullText", "[{\"searchTerm\":\"a\"}]"), ("rangeValues", "[{\"value\":1}]"),
      ("returnEnvelope", "true"), ("datumTransformation", "1173"),
    ] {
      let message = try Self.message(query, ["where": "1=1", name: value])
      #expect(
        message?.hasPrefix("'\(name)' parameter is not supported: ") == true, "\(name)=\(value)")
    }
    let image = try Self.path(.imageSamples)
    let point = ["geometry": "{x:18.6,y:-34.1,spatialReference:{wkid:4326}}"]
    for rule in ["", "{}", "{\"rasterFunction\":\"None\"}", "{rasterFunction:\"none\"}", "none"] {
      let parameters = point.merging(["renderingRule": rule]) { $1 }
      #expect(try Self.message(image, parameters) == nil, "\(rule)")
    }
    for rule in [
      "{\"rasterFunction\":\"Hillshade\"}", "Hillshade", "{\"rasterFunctionDefinition\":{}}",
      "{\"rasterFunction\":{}}",
    ] {
      let message = try Self.message(image, point.merging(["renderingRule": rule]) { $1 })
      #expect(message?.hasPrefix("'renderingRule' parameter is not supported: ") == true, "\(rule)")
    }
    // An empty list of dynamic layers would cause an empty picture.
    let box = ["bbox": "18,-34.5,19,-33.5", "bboxSR": "4326"]
    #expect(try Self.message("cape/MapServer/export", box) == nil)
    #expect(
      try Self.message("cape/MapServer/export", box.merging(["dynamicLayers": "[]"]) { $1 })
        == "'dynamicLayers' parameter is not supported: the map's layers are selected with "
        + "layers and layerDefs; leave it out")
    #expect(
      try Self.message("cape_18/ImageServer/exportImage", box.merging(["noData": "0"]) { $1 })
        == "'noData' parameter is not supported: cells without a value are those of the file; "
        + "leave it out")
  }

  @Test func aMissingServiceIsReportedFirst() throws {
    #expect(
      try Self.message("nowhere/FeatureServer/0/query", ["text": "a"])
        == "Service nowhere/FeatureServer not found")
    // Descriptions accept only the parameters that every address accepts.
    #expect(try Self.message("cape/MapServer", ["dynamicLayers": "[7]"]) == nil)
    #expect(try Self.message("", ["callback": "alert"])?.hasPrefix("'callback' parameter") == true)
    #expect(try Self.message("", ["callback": ""]) == nil)
  }

  // MARK: The table

  @Test func everyParameterIsListedOnceWithItsReason() throws {
    for operation in RESTOperation.allCases {
      let names = operation.parameters.map { $0.name.lowercased() }
      #expect(Set(names).count == names.count && !names.isEmpty, "\(operation)")
      for parameter in operation.parameters {
        #expect(parameter.reason.isEmpty == parameter.isUsed, "\(parameter.name)")
        #expect(!parameter.reason.hasSuffix("."))
      }
    }
    #expect(RESTOperation.mapQuery.uses("WHERE") && !RESTOperation.mapQuery.uses("text"))
    #expect(RESTOperation.at("MapServer", ["export"]) == .mapExport)
    #expect(RESTOperation.at("mapserver", ["12", "QUERY"]) == .mapQuery)
    #expect(RESTOperation.at("FeatureServer", ["0", "query"]) == .featureQuery)
    #expect(RESTOperation.at("FeatureServer", isNetwork: true, ["0", "query"]) == .networkQuery)
    #expect(RESTOperation.at("ImageServer", ["identify"]) == .imageIdentify)
    #expect(RESTOperation.at("MapServer", ["0"]) == nil)
    #expect(RESTOperation.at("MapServer", ["x", "query"]) == nil)
    #expect(RESTOperation.at("MapServer", []) == nil)
    #expect(
      RESTOperation.at("UtilityNetworkServer", isNetwork: true, ["associations", "query"])
        == .associations)
  }

  /// This test writes the page if `PLUMB_WRITE_PAGES` is set.
  @Test func thePageIsMadeFromTheTable() throws {
    let path = TestPaths.root + "/Sources/Plumb/Plumb.docc/rest.md"
    if ProcessInfo.processInfo.environment["PLUMB_WRITE_PAGES"] != nil {
      try RESTOperation.page.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let page = try String(contentsOfFile: path, encoding: .utf8)
    #expect(
      page == RESTOperation.page,
      "rest.md differs from the table: run this test with PLUMB_WRITE_PAGES=1")
    for operation in RESTOperation.allCases { #expect(page.contains("`\(operation.rawValue)`")) }
  }

  /// Every parameter that the services' code reads is in the table of some operation, and every
  /// parameter in the table is read.
  @Test func theCodeReadsWhatTheTableSays() throws {
    let sources = TestPaths.root + "/Sources/PlumbService"
    let folders = [
      "MapServer", "FeatureServer", "ImageServer", "GeometryServer", "NetworkServer", "Query",
      "Request",
    ]
    let call =
      /[^A-Za-z](?:words?|flag|numbers?|integers?|json|reference|required|geometry|geometries|box|metres|lengthFactor)\(\s*"([A-Za-z0-9]+)"/
    let subscripting = /parameters\["([A-Za-z]+)"\]/
    var read: Set<String> = ["spatialRel"]
    for folder in folders {
      for file in try FileManager.default.contentsOfDirectory(atPath: sources + "/" + folder) {
        let text = try String(contentsOfFile: "\(sources)/\(folder)/\(file)", encoding: .utf8)
        for match in text.matches(of: call) { read.insert(String(match.1)) }
        for match in text.matches(of: subscripting) { read.insert(String(match.1)) }
      }
    }
    // These are read in a loop over their names.
    read.formUnion([
      "traceType", "traceLocations", "traceConfiguration", "traceConfigurationGlobalId",
      "resultTypes", "areaUnit", "sr", "f", "token",
    ])
    // The parameters of monitors.
    read.remove("lastEventId")
    let used = Set(
      (RESTOperation.allCases.flatMap(\.parameters) + RESTOperation.common).filter(\.isUsed)
        .map(\.name))
    #expect(used.subtracting(read).isEmpty, "in the table, but not read: \(used.subtracting(read))")
    #expect(
      read.subtracting(used).isEmpty, "read, but not in the table: \(read.subtracting(used))")
  }

  /// The capabilities in descriptions match the parameters.
  @Test func descriptionsAreTrue() throws {
    let service = try TestService.sample.get()
    let layer = try service.json("cape/FeatureServer/2")
    let query = try layer.object("advancedQueryCapabilities")
    for name in ["supportsPagination", "supportsHavingClause", "supportsQueryWithDistance"] {
      #expect(query[name] as? Bool == true, "\(name)")
    }
    for name in [
      "supportsTrueCurve", "supportsQueryWithResultType", "supportsReturningGeometryCentroid",
      "supportsFullTextSearch", "supportsQueryWithHistoricMoment", "supportsSqlExpression",
    ] { #expect(query[name] as? Bool == false, "\(name)") }
    let map = try service.json("cape/MapServer")
    #expect(map["supportsDynamicLayers"] as? Bool == false)
    let image = try service.json(try Self.path(.imageIdentify).replacing("/identify", with: ""))
    #expect(image["allowRasterFunction"] as? Bool == false)
  }
}

extension RESTParameter {
  /// A valid value.
  fileprivate var defaultText: String {
    guard case .refused(let usual) = use, let advice = usual.advice else { return "" }
    return advice.components(separatedBy: " or ")[0]
  }
}
