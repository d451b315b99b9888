import PlumbFormats
import PlumbIO

/// The definition of a fictional gas network, and readers of JSON text.
enum GasDefinition {
  static let dataElement = """
    {"catalogPath":"x","datasetType":"esriDTUtilityNetwork","schemaGeneration":5,
     "associationSource":{"sourceId":1,"layerId":500001,"elementType":"esriNETEdge"},
     "systemJunctionSource":{"sourceId":2,"elementType":"esriNETJunction"},
     "domainNetworks":[
      {"releaseNumber":1,"isStructureNetwork":true,"domainNetworkId":1,
       "domainNetworkName":"Structure","tierDefinition":"esriTDNone",
       "subnetworkControllerType":"","tiers":[],
       "junctionSources":[
        {"sourceId":3,"layerId":900,"shapeType":"esriGeometryPoint",
         "utilityNetworkFeatureClassUsageType":"esriUNFCUTStructureJunction","assetGroups":[]},
        {"sourceId":4,"layerId":910,"shapeType":"esriGeometryPolygon",
         "utilityNetworkFeatureClassUsageType":"esriUNFCUTStructureBoundary","assetGroups":[]}],
       "edgeSources":[
        {"sourceId":5,"layerId":920,
         "utilityNetworkFeatureClassUsageType":"esriUNFCUTStructureLine","assetGroups":[]}]},
      {"domainNetworkId":4,"domainNetworkName":"Pipeline","isStructureNetwork":false,
       "tierDefinition":"esriTDPartitioned","subnetworkControllerType":"esriSCTSource",
       "tierGroups":[{"name":"Gas"}],
       "tiers":[
        {"tierID":1,"name":"Pipe Transmission System","rank":1,"tierTopology":"esriTTTRadial"},
        {"tierID":2,"name":"Pipe Distribution System","rank":2,"tierTopology":"esriTTTMesh",
         "tierGroupName":"Gas","supportDisjointSubnetwork":true,"subnetworkFieldName":"SYSTEM",
         "validSubnetworkControllers":[{"assetGroupCode":3,"assetTypes":[{"assetTypeCode":7}]}],
         "validDevices":[{"assetGroupCode":1,"assetTypes":[{"assetTypeCode":2}]},
                         {"assetGroupCode":3,"assetTypes":[{"assetTypeCode":7}]}],
         "validLines":[{"assetGroupCode":8,"assetTypes":[{"assetTypeCode":1}]}],
         "validJunctions":[],
         "updateSubnetworkTraceConfiguration":
          {"includeContainers":false,"includeBarriers":true,"domainNetworkName":"Pipeline",
           "tierName":"Pipe Distribution System","targetTierName":"","subnetworkName":"",
           "traversabilityScope":"junctionsAndEdges","filterScope":"esriTSJunctions",
           "conditionBarriers":[
            {"name":"Device Status","type":"networkAttribute","operator":"esriTOEqual","value":1,
             "combineUsingOr":true,"isSpecificValue":true},
            {"name":"Category","type":"category","operator":"equal","value":"Cap",
             "combineUsingOr":false,"isSpecificValue":true}],
           "functionBarriers":[],"filterBarriers":[],"filterFunctionBarriers":[],
           "functions":[{"functionType":"add","networkAttributeName":"Length",
             "summaryAttributeName":"Total","conditions":[]}],
           "nearestNeighbor":{"count":-1,"costNetworkAttributeName":"",
             "nearestCategories":[],"nearestAssets":[]},
           "outputFilters":[],"outputConditions":[],
           "propagators":[{"networkAttributeName":"Pressure","substitutionAttributeName":"",
             "propagatorFunctionType":"min","operator":"greaterThan","value":0.5,
             "propagatedAttributeName":"MAOP"}]}}],
       "junctionSources":[
        {"sourceId":9,"layerId":100,"assetTypeFieldName":"ASSETTYPE",
         "networkSourceName":"PipelineDevice",
         "utilityNetworkFeatureClassUsageType":"esriUNFCUTDevice",
         "assetGroups":[
          {"assetGroupCode":1,"assetGroupName":"Meter","assetTypes":[
           {"assetTypeCode":2,"assetTypeName":"Customer","associationRoleType":"esriARTNone",
            "isTerminalConfigurationSupported":true,"terminalConfigurationId":5,
            "connectivityPolicy":"esriNECPEndVertex","categories":["Service Point"]}]},
          {"assetGroupCode":3,"assetGroupName":"Valve","assetTypes":[
           {"assetTypeCode":6,"assetTypeName":"Isolation",
            "isTerminalConfigurationSupported":true,"terminalConfigurationId":6,
            "categories":["Isolating"]},
           {"assetTypeCode":7,"assetTypeName":"Regulator",
            "isTerminalConfigurationSupported":true,"terminalConfigurationId":5,
            "categories":["Isolating","Subnetwork Controller"]}]}]},
        {"sourceId":10,"layerId":110,
         "utilityNetworkFeatureClassUsageType":"esriUNFCUTJunction","assetGroups":[]},
        {"sourceId":11,"layerId":120,
         "utilityNetworkFeatureClassUsageType":"esriUNFCUTAssembly","assetGroups":[
          {"assetGroupCode":1,"assetGroupName":"Station","assetTypes":[
           {"assetTypeCode":1,"assetTypeName":"Gate","associationRoleType":"esriARTContainer"}]}]}],
       "edgeSources":[
        {"sourceId":12,"layerId":115,
         "utilityNetworkFeatureClassUsageType":"esriUNFCUTLine","assetGroups":[
          {"assetGroupCode":8,"assetGroupName":"Main","assetTypes":[
           {"assetTypeCode":1,"assetTypeName":"Plastic","isTerminalConfigurationSupported":false,
            "terminalConfigurationId":0,"connectivityPolicy":"esriNECPAnyVertex",
            "categories":[]}]}]},
        {"sourceId":13,"layerId":116,
         "utilityNetworkFeatureClassUsageType":"esriUNFCUTSubnetLine","assetGroups":[]}]}],
     "networkAttributes":[
      {"networkAttributeId":6,"name":"Length","dataType":"esriNADTDouble","isApportionable":true,
       "assignments":[{"networkSourceId":12,"evaluator":{"fieldName":"SHAPE_LENGTH"}}]},
      {"id":7,"name":"Device Status","dataType":"esriNADTInteger","isApportionable":false,
       "domainName":"Status","networkAttributeToSubstitute":"","assignments":[
        {"networkSourceId":9,"networkAttributeId":7,"evaluator":{"fieldName":"STATUS"}},
        {"networkSourceId":10,"evaluator":null}]}],
     "categories":[{"name":"Isolating","creationTime":1},{"name":"Service Point"},
       {"name":"Subnetwork Controller"},{"name":"Cap"}],
     "terminalConfigurations":[
      {"terminalConfigurationId":5,"terminalConfigurationName":"High-Low",
       "traversabilityModel":"esriUNTMDirectional",
       "terminals":[{"terminalId":1,"terminalName":"Supply","isUpstreamTerminal":true},
                    {"terminalId":2,"terminalName":"Load","isUpstreamTerminal":false}],
       "validConfigurationPaths":[],"defaultConfiguration":"All"},
      {"terminalConfigurationId":6,"terminalConfigurationName":"Three way",
       "traversabilityModel":"esriUNTMBidirectional",
       "terminals":[{"terminalId":3,"terminalName":"A"},{"terminalId":4,"terminalName":"B"},
                    {"terminalId":5,"terminalName":"C"}],
       "validConfigurationPaths":[
        {"id":1,"name":"Straight","description":"A-B","terminalPaths":[
         {"fromTerminalId":3,"toTerminalId":4}]},
        {"id":2,"name":"Open","description":"All","terminalPaths":[]},
        {"id":3,"name":"Shut","description":"None","terminalPaths":[]}],
       "defaultConfiguration":"Straight"}]}
    """

  /// The definition in the form in which the service returns it, among other layers.
  static let reply = """
    {"layerDataElements":[
     {"layerId":100,"dataElement":{"name":"PipelineDevice","fields":{"fieldArray":[]}}},
     {"layerId":50,"dataElement":\(dataElement)}]}
    """

  static func read<Value>(
    _ text: some StringProtocol,
    _ make: (UnsafeRawBufferPointer) throws(FormatError) -> Value
  ) throws(FormatError) -> Value {
    try read(Array(text.utf8), make)
  }

  static func read<Value>(
    _ bytes: [UInt8], _ make: (UnsafeRawBufferPointer) throws(FormatError) -> Value
  ) throws(FormatError) -> Value {
    // Closures lose the type of thrown errors.
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(FormatError) in try make(bytes) }
    }.get()
  }

  static func definition(_ text: String) throws(FormatError) -> UtilityNetworkDataElement {
    try read(text) { bytes throws(FormatError) in try UtilityNetworkDataElement(json: bytes) }
  }

  static func request(_ text: String) throws(FormatError) -> UtilityTraceRequest {
    try read(text) { bytes throws(FormatError) in try UtilityTraceRequest(json: bytes) }
  }

  static func reply(_ text: String) throws(FormatError) -> UtilityTraceReply {
    try read(text) { bytes throws(FormatError) in try UtilityTraceReply(json: bytes) }
  }

  /// The line of the error; nil if there is none.
  static func fault<Value>(_ read: () throws(FormatError) -> Value) -> String? {
    do throws(FormatError) {
      _ = try read()
      return nil
    } catch {
      return error.description
    }
  }
}
