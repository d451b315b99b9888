import PlumbFormats
import PlumbIO

/// Networks: EPANET's files and the service's JSON.
extension ParserTarget {
  private static let epanetText = """
    [TITLE]
    Town
    [JUNCTIONS]
     J1 10 5 p ;a
     J2 "12.5" 0
     é 1e2
    [RESERVOIRS]
     R 100 p
    [TANKS]
     T 50 1 0 5 20 0 * Yes
     E 5
     F 50 1 0 5 0
    [PIPES]
     P1 R J1 100 12 130 0 Open ;
     P2 J1 J2 200 8 130 CV
     P3 J2 é 300 8 130 0.5
     P4 J1 J1 1 1 1
    [PUMPS]
     U J2 T HEAD 1 SPEED 1.1 PATTERN p
     U2 J2 T POWER 5
     U3 J2 T 1 2 3
    [VALVES]
     V J1 T 12 PRV 40 0
     G J2 T 12 GPV c
     W J2 E 12 PCV 10 0 c
    [STATUS]
     P1 Closed
     U 1.2
     V 30
     P1 V Open
    [DEMANDS]
     J1 3
     J1 4 p
     T 1
    [COORDINATES]
     J1 0 0
     J1 1 1
     R -1 5.5
     X 1 1
    [VERTICES]
     P1 1 2
     P1 3 4
    [TAGS]
     NODE J1 x y
     LINK P1 z
     other
    [OPTIONS]
     UNITS LPS
     HEADLOSS H-W
     DEMAND MULTIPLIER 2
     MAP file
    [LABELS]
     1 2 "text"
    [LEAKAGE] more
     1
    [PATTERNS]
     p 1 0 2
     p x
    [CURVES]
     c 1 2
     c 3 4
    [TIMES]
     PATTERN TIMESTEP 1:30
     PATTERN START 2 HOURS
     START CLOCKTIME 12 AM
     START CLOCKTIME 7:30:05 PM
     PATTERN START 90 MIN
     PATTERN START 90 SEC
     PATTERN START 1 DAY
     START CLOCKTIME x
    [CONTROLS]
     LINK P1 CLOSED AT TIME 0
     LINK U 0 AT CLOCKTIME 12 AM
     LINK V 5 IF NODE T BELOW 4
     LINK V OPEN IF NODE T ABOVE 100
     LINK P2 1 AT TIME 2 HOURS
     LINK G 5 AT TIME 0
     LINK X OPEN AT TIME 0
     LINK P1 SOMETIMES
     LINK U 1.5 IF NODE T ABOVE 4
    [RULES]
     RULE 1
     IF TANK T LEVEL > 4
     THEN PIPE P2 STATUS IS CLOSED
    [END]
    behind

    """

  private static let configuration = """
    {"includeContainers":true,"includeIsolated":false,"domainNetworkName":"P","tierName":"T",
    "shortestPathNetworkAttributeName":"L","traversabilityScope":"edges","filterScope":"junctions",
    "conditionBarriers":[{"name":"S","type":"networkAttribute","operator":"doesNotIncludeAny",
    "value":"M","combineUsingOr":false,"isSpecificValue":false}],"filterBarriers":[{"name":"C",
    "type":"category","operator":"equal","value":"I"}],"functionBarriers":[{"functionType":"count",
    "networkAttributeName":"L","operator":"greaterThan","value":5,"useLocalValues":false}],
    "functions":[{"functionType":"average","networkAttributeName":"L","conditions":[]}],
    "outputFilters":[{"networkSourceId":9,"assetGroupCode":1,"assetTypeCode":2}],
    "outputConditions":[],"nearestNeighbor":{"count":3,"costNetworkAttributeName":"L",
    "nearestCategories":["I"],"nearestAssets":[]},"propagators":[{"networkAttributeName":"P",
    "propagatorFunctionType":"bitwiseAnd","operator":"includesAny","value":7}]}
    """

  private static let definition = """
    {"schemaGeneration":5,"associationSource":{"sourceId":1},"systemJunctionSource":{"sourceId":2},
    "domainNetworks":[{"domainNetworkId":4,"domainNetworkName":"P","isStructureNetwork":false,
    "tierDefinition":"esriTDPartitioned","subnetworkControllerType":"esriSCTSource",
    "tiers":[{"tierID":1,"name":"T","rank":1,"tierTopology":"esriTTTRadial",
    "validSubnetworkControllers":[{"assetGroupCode":3,"assetTypes":[{"assetTypeCode":7}]}],
    "updateSubnetworkTraceConfiguration":{"includeBarriers":true,"tierName":"T"}}],
    "junctionSources":[{"sourceId":9,"layerId":1,"networkSourceName":"D",
    "utilityNetworkFeatureClassUsageType":"esriUNFCUTDevice","assetGroups":[{"assetGroupCode":3,
    "assetGroupName":"V","assetTypes":[{"assetTypeCode":7,"assetTypeName":"R",
    "isTerminalConfigurationSupported":true,"terminalConfigurationId":5,
    "connectivityPolicy":"esriNECPEndVertex","associationRoleType":"esriARTContainer",
    "categories":["I"]}]}]}],"edgeSources":[{"sourceId":12,"layerId":2,
    "utilityNetworkFeatureClassUsageType":"esriUNFCUTLine","assetGroups":[]}]}],
    "networkAttributes":[{"networkAttributeId":6,"name":"L","dataType":"esriNADTDouble",
    "isApportionable":true,"assignments":[{"networkSourceId":12,"evaluator":{"fieldName":"S"}}]}],
    "categories":[{"name":"I"}],"terminalConfigurations":[{"terminalConfigurationId":5,
    "terminalConfigurationName":"H","traversabilityModel":"esriUNTMDirectional",
    "terminals":[{"terminalId":1,"terminalName":"A","isUpstreamTerminal":true},{"terminalId":2,
    "terminalName":"B"}],"validConfigurationPaths":[{"id":1,"name":"S","description":"A-B",
    "terminalPaths":[{"fromTerminalId":1,"toTerminalId":2}]}],"defaultConfiguration":"S"}]}
    """

  private static let request = """
    {"traceType":"isolation","traceLocations":[{"traceLocationType":"startingPoint",
    "globalId":"{A}","terminalId":2},{"traceLocationType":"barrier","globalId":"{B}",
    "percentAlong":0.25,"isFilterBarrier":true}],"traceConfiguration":\(configuration),
    "resultTypes":[{"type":"elements","includeGeometry":false,"networkAttributeNames":["L"]}]}
    """

  private static let reply = """
    {"success":true,"traceResults":{"elements":[{"networkSourceId":9,"globalId":"{A}",
    "objectId":1,"assetGroupCode":1,"assetTypeCode":2,"terminalId":1,"positionFrom":0,
    "positionTo":0.5}],"globalFunctionResults":[{"functionType":"add","networkAttributeName":"L",
    "result":1.5}],"warnings":["w"],"startingPointsIgnored":false,"kFeaturesForKNNFound":true}}
    """

  static var networks: [ParserTarget] {
    let network = try? Array(epanetText.utf8).withUnsafeBytes { try EPANETNetwork($0) }
    let jsonTargets: [(String, [String], @Sendable (UnsafeRawBufferPointer) throws -> Bool)] = [
      (
        "network definition",
        [
          definition, "{\"layerDataElements\":[{\"dataElement\":\(definition)}]}", "{\"error\":{}}",
        ],
        { try UtilityNetworkDataElement(json: $0).domainNetworks.count > 0 }
      ),
      (
        "trace configuration", [configuration],
        { try UtilityTraceConfiguration(json: $0).functions.count > 0 }
      ),
      (
        "trace request",
        [request, "{\"traceType\":\"connected\",\"traceLocations\":\"[]\",\"resultTypes\":\"\"}"],
        { try UtilityTraceRequest(json: $0).traceLocations.count >= 0 }
      ),
      (
        "trace configurations",
        [
          "{\"traceConfigurations\":[{\"name\":\"n\",\"globalId\":\"{A}\",\"traceType\":\"loops\","
            + "\"traceConfiguration\":\(configuration),\"resultTypes\":[]}]}"
        ], { try NamedTraceConfiguration.list(json: $0).count > 0 }
      ),
      (
        "trace reply",
        [reply, "{\"error\":{\"code\":400,\"message\":\"m\",\"details\":[\"d\"]}}"],
        { try UtilityTraceReply(json: $0).elements.count > 0 }
      ),
    ]
    return [
      ParserTarget(
        "epanet",
        texts: [epanetText, "[JUNCTIONS]\r J1 1\r[RESERVOIRS]\r R 1\r[PIPES]\r P R J1 1 1 1"],
        words: [
          "\n", "\r", "\"", ";", "[", "]", "[PIPES]\n", "[STATUS]\n", "\nJ1 J2 ", " CV ", "Open",
          "[END]\n", "\u{FEFF}", "\0", "LINK P1 ", " AT TIME ",
        ]
      ) { bytes in
        let network = try EPANETNetwork(bytes)
        for index in network.links.indices { _ = network.vertices(ofLink: index).count }
        return network.node("J1") != nil && network.link("P1") != nil
      },
      ParserTarget(
        "epanet valves",
        texts: [
          "link,node,status,operable\nP1,J1,open,yes\nP1,R,Closed,0\n",
          "name;node;link\n\"a\";J2;P2\n\n", "link\tnode\r\nP3\té\r\n", "link,node\nP1,T\n",
          "a,b\n1,2\n",
        ], words: ["\"", ",", ";", "\n", "P1", "J1", "link", "node", "open"]
      ) { bytes in
        guard let network else { return false }
        return try EPANETValveLayer(bytes, of: network).valves.count > 0
      },
    ]
      + jsonTargets.map { name, texts, parse in
        ParserTarget(name, texts: texts, words: jsonWords, parse: parse)
      }
  }
}
