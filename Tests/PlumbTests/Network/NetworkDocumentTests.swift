import Foundation
import Plumb
import PlumbTestSupport
import PlumbVerbs
import Testing

/// Networks from a definition and layers.
@Suite struct NetworkDocumentTests {
  @Test func `a definition, two layers and associations are a network that is traced`() throws {
    let opened = try NetworkScene().open()
    let network = opened.network
    #expect(opened.form == .document)
    #expect(network.junctionCount == 3)
    #expect(network.edgeCount == 2)
    #expect(opened.spatialReference?.label == "EPSG:4326")
    #expect(opened.controllers.map(\.element.globalID) == ["S"])
    #expect(opened.controllers.map(\.controller.subnetworkNames) == [["North"]])
    let meter = network.describe(try network.element(source: "Device", globalID: "M"))
    #expect(meter.assetGroupName == "Meter")
    #expect(meter.assetTypeName == "Customer")
    #expect(meter.objectID == 21)
    let valve = network.describe(try network.element(globalID: "V"))
    #expect(valve.terminals.map(\.name) == ["High", "Low"])
    #expect(valve.terminalPath == "Through")
    #expect(valve.categories == ["Isolating"])
    #expect(try network.attribute("State", of: try network.element(globalID: "V")) == .text("open"))
    #expect(try network.attribute("Length", of: try network.element(globalID: "m1")) == .real(9.5))
    #expect(try network.attribute("Length", of: try network.element(globalID: "m2")) == .real(10))
    #expect(try network.attribute("State", of: try network.element(globalID: "m1")) == .null)
    var request = Trace.Request(.isolation)
    request.starts = ["M"]
    request.filterCategory = "isolating"
    let result = try network.trace(try request.parameters(in: opened))
    #expect(network.names(result.isolation?.isolating ?? []) == ["Device:V"])
    #expect(network.names(result.isolation?.isolated ?? []) == ["Device:M", "Line:m2"])
  }

  @Test func `the tier's own configuration is the default, and a closed valve stops it`() throws {
    let scene = try NetworkScene()
    try scene.replace(
      "devices.geojson", "\"STATE\":\"open\",\"TERMINALCONFIGURATION\"",
      "\"STATE\":\"shut\",\"TERMINALCONFIGURATION\"")
    let opened = try scene.open()
    var request = Trace.Request(.upstream)
    request.starts = ["M"]
    let error = message { _ = try opened.network.trace(try request.parameters(in: opened)) }
    #expect(error?.contains("controller") == true, "\(error ?? "none")")
  }

  @Test func `a terminal path that connects nothing cuts the network`() throws {
    let scene = try NetworkScene()
    try scene.replace("devices.geojson", "\"Through\"", "\"Shut\"")
    let opened = try scene.open()
    let start = TraceLocation(try opened.network.element(globalID: "M"))
    let error = message {
      _ = try opened.network.trace(UtilityTraceParameters(.upstream, startingLocations: [start]))
    }
    #expect(error?.contains("controller") == true, "\(error ?? "none")")
    let connected = try opened.network.trace(
      UtilityTraceParameters(.connected, startingLocations: [start]))
    #expect(opened.network.names(connected.elements).count == 5)
  }

  private static let converter = "/usr/bin/ogr2ogr"

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: converter), "needs ogr2ogr"))
  func `the same network from GeoPackages in another CRS`() throws {
    let scene = try NetworkScene()
    for (file, layer) in [("devices.geojson", "devices"), ("lines.geojson", "lines")] {
      let run = try ProgramRun(
        Self.converter,
        [
          scene.path(layer + ".gpkg"), scene.path(file), "-t_srs", "EPSG:3857", "-nln", layer,
        ])
      try #require(run.status == 0, "\(run.errors)")
      try scene.replace("net.json", "\"\(file)\"", "\"\(layer).gpkg\", \"layer\": \"\(layer)\"")
    }
    try scene.replace("net.json", "\"associations\":", "\"tolerance\": 1e-6, \"associations\":")
    let opened = try scene.open()
    let plain = try NetworkScene().open()
    #expect(opened.spatialReference?.label == "EPSG:4326")
    #expect(
      opened.network.elements.map { opened.network.name(of: $0) }
        == plain.network.elements.map { plain.network.name(of: $0) })
    for element in opened.network.elements {
      guard let point = opened.network.point(of: element),
        let other = plain.network.point(of: element)
      else { continue }
      #expect(abs(point.x - other.x) < 1e-9 && abs(point.y - other.y) < 1e-9)
    }
    let start = TraceLocation(try opened.network.element(globalID: "M"))
    let result = try opened.network.trace(
      UtilityTraceParameters(.upstream, startingLocations: [start]))
    #expect(opened.network.names(result.elements).count == 5)
  }

  @Test func `contents and structures come from their associations`() throws {
    let scene = try NetworkScene()
    try scene.replace("associations.csv", "4,10,m2", "containment,9,S,,9,M,,\n4,10,m2")
    let network = try scene.open().network
    var configuration = TraceConfiguration()
    configuration.includeContainers = true
    let result = try network.trace(
      UtilityTraceParameters(
        .downstream, startingLocations: [TraceLocation(try network.element(globalID: "M"))],
        traceConfiguration: configuration))
    #expect(network.names(result.elements).contains("Device:S"))
  }

  @Test func `controllers of two subnetworks are an error that names them`() throws {
    let scene = try NetworkScene()
    try scene.replace(
      "devices.geojson", "\"ASSETGROUP\":3,\"ASSETTYPE\":1,",
      "\"ASSETGROUP\":3,\"ASSETTYPE\":1,\"ISSUBNETWORKCONTROLLER\":1,\"SUBNETWORKNAME\":\"South\",")
    let opened = try scene.open()
    #expect(opened.controllers.map(\.controller.subnetworkNames) == [["North"], ["South"]])
    var request = Trace.Request(.isolation)
    (request.starts, request.filterCategory) = (["m2"], "Isolating")
    let error = message { _ = try opened.network.trace(try request.parameters(in: opened)) }
    #expect(error?.contains("North") == true && error?.contains("South") == true, "\(error ?? "")")
  }

  @Test func `a request names elements by ids, and by source where ids are not enough`() throws {
    let scene = try NetworkScene()
    let opened = try scene.open()
    for (id, isKnown) in [("M", true), ("Device:M", true), ("N", false)] {
      let path = try scene.folder.write(
        "request.json",
        """
        {"traceType":"upstream","traceLocations":[
          {"traceLocationType":"startingPoint","globalId":"\(id)","terminalId":1}],
         "traceConfiguration":{"domainNetworkName":"Pipeline","tierName":"Distribution",
           "subnetworkName":"North","functions":[{"functionType":"add",
           "networkAttributeName":"Length"}]}}
        """)
      guard isKnown else {
        let error = message { _ = try opened.parameters(request: path) }
        #expect(
          error?.hasPrefix("\(path): traceLocations[0]: the network has no feature N") == true)
        continue
      }
      let (parameters, warnings) = try opened.parameters(request: path)
      #expect(
        warnings == ["\(path): subnetworkName North is ignored: the start determines it"])
      let result = try opened.network.trace(parameters)
      #expect(result.functionResults.map(\.value) == [19.5])
    }
  }

  @Test(
    "conditions of a request: AND before OR, values by the attribute's type",
    arguments: [
      (
        "[{\"name\":\"Length\",\"type\":\"networkAttribute\",\"operator\":\"greaterThan\","
          + "\"value\":\"9\",\"combineUsingOr\":true,\"isSpecificValue\":true},"
          + "{\"name\":\"State\",\"type\":\"networkAttribute\",\"operator\":\"equal\","
          + "\"value\":\"shut\",\"combineUsingOr\":false,\"isSpecificValue\":true},"
          + "{\"name\":\"Category\",\"type\":\"category\",\"operator\":\"exists\","
          + "\"value\":\"Isolating\",\"combineUsingOr\":false,\"isSpecificValue\":true}]",
        TraceCondition.any([
          .attribute("Length", .greaterThan, .value(.integer(9))),
          .all([.attribute("State", .equal, .value(.text("shut"))), .category("Isolating")]),
        ])
      )
    ])
  func conditions(json: String, expected: TraceCondition) throws {
    let scene = try NetworkScene()
    let path = try scene.folder.write(
      "request.json",
      """
      {"traceType":"isolation","traceLocations":[
        {"traceLocationType":"startingPoint","globalId":"M"}],
       "traceConfiguration":{"filterBarriers":\(json)}}
      """)
    let (parameters, _) = try scene.open().parameters(request: path)
    #expect(parameters.traceConfiguration?.filter.barriers == expected)
  }

  // MARK: Errors

  @Test(
    "an error is reported with the file and the position",
    arguments: [
      (
        "net.json", "\"sourceId\": 9", "\"sourceId\": 8",
        "net.json: sources[0].sourceId: the definition has no network source 8; available: "
          + "9 (Device), 10 (Line)"
      ),
      (
        "net.json", "\"sources\": [", "\"sources\": [], \"x\": [",
        "net.json: expected a layer in sources, found none"
      ),
      (
        "net.json", "devices.geojson", "nothing.geojson",
        "net.json: sources[0].path: no such file: nothing.geojson"
      ),
      (
        "net.json", "\"devices.geojson\"", "\"devices.geojson\", \"lyer\": \"x\"",
        "net.json: sources[0]: there is no member lyer; did you mean layer?"
      ),
      (
        "net.json", "\"devices.geojson\"",
        "\"devices.geojson\", \"fields\": {\"globalId\": \"GLOBID\"}",
        "net.json: sources[0].fields.globalId: devices.geojson has no field GLOBID; "
          + "did you mean GLOBALID?"
      ),
      (
        "net.json", "\"devices.geojson\"",
        "\"devices.geojson\", \"fields\": {\"globalID\": \"GLOBALID\"}",
        "net.json: sources[0].fields: there is no member globalID; did you mean globalId?"
      ),
      (
        "definition.json", "\"rank\":1", "\"rank\":\"one\"",
        "definition.json: layerDataElements[0].dataElement.domainNetworks[0].tiers[0].rank: "
          + "expected a whole number, found a string"
      ),
      (
        "devices.geojson", "\"GLOBALID\":\"M\"", "\"GLOBALID\":\"V\"",
        "devices.geojson, feature 3: Device:V occurs twice; feature 2 has it too"
      ),
      (
        "devices.geojson", "\"GLOBALID\":\"M\"", "\"GLOBALID\":null",
        "devices.geojson, feature 3: GLOBALID is empty: every feature needs a global id"
      ),
      (
        "devices.geojson", "\"ASSETGROUP\":3", "\"ASSETGROUP\":7",
        "devices.geojson, feature 3: Device:M: there is no asset group 7; available: 1 (Valve), "
          + "2 (Station), 3 (Meter)"
      ),
      (
        "devices.geojson", "\"Distribution\"", "\"Distributon\"",
        "devices.geojson, feature 1: Device:S: there is no tier Distributon; "
          + "did you mean Distribution?"
      ),
      (
        "devices.geojson", "\"Through\"", "\"Thru\"",
        "devices.geojson, feature 2: Device:V: there is no terminal path Thru"
      ),
      (
        "devices.geojson", "{\"type\":\"Point\",\"coordinates\":[20.0,0.0]}", "null",
        "devices.geojson, feature 3: Device:M has no point"
      ),
      (
        "lines.geojson", "\"LEN\":\"10\"", "\"LEN\":\"ten\"",
        "lines.geojson, feature 2: m2: network attribute Length is not of type real"
      ),
      (
        "lines.geojson",
        "{\"type\":\"LineString\",\"coordinates\":[[11.0,0.0],[20.0,0.0]]}",
        "{\"type\":\"MultiLineString\",\"coordinates\":[[[11,0],[12,0]],[[13,0],[20,0]]]}",
        "lines.geojson, feature 2: its line has 2 separate parts: make each part a feature"
      ),
      (
        "associations.csv", "6,9,V", "9,9,V",
        "associations.csv, feature 1: there is no association type 9; available: "
      ),
      (
        "associations.csv", "6,9,V", "6,9,W",
        "associations.csv, feature 1: Device:W is not in the network; did you mean"
      ),
      (
        "associations.csv", "4,10,m2", "4,12,m2",
        "associations.csv, feature 2: its from side names the network source 12, which does not exist"
      ),
      (
        "associations.csv", "6,9,V,1", "6,9,V,",
        "associations.csv, feature 1: Device:V: a terminal is required: 1 (High), 2 (Low)"
      ),
      (
        "associations.csv", "9,V,2,", "9,V,7,",
        "associations.csv, feature 2: Device:V: there is no terminal 7; available: 1 (High), 2 (Low)"
      ),
      (
        "associations.csv", "4,10,m2,,9,V,2,", "5,10,m2,,9,V,2,1.5",
        "associations.csv, feature 2: its position along the edge is 1.5, not 0 to 1"
      ),
    ])
  func mistakes(file: String, text: String, other: String, expected: String) throws {
    let scene = try NetworkScene()
    try scene.replace(file, text, other)
    let error = message { _ = try scene.open(isStrict: true) }
    let line = try #require(error).replacing(scene.folder.path + "/", with: "")
    #expect(line.hasPrefix(expected), "\(line)")
    #expect(!line.contains("\n"))
  }

  @Test func `an attribute of a missing source is reported`() throws {
    let scene = try NetworkScene()
    let opened = try scene.open()
    #expect(!opened.warnings.contains { $0.contains("is assigned to") })
    try scene.replace("definition.json", "\"networkSourceId\":10", "\"networkSourceId\":11")
    let warnings = try scene.open().warnings
    #expect(
      warnings.contains {
        $0.hasSuffix(
          "definition.json: the network attribute Length is assigned to the network source 11, "
            + "which does not exist")
      }, "\(warnings)")
  }

  @Test func `layers outside the folder need permission`() throws {
    let scene = try NetworkScene()
    let other = try TemporaryFolder()
    try other.write("devices.geojson", NetworkText.collection(NetworkScene.devices))
    try scene.replace("net.json", "\"devices.geojson\"", "\"\(other.path("devices.geojson"))\"")
    let error = message { _ = try scene.open() }
    #expect(
      error?.contains(
        "lies outside the document's folder; "
          + "this requires access outside the folder") == true)
    #expect(
      try OpenedNetwork.open(path: scene.path("net.json"), access: .anywhere).network.elementCount
        == 5)
  }

  @Test func `the error for other files lists the expected formats`() throws {
    let folder = try TemporaryFolder()
    for (name, text) in [
      ("a.json", "{\"a\": 1}"), ("b.txt", "hello"),
      ("c.geojson", NetworkText.collection(NetworkScene.devices)),
    ] {
      let path = try folder.write(name, text)
      let error = message { _ = try OpenedNetwork.open(path: path) }
      #expect(
        error == "\(path) is not a network: expected an EPANET file (.inp), a network document "
          + "(layerDataElements, dataElement or definition, with sources) or a plain mapping "
          + "(lines and points) in JSON")
    }
    let plain = try folder.write(
      "net.txt", "[TITLE]\nx\n[JUNCTIONS]\nA 1\n[RESERVOIRS]\nR 1\n[PIPES]\nP A R 1 1 1\n")
    #expect(try OpenedNetwork.open(path: plain).form == .epanet)
  }
}
