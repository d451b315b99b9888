import Foundation
import Plumb
import PlumbTestSupport

/// A small gas network as files: S –main– V –service– M, and T in the middle of the main.
///
///     S(0,0) ──m1── V(10,0) ──m2── M(20,0)
///                     the valve V has terminals High and Low, the meter M has a single one
final class NetworkScene {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("definition.json", Self.definition)
    try folder.write("devices.geojson", NetworkText.collection(Self.devices))
    try folder.write("lines.geojson", NetworkText.collection(Self.lines))
    try folder.write("associations.csv", Self.associations)
    try folder.write("net.json", Self.document)
  }

  func path(_ name: String) -> String { folder.path(name) }

  /// Replaces text in a file.
  @discardableResult
  func replace(_ file: String, _ text: String, _ other: String) throws -> NetworkScene {
    let old = try String(contentsOfFile: folder.path(file), encoding: .utf8)
    guard old.contains(text) else { throw PlumbError("\(file) has no \(text)") }
    try folder.write(file, old.replacing(text, with: other))
    return self
  }

  func open(isStrict: Bool = false) throws -> OpenedNetwork {
    try OpenedNetwork.open(path: path("net.json"), isStrict: isStrict)
  }

  static let definition = """
    {"layerDataElements":[{"layerId":50,"dataElement":{
     "domainNetworks":[{"domainNetworkId":4,"domainNetworkName":"Pipeline",
       "isStructureNetwork":false,"tierDefinition":"esriTDPartitioned",
       "subnetworkControllerType":"esriSCTSource",
       "tiers":[{"tierID":1,"name":"Distribution","rank":1,"tierTopology":"esriTTTMesh",
         "updateSubnetworkTraceConfiguration":{"conditionBarriers":[{"name":"State",
           "type":"networkAttribute","operator":"equal","value":"shut","combineUsingOr":false,
           "isSpecificValue":true}]}}],
       "junctionSources":[{"sourceId":9,"layerId":100,"networkSourceName":"Device",
         "utilityNetworkFeatureClassUsageType":"esriUNFCUTDevice","assetGroups":[
         {"assetGroupCode":1,"assetGroupName":"Valve","assetTypes":[
           {"assetTypeCode":1,"assetTypeName":"Gate","isTerminalConfigurationSupported":true,
            "terminalConfigurationId":5,"categories":["Isolating"]}]},
         {"assetGroupCode":2,"assetGroupName":"Station","assetTypes":[
           {"assetTypeCode":1,"assetTypeName":"Town","isTerminalConfigurationSupported":false,
            "categories":["Subnetwork Controller"]}]},
         {"assetGroupCode":3,"assetGroupName":"Meter","assetTypes":[
           {"assetTypeCode":1,"assetTypeName":"Customer",
            "isTerminalConfigurationSupported":false,"categories":[]}]}]}],
       "edgeSources":[{"sourceId":10,"layerId":101,"networkSourceName":"Line",
         "utilityNetworkFeatureClassUsageType":"esriUNFCUTLine","assetGroups":[
         {"assetGroupCode":1,"assetGroupName":"Main","assetTypes":[
           {"assetTypeCode":1,"assetTypeName":"Steel","isTerminalConfigurationSupported":false,
            "categories":[]}]}]}]}],
     "networkAttributes":[
       {"networkAttributeId":1,"name":"State","dataType":"esriNADTString",
        "assignments":[{"networkSourceId":9,"evaluator":{"fieldName":"STATE"}}]},
       {"networkAttributeId":2,"name":"Length","dataType":"esriNADTDouble","isApportionable":true,
        "assignments":[{"networkSourceId":10,"evaluator":{"fieldName":"LEN"}}]}],
     "categories":[{"name":"Isolating"},{"name":"Subnetwork Controller"}],
     "terminalConfigurations":[{"terminalConfigurationId":5,
       "terminalConfigurationName":"Two","traversabilityModel":"esriUNTMBidirectional",
       "terminals":[{"terminalId":1,"terminalName":"High","isUpstreamTerminal":true},
                    {"terminalId":2,"terminalName":"Low","isUpstreamTerminal":false}],
       "validConfigurationPaths":[{"id":1,"name":"Through",
         "terminalPaths":[{"fromTerminalId":1,"toTerminalId":2}]},
         {"id":2,"name":"Shut","terminalPaths":[]}],
       "defaultConfiguration":"Through"}]}}]}
    """

  private static func device(
    _ id: String, _ x: Double, group: Int, state: String = "open", rest: String = ""
  ) -> (geometry: String, properties: String) {
    (
      NetworkText.point(x, 0),
      """
      {"OBJECTID":\(Int(x) + 1),"GLOBALID":"\(id)","ASSETGROUP":\(group),"ASSETTYPE":1,
       "STATE":"\(state)"\(rest)}
      """
    )
  }

  static let devices = [
    device(
      "S", 0, group: 2,
      rest:
        ",\"ISSUBNETWORKCONTROLLER\":1,\"TIERNAME\":\"Distribution\",\"SUBNETWORKNAME\":\"North\""
    ), device("V", 10, group: 1, rest: ",\"TERMINALCONFIGURATION\":\"Through\""),
    device("M", 20, group: 3),
  ]

  static let lines = [
    (
      NetworkText.line((0, 0), (5, 0), (9, 0)),
      "{\"GLOBALID\":\"m1\",\"ASSETGROUP\":1,\"ASSETTYPE\":1,\"LEN\":9.5}"
    ),
    (
      NetworkText.line((11, 0), (20, 0)),
      "{\"GLOBALID\":\"m2\",\"ASSETGROUP\":1,\"ASSETTYPE\":1,\"LEN\":\"10\"}"
    ),
  ]

  static let associations = """
    ASSOCIATIONTYPE,FROMNETWORKSOURCEID,FROMGLOBALID,FROMTERMINALID,TONETWORKSOURCEID,TOGLOBALID,TOTERMINALID,PERCENTALONG
    6,9,V,1,10,m1,,
    4,10,m2,,9,V,2,

    """

  static let document = """
    {"definition": "definition.json", "spatialReference": {"wkid": 4326},
     "sources": [{"sourceId": 9, "path": "devices.geojson"},
                 {"sourceId": 10, "path": "lines.geojson"}],
     "associations": {"path": "associations.csv"}}
    """
}
