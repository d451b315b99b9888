import PlumbCore
@testable import PlumbFormats
import PlumbIO
import PlumbTestSupport
import Testing

@Suite struct UtilityTraceTests {
  private static let configuration = """
    {"includeContainers":true,"includeContent":false,"includeStructures":false,
     "includeBarriers":true,"includeIsolated":true,"ignoreBarriersAtStartingPoints":false,
     "validateConsistency":true,"validateLocatability":false,"allowIndeterminateFlow":false,
     "includeUpToFirstSpatialContainer":false,"useDigitizedDirection":false,
     "domainNetworkName":"Pipeline","tierName":"Pipe Distribution System","targetTierName":"T",
     "subnetworkName":"S","diagramTemplateName":"","shortestPathNetworkAttributeName":"Length",
     "filterBitsetNetworkAttributeName":"Bits","traversabilityScope":"edges",
     "filterScope":"junctions","arcadeExpressionBarrier":"",
     "conditionBarriers":[{"name":"Status","type":"networkAttribute","operator":"doesNotIncludeAny",
       "value":"Mask","combineUsingOr":false,"isSpecificValue":false}],
     "filterBarriers":[{"name":"Category","type":"category","operator":"equal",
       "value":"Isolating","combineUsingOr":true,"isSpecificValue":true}],
     "functionBarriers":[{"functionType":"count","networkAttributeName":"Length",
       "operator":"greaterThan","value":5,"useLocalValues":false}],
     "filterFunctionBarriers":[{"functionType":"max","networkAttributeName":"Length",
       "operator":"lessThanEqual","value":-0.5}],
     "functions":[{"functionType":"average","networkAttributeName":"Length","conditions":[
       {"name":"Category","type":"category","operator":"notEqual","value":"Cap"}]}],
     "outputFilters":[{"networkSourceId":9,"assetGroupCode":1,"assetTypeCode":2}],
     "outputConditions":[{"name":"Status","type":"networkAttribute","operator":"equal","value":1}],
     "nearestNeighbor":{"count":3,"costNetworkAttributeName":"Length",
       "nearestCategories":["Isolating"],
       "nearestAssets":[{"networkSourceId":9,"assetGroupCode":3,"assetTypeCode":6}]},
     "propagators":[{"networkAttributeName":"Phases","substitutionAttributeName":"Normal",
       "propagatorFunctionType":"bitwiseAnd","operator":"includesAny","value":7}]}
    """

  private static let request = """
    {"f":"json","traceType":"isolation","gdbVersion":"sde.DEFAULT",
     "traceLocations":[
      {"traceLocationType":"startingPoint","globalId":"{AA}","terminalId":2},
      {"traceLocationType":"barrier","globalId":"{BB}","percentAlong":0.25,
       "isFilterBarrier":true}],
     "traceConfiguration":\(configuration),
     "resultTypes":[{"type":"elements","includeGeometry":false,"includePropagatedValues":true,
       "networkAttributeNames":["Length"],"diagramTemplateName":"","resultTypeFields":[]}]}
    """

  @Test func `a request has locations, a configuration and kinds of results`() throws {
    let request = try GasDefinition.request(Self.request)
    #expect(request.traceType == .isolation)
    #expect(
      request.traceLocations == [
        .init(
          type: .startingPoint, globalID: "{AA}", terminalID: 2, percentAlong: nil,
          isFilterBarrier: false),
        .init(
          type: .barrier, globalID: "{BB}", terminalID: nil, percentAlong: 0.25,
          isFilterBarrier: true),
      ])
    #expect(
      request.resultTypes == [
        .init(
          type: .elements, includeGeometry: false, includePropagatedValues: true,
          networkAttributeNames: ["Length"])
      ])
    let configuration = try #require(request.traceConfiguration)
    #expect(configuration.includeIsolated == true && configuration.includeContent == false)
    #expect(configuration.allowIndeterminateFlow == false)
    #expect(configuration.validateConsistency == true)
    #expect(configuration.targetTierName == "T" && configuration.subnetworkName == "S")
    #expect(configuration.shortestPathNetworkAttributeName == "Length")
    #expect(configuration.filterBitsetNetworkAttributeName == "Bits")
    #expect(configuration.traversabilityScope == .edges && configuration.filterScope == .junctions)
    #expect(
      configuration.conditionBarriers == [
        .init(
          name: "Status", type: .networkAttribute, operator: .doesNotIncludeAny,
          value: .text("Mask"), combineUsingOr: false, isSpecificValue: false)
      ])
    #expect(configuration.filterBarriers.map(\.value) == [.text("Isolating")])
    #expect(configuration.filterBarriers.map(\.combineUsingOr) == [true])
    #expect(configuration.functionBarriers.map(\.useLocalValues) == [false])
    #expect(configuration.functionBarriers.map(\.functionType) == [.count])
    #expect(
      configuration.filterFunctionBarriers == [
        .init(
          functionType: .max, networkAttributeName: "Length", operator: .lessThanEqual,
          value: .number(-0.5), useLocalValues: nil)
      ])
    #expect(configuration.functions.map(\.conditions.count) == [1])
    let asset = UtilityTraceConfiguration.AssetReference(
      networkSourceID: 9, assetGroupCode: 1, assetTypeCode: 2)
    #expect(configuration.outputFilters == [asset])
    #expect(configuration.outputConditions.map(\.isSpecificValue) == [true])
    #expect(
      configuration.nearestNeighbor
        == .init(
          count: 3, costNetworkAttributeName: "Length", nearestCategories: ["Isolating"],
          nearestAssets: [.init(networkSourceID: 9, assetGroupCode: 3, assetTypeCode: 6)]))
    #expect(configuration.propagators.map(\.propagatorFunctionType) == [.bitwiseAnd])
    #expect(configuration.propagators.map(\.substitutionAttributeName) == ["Normal"])
  }

  @Test func `lists and objects may be strings, as forms send them`() throws {
    let escaped = Self.configuration.replacing("\"", with: "\\\"").replacing("\n", with: " ")
    let text = Self.request.replacing(Self.configuration, with: "\"\(escaped)\"")
    #expect(try GasDefinition.request(text) == (try GasDefinition.request(Self.request)))
    let bare = try GasDefinition.request(
      "{\"traceType\":\"connected\",\"traceLocations\":\"\",\"traceConfiguration\":\"\"}")
    #expect(bare.traceLocations.isEmpty && bare.traceConfiguration == nil)
  }

  /// `exists` does not need a value, because the category may be in `name`.
  @Test(
    "a category is given by its value or its name",
    arguments: [
      (#""name":"Cap","operator":"exists""#, "Cap"),
      (#""name":"Cap","operator":"doesNotExist","value":"""#, "Cap"),
      (#""name":"Category","operator":"exists","value":"Cap""#, "Cap"),
      (#""name":"Other","operator":"exists","value":"Cap""#, "Cap"),
    ])
  func categoryByName(members: String, category: String) throws {
    let request = try GasDefinition.request(
      #"{"traceType":"isolation","traceConfiguration":{"filterBarriers":[{"type":"category","#
        + members + "}]}}")
    let condition = try #require(request.traceConfiguration?.filterBarriers.first)
    #expect(condition.value == .text(category))
  }

  @Test func `a comparison of a category needs a value`() {
    #expect(throws: FormatError.self) {
      try GasDefinition.request(
        #"{"traceType":"isolation","traceConfiguration":{"filterBarriers":["#
          + #"{"type":"category","name":"Cap","operator":"equal"}]}}"#)
    }
  }

  @Test(
    "every trace type is known",
    arguments: [
      ("connected", UtilityTraceRequest.TraceType.connected), ("subnetwork", .subnetwork),
      ("subnetworkController", .subnetworkController),
      ("subnetworkControllers", .subnetworkController),
      ("subnetwork controllers", .subnetworkController), ("upstream", .upstream),
      ("downstream", .downstream), ("loops", .loops), ("shortestPath", .shortestPath),
      ("isolation", .isolation),
    ])
  func traceType(name: String, type: UtilityTraceRequest.TraceType) throws {
    #expect(try GasDefinition.request("{\"traceType\":\"\(name)\"}").traceType == type)
  }

  private static let inConfiguration = "traceConfiguration."

  @Test(
    "a request's fault has its path",
    arguments: [
      (
        "\"traceType\":\"isolation\",", "",
        "traceType: expected a string such as connected, found nothing"
      ),
      (
        "\"traceType\":\"isolation\"", "\"traceType\":\"path\"",
        "traceType: expected connected, subnetwork, subnetworkController, upstream, downstream, "
          + "loops, shortestPath, isolation, found path"
      ),
      (
        "\"globalId\":\"{AA}\",", "",
        "traceLocations[0].globalId: expected a string, found nothing"
      ),
      (
        "\"traceLocationType\":\"barrier\"", "\"traceLocationType\":\"wall\"",
        "traceLocations[1].traceLocationType: expected startingPoint, barrier, found wall"
      ),
      (
        "\"percentAlong\":0.25", "\"percentAlong\":25",
        "traceLocations[1].percentAlong: expected a number from 0 to 1, found 25.0"
      ),
      (
        "\"percentAlong\":0.25", "\"percentAlong\":1e999",
        "traceLocations[1].percentAlong: expected a number, found one that is too large"
      ),
      (
        "\"terminalId\":2", "\"terminalId\":\"Load\"",
        "traceLocations[0].terminalId: expected a whole number, found a string"
      ),
      (
        "\"value\":\"Isolating\"", "\"value\":3",
        "\(inConfiguration)filterBarriers[0].value: a category must be a string, not a number"
      ),
      (
        "\"value\":\"Isolating\"", "\"value\":[]",
        "\(inConfiguration)filterBarriers[0].value: expected a string or a number, found a list"
      ),
      (
        "\"operator\":\"equal\",\n   \"value\":\"Isolating\"",
        "\"operator\":\"lessThan\",\n   \"value\":\"Isolating\"",
        "\(inConfiguration)filterBarriers[0]: "
          + "a condition on a category needs the operator equal or notEqual"
      ),
      (
        "\"operator\":\"doesNotIncludeAny\"", "\"operator\":\"exists\"",
        "\(inConfiguration)conditionBarriers[0]: the operator exists is only for categories"
      ),
      (
        "\"value\":\"Mask\"", "\"value\":1",
        "\(inConfiguration)conditionBarriers[0].value: "
          + "expected the name of an attribute, found a number"
      ),
      (
        "\"value\":5,", "",
        "\(inConfiguration)functionBarriers[0].value: expected a string or a number, found nothing"
      ),
      (
        "\"functionType\":\"average\"", "\"functionType\":\"median\"",
        "\(inConfiguration)functions[0].functionType: "
          + "expected add, subtract, average, count, min, max, found median"
      ),
      (
        "\"traversabilityScope\":\"edges\"", "\"traversabilityScope\":\"all\"",
        "\(inConfiguration)traversabilityScope: expected junctions, edges, junctionsAndEdges, found all"
      ),
      (
        "\"nearestCategories\":[\"Isolating\"]", "\"nearestCategories\":[9]",
        "\(inConfiguration)nearestNeighbor.nearestCategories[0]: expected a string, found a number"
      ),
      (
        "\"assetTypeCode\":2", "\"assetTypeCode\":null",
        "\(inConfiguration)outputFilters[0].assetTypeCode: expected a whole number, found nothing"
      ),
      (
        "\"propagatorFunctionType\":\"bitwiseAnd\"", "\"propagatorFunctionType\":\"or\"",
        "\(inConfiguration)propagators[0].propagatorFunctionType: "
          + "expected bitwiseAnd, min, max, found or"
      ),
      (
        "\"type\":\"elements\"", "\"type\":\"all\"",
        "resultTypes[0].type: expected elements, aggregatedGeometry, connectivity, features, "
          + "associations, diagram, network, found all"
      ),
      (
        "\"traceConfiguration\":{", "\"traceConfiguration\":\"{\",\"x\":{",
        "traceConfiguration: invalid JSON: the text ends too early (at byte 1)"
      ),
    ])
  func fault(from: String, to: String, message: String) {
    let text = Self.request.replacing(from, with: to)
    #expect(text != Self.request)
    #expect(
      GasDefinition.fault { () throws(FormatError) in try GasDefinition.request(text) } == message)
  }

  // MARK: Replies

  @Test func `a reply has elements, results of functions and warnings`() throws {
    let reply = try GasDefinition.reply(
      """
      {"traceResults":{"elements":[
        {"networkSourceId":9,"globalId":"{AA}","objectId":5,"terminalId":2,"assetGroupCode":1,
         "assetTypeCode":2},
        {"networkSourceId":12,"globalId":"{CC}","objectId":6,"assetGroupCode":8,
         "assetTypeCode":1,"positionFrom":0.25,"positionTo":1,"flowDirection":"withDigitized"}],
       "diagramName":"","globalFunctionResults":[
        {"functionType":"add","networkAttributeName":"Length","result":12.5},
        {"functionType":"min","networkAttributeName":"Length","result":null}],
       "kFeaturesForKNNFound":false,"startingPointsIgnored":true,"warnings":["dirty"]},
       "success":true}
      """)
    #expect(
      reply.elements == [
        .init(
          networkSourceID: 9, globalID: "{AA}", objectID: 5, assetGroupCode: 1, assetTypeCode: 2,
          terminalID: 2),
        .init(
          networkSourceID: 12, globalID: "{CC}", objectID: 6, assetGroupCode: 8, assetTypeCode: 1,
          positionFrom: 0.25, positionTo: 1),
      ])
    #expect(reply.globalFunctionResults.map(\.result) == [12.5, nil])
    #expect(reply.warnings == ["dirty"])
    #expect(reply.startingPointsIgnored && reply.success)
    #expect(reply.kFeaturesForKNNFound == false)
  }

  @Test(
    "a reply's fault has its path",
    arguments: [
      ("{\"success\":true}", "traceResults: expected an object, found nothing"),
      ("{\"traceResults\":[]}", "traceResults: expected an object, found a list"),
      (
        "{\"traceResults\":{\"elements\":[{\"networkSourceId\":1}]}}",
        "traceResults.elements[0].globalId: expected a string, found nothing"
      ),
      (
        "{\"traceResults\":{\"elements\":[{\"networkSourceId\":1,\"globalId\":\"a\","
          + "\"positionTo\":1.5}]}}",
        "traceResults.elements[0].positionTo: expected a number from 0 to 1, found 1.5"
      ),
      (
        "{\"error\":{\"extendedCode\":-2147208956,\"message\":\"No start.\"},\"success\":false}",
        "error: the service answered: No start."
      ),
    ])
  func replyFault(text: String, message: String) {
    #expect(
      GasDefinition.fault { () throws(FormatError) in try GasDefinition.reply(text) } == message)
  }

  // MARK: Named configurations

  @Test func `named configurations are listed`() throws {
    let text = """
      {"traceConfigurations":[{"name":"Isolate","description":"","globalId":"{F9}",
        "traceType":"subnetwork controllers","creator":"me","tags":[],
        "traceConfiguration":\(Self.configuration),"resultTypes":[{"type":"aggregatedGeometry"}]}],
       "success":true}
      """
    let list = try GasDefinition.read(text) { bytes throws(FormatError) in
      try NamedTraceConfiguration.list(json: bytes)
    }
    #expect(list.map(\.name) == ["Isolate"])
    #expect(list[0].traceType == .subnetworkController && list[0].globalID == "{F9}")
    #expect(list[0].resultTypes.map(\.type) == [.aggregatedGeometry])
    #expect(
      list[0].traceConfiguration
        == (try GasDefinition.request(Self.request)).traceConfiguration)
    #expect(
      GasDefinition.fault { () throws(FormatError) in
        try GasDefinition.read(
          "{\"traceConfigurations\":[{\"name\":\"A\",\"traceType\":\"loops\"}]}"
        ) {
          bytes throws(FormatError) in try NamedTraceConfiguration.list(json: bytes)
        }
      } == "traceConfigurations[0].traceConfiguration: expected an object, found nothing")
  }

  @Test func `three thousand damaged requests never trap`() {
    var random = SeededGenerator(seed: 3)
    let text = Array(Self.request.utf8)
    var (readCount, faultCount) = (0, 0)
    for _ in 0..<3000 {
      var bytes = text
      let start = Int.random(in: 0..<bytes.count, using: &random)
      if Bool.random(using: &random) {
        bytes[start] = UInt8.random(in: 0...255, using: &random)
      } else {
        let end = min(bytes.count, start + Int.random(in: 1...30, using: &random))
        bytes.removeSubrange(start..<end)
      }
      do throws(FormatError) {
        _ = try GasDefinition.read(bytes) { bytes throws(FormatError) in
          try UtilityTraceRequest(json: bytes)
        }
        readCount += 1
      } catch {
        faultCount += 1
        #expect(!error.message.contains { $0.isNewline })
      }
    }
    #expect(readCount > 300 && faultCount > 300)
  }
}
