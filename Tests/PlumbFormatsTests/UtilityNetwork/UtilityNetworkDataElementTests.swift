@testable import PlumbFormats
import PlumbIO
import PlumbTestSupport
import Testing

@Suite struct UtilityNetworkDataElementTests {
  typealias Definition = UtilityNetworkDataElement

  @Test(
    "the service's reply, a data element and one in a member are read the same way",
    arguments: [
      GasDefinition.reply, GasDefinition.dataElement, "\u{FEFF}" + GasDefinition.dataElement,
      "{\"layerId\":5,\"dataElement\":\(GasDefinition.dataElement)}",
    ])
  func roots(text: String) throws {
    let definition = try GasDefinition.definition(text)
    #expect(definition == (try GasDefinition.definition(GasDefinition.reply)))
    #expect(definition.domainNetworks.map(\.name) == ["Structure", "Pipeline"])
    #expect(
      definition.categories == ["Isolating", "Service Point", "Subnetwork Controller", "Cap"])
    #expect(definition.associationSourceID == 1)
    #expect(definition.systemJunctionSourceID == 2)
  }

  @Test func `domain networks have tiers, controllers and sources`() throws {
    let networks = try GasDefinition.definition(GasDefinition.reply).domainNetworks
    #expect(networks[0].isStructureNetwork)
    #expect(networks[0].tierDefinition == .none)
    #expect(networks[0].subnetworkControllerType == nil)
    #expect(
      networks[0].junctionSources.map(\.usageType) == [.structureJunction, .structureBoundary])
    #expect(networks[0].edgeSources.map(\.usageType) == [.structureLine])
    #expect(networks[1].id == 4)
    #expect(networks[1].tierDefinition == .partitioned)
    #expect(networks[1].subnetworkControllerType == .source)
    #expect(networks[1].junctionSources.map(\.usageType) == [.device, .junction, .assembly])
    #expect(networks[1].edgeSources.map(\.usageType) == [.line, .subnetLine])
    #expect(networks[1].junctionSources.map(\.id) == [9, 10, 11])
    #expect(networks[1].junctionSources[0].layerID == 100)
    #expect(networks[1].junctionSources[0].name == "PipelineDevice")
    let tier = networks[1].tiers[1]
    #expect(tier.id == 2 && tier.rank == 2 && tier.topology == .mesh)
    #expect(tier.name == "Pipe Distribution System" && tier.groupName == "Gas")
    #expect(tier.supportsDisjointSubnetworks && tier.subnetworkFieldName == "SYSTEM")
    #expect(
      tier.validSubnetworkControllers == [.init(assetGroupCode: 3, assetTypeCode: 7)])
    #expect(tier.validDevices.map(\.assetGroupCode) == [1, 3])
    #expect(networks[1].tiers[0].topology == .radial)
    #expect(networks[1].tiers[0].updateSubnetworkTraceConfiguration == nil)
  }

  @Test func `asset types have categories, terminals and policies`() throws {
    let network = try GasDefinition.definition(GasDefinition.reply).domainNetworks[1]
    let device = network.junctionSources[0]
    #expect(device.assetGroups.map(\.name) == ["Meter", "Valve"])
    #expect(
      device.assetGroups[0].assetTypes == [
        Definition.AssetType(
          code: 2, name: "Customer", terminalConfigurationID: 5, categories: ["Service Point"],
          connectivityPolicy: .endVertex, associationRole: .none)
      ])
    #expect(
      device.assetGroups[1].assetTypes[1].categories == ["Isolating", "Subnetwork Controller"])
    let main = network.edgeSources[0].assetGroups[0].assetTypes[0]
    #expect(main.terminalConfigurationID == nil)
    #expect(main.connectivityPolicy == .anyVertex)
    let gate = network.junctionSources[2].assetGroups[0].assetTypes[0]
    #expect(gate.associationRole == .container && gate.terminalConfigurationID == nil)
  }

  @Test func `network attributes have the sources of their values`() throws {
    let attributes = try GasDefinition.definition(GasDefinition.reply).networkAttributes
    #expect(attributes.map(\.id) == [6, 7])
    #expect(attributes.map(\.isApportionable) == [true, false])
    #expect(attributes[0].dataType == "esriNADTDouble")
    #expect(
      attributes[0].assignments == [.init(networkSourceID: 12, fieldName: "SHAPE_LENGTH")])
    #expect(attributes[1].assignments.map(\.fieldName) == ["STATUS", nil])
    #expect(attributes[1].attributeToSubstitute == nil && attributes[1].domainName == "Status")
  }

  @Test func `terminal configurations have terminals and paths`() throws {
    let configurations = try GasDefinition.definition(GasDefinition.reply).terminalConfigurations
    #expect(configurations.map(\.traversabilityModel) == [.directional, .bidirectional])
    #expect(
      configurations[0].terminals == [
        .init(id: 1, name: "Supply", isUpstreamTerminal: true),
        .init(id: 2, name: "Load", isUpstreamTerminal: false),
      ])
    #expect(configurations[0].defaultConfiguration == "All")
    let paths = configurations[1].validConfigurationPaths
    #expect(paths[0].terminalPaths == [.init(fromTerminalID: 3, toTerminalID: 4)])
    #expect(paths.map(\.joinsAll) == [false, true, false])
  }

  @Test func `a tier has its own trace configuration`() throws {
    let tier = try GasDefinition.definition(GasDefinition.reply).domainNetworks[1].tiers[1]
    let configuration = try #require(tier.updateSubnetworkTraceConfiguration)
    #expect(configuration.includeBarriers == true && configuration.includeContainers == false)
    #expect(configuration.includeContent == nil && configuration.targetTierName == nil)
    #expect(configuration.tierName == "Pipe Distribution System")
    #expect(configuration.traversabilityScope == .junctionsAndEdges)
    #expect(configuration.filterScope == .junctions)
    #expect(
      configuration.conditionBarriers == [
        .init(
          name: "Device Status", type: .networkAttribute, operator: .equal, value: .number(1),
          combineUsingOr: true, isSpecificValue: true),
        .init(
          name: "Category", type: .category, operator: .equal, value: .text("Cap"),
          combineUsingOr: false, isSpecificValue: true),
      ])
    #expect(configuration.nearestNeighbor == nil)
    #expect(
      configuration.functions == [
        .init(
          functionType: .add, networkAttributeName: "Length", summaryAttributeName: "Total",
          conditions: [])
      ])
    #expect(
      configuration.propagators == [
        .init(
          networkAttributeName: "Pressure", substitutionAttributeName: nil,
          propagatorFunctionType: .min, operator: .greaterThan, value: .number(0.5),
          propagatedAttributeName: "MAOP")
      ])
  }

  @Test(
    "Esri's other names of the controller type and the tiers",
    arguments: [
      ("\"esriSCTSource\"", "\"Source\""), ("\"esriTTTMesh\"", "\"esriTTTmesh\""),
      ("\"tierID\":2", "\"tierId\":2"), ("\"rank\":2", "\"rank\":2.0"),
    ])
  func words(from: String, to: String) throws {
    let text = GasDefinition.reply.replacing(from, with: to)
    #expect(text != GasDefinition.reply)
    #expect(
      try GasDefinition.definition(text) == (try GasDefinition.definition(GasDefinition.reply)))
  }

  // MARK: Faults

  private static let network = "layerDataElements[1].dataElement.domainNetworks[1]"
  private static let terminals = "layerDataElements[1].dataElement.terminalConfigurations"

  @Test(
    "a fault has its path",
    arguments: [
      (
        "\"domainNetworkId\":4", "\"domainNetworkId\":\"4\"",
        "\(network).domainNetworkId: expected a whole number, found a string"
      ),
      (
        "\"domainNetworkId\":4,", "",
        "\(network).domainNetworkId: expected a whole number, found nothing"
      ),
      (
        "\"domainNetworkName\":\"Pipeline\"", "\"domainNetworkName\":\"\"",
        "\(network).domainNetworkName: expected a string, found an empty one"
      ),
      (
        "\"domainNetworkName\":\"Pipeline\"", "\"domainNetworkName\":\"Structure\"",
        "\(network): layerDataElements[1].dataElement.domainNetworks[0] has the same name: Structure"
      ),
      (
        "esriTDPartitioned", "esriTDLayered",
        "\(network).tierDefinition: expected esriTDPartitioned, esriTDHierarchical, esriTDNone, "
          + "found esriTDLayered"
      ),
      (
        "\"tierDefinition\":\"esriTDPartitioned\",", "",
        "\(network).tierDefinition: expected esriTDPartitioned or esriTDHierarchical, found nothing"
      ),
      (
        "esriSCTSource", "esriSCTWell",
        "\(network).subnetworkControllerType: expected esriSCTSource, esriSCTSink, found esriSCTWell"
      ),
      (
        "\"rank\":2", "\"rank\":2.5",
        "\(network).tiers[1].rank: expected a whole number, found 2.5"
      ),
      (
        "\"rank\":2", "\"rank\":1e300",
        "\(network).tiers[1].rank: expected a whole number, found 1e+300"
      ),
      (
        "esriTTTMesh", "esriTTTRing",
        "\(network).tiers[1].tierTopology: expected esriTTTRadial, esriTTTMesh, found esriTTTRing"
      ),
      (
        "\"name\":\"Pipe Distribution System\"", "\"name\":\"Pipe Transmission System\"",
        "\(network).tiers[1]: \(network).tiers[0] has the same name: Pipe Transmission System"
      ),
      (
        "\"includeBarriers\":true", "\"includeBarriers\":1",
        "\(network).tiers[1].updateSubnetworkTraceConfiguration.includeBarriers: "
          + "expected true or false, found a number"
      ),
      (
        "esriTOEqual", "esriTOLike",
        "\(network).tiers[1].updateSubnetworkTraceConfiguration.conditionBarriers[0].operator: "
          + "expected equal, notEqual, greaterThan, greaterThanEqual, lessThan, lessThanEqual, "
          + "includesTheValues, doesNotIncludeTheValues, includesAny, doesNotIncludeAny, exists, "
          + "doesNotExist, found esriTOLike"
      ),
      (
        "\"sourceId\":10", "\"sourceId\":9",
        "\(network).junctionSources[1]: \(network).junctionSources[0] has the same sourceId: 9"
      ),
      (
        "\"sourceId\":12", "\"sourceId\":3",
        "\(network).edgeSources[0]: layerDataElements[1].dataElement.domainNetworks[0]"
          + ".junctionSources[0] has the same sourceId: 3"
      ),
      (
        "esriUNFCUTAssembly", "esriUNFCUTPump",
        "\(network).junctionSources[2].utilityNetworkFeatureClassUsageType: expected "
          + "esriUNFCUTDevice, esriUNFCUTJunction, esriUNFCUTLine, esriUNFCUTAssembly, "
          + "esriUNFCUTSubnetLine, esriUNFCUTStructureJunction, esriUNFCUTStructureLine, "
          + "esriUNFCUTStructureBoundary, esriUNFCUTJunctionObject, esriUNFCUTEdgeObject, "
          + "esriUNFCUTStructureJunctionObject, esriUNFCUTStructureEdgeObject, found esriUNFCUTPump"
      ),
      (
        "\"assetGroupCode\":3,\"assetGroupName\"", "\"assetGroupCode\":1,\"assetGroupName\"",
        "\(network).junctionSources[0].assetGroups[1]: "
          + "\(network).junctionSources[0].assetGroups[0] has the same assetGroupCode: 1"
      ),
      (
        "\"assetTypeCode\":7,\"assetTypeName\"", "\"assetTypeCode\":6,\"assetTypeName\"",
        "\(network).junctionSources[0].assetGroups[1].assetTypes[1]: "
          + "\(network).junctionSources[0].assetGroups[1].assetTypes[0] has the same "
          + "assetTypeCode: 6"
      ),
      (
        "\"terminalConfigurationId\":6,\n        \"categories\"",
        "\"terminalConfigurationId\":66,\n        \"categories\"",
        "\(network).junctionSources[0].assetGroups[1].assetTypes[0].terminalConfigurationId: "
          + "there is no terminal configuration 66"
      ),
      (
        "\"categories\":[\"Service Point\"]", "\"categories\":\"Service Point\"",
        "\(network).junctionSources[0].assetGroups[0].assetTypes[0].categories: "
          + "expected a list, found a string"
      ),
      (
        "{\"fieldName\":\"STATUS\"}", "\"STATUS\"",
        "layerDataElements[1].dataElement.networkAttributes[1].assignments[0].evaluator: "
          + "expected an object, found a string"
      ),
      (
        "\"toTerminalId\":4", "\"toTerminalId\":7",
        "\(terminals)[1].validConfigurationPaths[0].terminalPaths[0].toTerminalId: "
          + "the configuration has no terminal 7"
      ),
      (
        "\"terminalId\":5", "\"terminalId\":3",
        "\(terminals)[1].terminals[2]: \(terminals)[1].terminals[0] has the same terminalId: 3"
      ),
      (
        "\"defaultConfiguration\":\"Straight\"", "\"defaultConfiguration\":\"Bent\"",
        "\(terminals)[1].defaultConfiguration: no valid configuration path has the name Bent"
      ),
      (
        "esriUNTMDirectional", "esriUNTMOneWay",
        "\(terminals)[0].traversabilityModel: expected esriUNTMBidirectional, "
          + "esriUNTMDirectional, found esriUNTMOneWay"
      ),
      (
        "\"terminalConfigurationId\":6,\"terminalConfigurationName\"",
        "\"terminalConfigurationId\":5,\"terminalConfigurationName\"",
        "\(terminals)[1]: \(terminals)[0] has the same terminalConfigurationId: 5"
      ),
    ])
  func fault(from: String, to: String, message: String) {
    let text = GasDefinition.reply.replacing(from, with: to)
    #expect(text != GasDefinition.reply)
    #expect(
      GasDefinition.fault { () throws(FormatError) in try GasDefinition.definition(text) }
        == message)
  }

  @Test(
    "a root that is not a definition is rejected",
    arguments: [
      ("[]", "expected an object, found a list"),
      ("{}", "domainNetworks: expected a list, found nothing"),
      ("{\"dataElement\":{}}", "dataElement.domainNetworks: expected a list, found nothing"),
      ("{\"domainNetworks\":{}}", "domainNetworks: expected a list, found an object"),
      (
        "{\"layerDataElements\":[{\"dataElement\":{}},{}]}",
        "layerDataElements: none of the data elements has domainNetworks"
      ),
      (
        "{\"layerDataElements\":[{\"dataElement\":{\"domainNetworks\":[]}},"
          + "{\"dataElement\":{\"domainNetworks\":[]}}]}",
        "layerDataElements[1].dataElement: "
          + "layerDataElements[0].dataElement is already a utility network"
      ),
      (
        "{\"error\":{\"code\":498,\"message\":\"Invalid token.\",\"details\":[\"expired\"]}}",
        "error: the service answered: Invalid token.; expired"
      ),
      ("{\"domainNetworks\":[]", "invalid JSON: the text ends too early (at byte 20)"),
      ("", "invalid JSON: the text ends too early (at byte 0)"),
    ])
  func root(text: String, message: String) {
    #expect(
      GasDefinition.fault { () throws(FormatError) in try GasDefinition.definition(text) }
        == message)
  }

  @Test func `five thousand damaged definitions never trap`() {
    var random = SeededGenerator(seed: 11)
    let text = Array(GasDefinition.reply.utf8)
    let pieces: [[UInt8]] = ["null", "{}", "[]", "-1", "1e999", "\"\"", "true", "[[[[", "\\u0000"]
      .map { Array($0.utf8) }
    var (readCount, faultCount) = (0, 0)
    for _ in 0..<5000 {
      var bytes = text
      let start = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[start] = UInt8.random(in: 0...255, using: &random)
      case 1:
        let end = min(bytes.count, start + Int.random(in: 1...40, using: &random))
        bytes.removeSubrange(start..<end)
      default:
        // Replaces the value after the next colon.
        guard let colon = bytes[start...].firstIndex(of: UInt8(ascii: ":")) else { continue }
        let end = bytes[colon...].firstIndex {
          [UInt8(ascii: ","), UInt8(ascii: "}")].contains($0)
        }
        bytes.replaceSubrange(
          colon + 1..<(end ?? colon + 1), with: pieces.randomElement(using: &random) ?? [])
      }
      do throws(FormatError) {
        let definition = try GasDefinition.read(bytes) { bytes throws(FormatError) in
          try UtilityNetworkDataElement(json: bytes)
        }
        readCount += 1
        let networks = definition.domainNetworks
        #expect(Set(networks.map(\.name)).count == networks.count)
        let sources = networks.flatMap { $0.junctionSources + $0.edgeSources }
        #expect(Set(sources.map(\.id)).count == sources.count)
      } catch {
        faultCount += 1
        #expect(!error.message.contains { $0.isNewline })
      }
    }
    // Both outcomes must be frequent; otherwise the test of damaged files would be useless.
    #expect(readCount > 500 && faultCount > 500)
  }
}
