extension SampleNetwork {
  /// The network document: the definition in the form of `queryDataElements`, and its sources.
  static let document = #"""
    {
      "layerDataElements": [
        {"layerId": 50, "dataElement": {
          "name": "Cape gas",
          "domainNetworks": [
            {"domainNetworkId": 1, "domainNetworkName": "Structure", "isStructureNetwork": true,
             "tiers": [],
             "junctionSources": [
               {"sourceId": 3, "layerId": 140,
                "utilityNetworkFeatureClassUsageType": "esriUNFCUTStructureJunction",
                "assetGroups": [
                  {"assetGroupCode": 1, "assetGroupName": "Support", "assetTypes": [
                    {"assetTypeCode": 1, "assetTypeName": "Pad",
                     "isTerminalConfigurationSupported": false, "categories": []},
                    {"assetTypeCode": 2, "assetTypeName": "Valve Box",
                     "isTerminalConfigurationSupported": false, "categories": []}]}]}],
             "edgeSources": []},
            {"domainNetworkId": 4, "domainNetworkName": "Pipeline", "isStructureNetwork": false,
             "tierDefinition": "esriTDPartitioned", "subnetworkControllerType": "esriSCTSource",
             "tiers": [
               {"tierID": 1, "name": "Pipe Distribution System", "rank": 1,
                "tierTopology": "esriTTTMesh", "updateSubnetworkTraceConfiguration": {
                  "includeContainers": false, "includeContent": false, "includeStructures": false,
                  "includeBarriers": true, "validateConsistency": true, "includeIsolated": false,
                  "ignoreBarriersAtStartingPoints": false, "allowIndeterminateFlow": true,
                  "domainNetworkName": "Pipeline", "tierName": "Pipe Distribution System",
                  "targetTierName": "", "subnetworkName": "", "diagramTemplateName": "",
                  "shortestPathNetworkAttributeName": "", "filterBitsetNetworkAttributeName": "",
                  "traversabilityScope": "junctionsAndEdges", "conditionBarriers": [
                    {"name": "Operational Status", "type": "networkAttribute",
                     "operator": "notEqual", "value": 1, "combineUsingOr": false,
                     "isSpecificValue": true}],
                  "functionBarriers": [], "arcadeExpressionBarrier": "", "filterBarriers": [],
                  "filterFunctionBarriers": [], "filterScope": "junctionsAndEdges", "functions": [],
                  "nearestNeighbor": {"count": -1, "costNetworkAttributeName": "",
                    "nearestCategories": [], "nearestAssets": []},
                  "outputFilters": [], "outputConditions": [], "propagators": []}}],
             "junctionSources": [
               {"sourceId": 9, "layerId": 100,
                "utilityNetworkFeatureClassUsageType": "esriUNFCUTDevice",
                "assetGroups": [
                  {"assetGroupCode": 1, "assetGroupName": "Controllable Valve", "assetTypes": [
                    {"assetTypeCode": 1, "assetTypeName": "Isolation",
                     "isTerminalConfigurationSupported": false, "categories": ["Isolating"]},
                    {"assetTypeCode": 2, "assetTypeName": "Service",
                     "isTerminalConfigurationSupported": false, "categories": ["Service Isolating"]},
                    {"assetTypeCode": 3, "assetTypeName": "Three Way",
                     "isTerminalConfigurationSupported": true, "terminalConfigurationId": 3,
                     "categories": []}]},
                  {"assetGroupCode": 2, "assetGroupName": "Excess Flow Valve", "assetTypes": [
                    {"assetTypeCode": 1, "assetTypeName": "Service",
                     "isTerminalConfigurationSupported": false, "categories": ["Flow Limiting"]}]},
                  {"assetGroupCode": 3, "assetGroupName": "Meter", "assetTypes": [
                    {"assetTypeCode": 1, "assetTypeName": "Customer",
                     "isTerminalConfigurationSupported": true, "terminalConfigurationId": 1,
                     "categories": ["Service Point"]},
                    {"assetTypeCode": 2, "assetTypeName": "Industrial",
                     "isTerminalConfigurationSupported": true, "terminalConfigurationId": 1,
                     "categories": ["Service Point"]}]},
                  {"assetGroupCode": 4, "assetGroupName": "Pressure Regulating Station",
                   "assetTypes": [
                    {"assetTypeCode": 1, "assetTypeName": "District Regulator",
                     "isTerminalConfigurationSupported": true, "terminalConfigurationId": 2,
                     "categories": ["Subnetwork Controller"]}]}]},
               {"sourceId": 10, "layerId": 110,
                "utilityNetworkFeatureClassUsageType": "esriUNFCUTJunction",
                "assetGroups": [
                  {"assetGroupCode": 1, "assetGroupName": "Fitting", "assetTypes": [
                    {"assetTypeCode": 1, "assetTypeName": "Tee",
                     "isTerminalConfigurationSupported": false, "categories": []},
                    {"assetTypeCode": 2, "assetTypeName": "Cross",
                     "isTerminalConfigurationSupported": false, "categories": []},
                    {"assetTypeCode": 3, "assetTypeName": "Coupling",
                     "isTerminalConfigurationSupported": false, "categories": []},
                    {"assetTypeCode": 4, "assetTypeName": "End Cap",
                     "isTerminalConfigurationSupported": false, "categories": ["End"]}]},
                  {"assetGroupCode": 2, "assetGroupName": "Connection", "assetTypes": [
                    {"assetTypeCode": 1, "assetTypeName": "Service Tap",
                     "isTerminalConfigurationSupported": false, "categories": []},
                    {"assetTypeCode": 2, "assetTypeName": "Transmission Supply",
                     "isTerminalConfigurationSupported": false, "categories": []},
                    {"assetTypeCode": 3, "assetTypeName": "Appliance",
                     "isTerminalConfigurationSupported": false, "categories": ["End"]}]}]},
               {"sourceId": 11, "layerId": 120,
                "utilityNetworkFeatureClassUsageType": "esriUNFCUTAssembly",
                "assetGroups": [
                  {"assetGroupCode": 1, "assetGroupName": "Station", "assetTypes": [
                    {"assetTypeCode": 1, "assetTypeName": "Regulator Station",
                     "isTerminalConfigurationSupported": false, "categories": []}]}]}],
             "edgeSources": [
               {"sourceId": 12, "layerId": 130,
                "utilityNetworkFeatureClassUsageType": "esriUNFCUTLine",
                "assetGroups": [
                  {"assetGroupCode": 1, "assetGroupName": "Main", "assetTypes": [
                    {"assetTypeCode": 1, "assetTypeName": "Plastic PE",
                     "isTerminalConfigurationSupported": false, "categories": []},
                    {"assetTypeCode": 2, "assetTypeName": "Coated Steel",
                     "isTerminalConfigurationSupported": false, "categories": []}]},
                  {"assetGroupCode": 2, "assetGroupName": "Service", "assetTypes": [
                    {"assetTypeCode": 1, "assetTypeName": "Plastic PE",
                     "isTerminalConfigurationSupported": false, "categories": []}]},
                  {"assetGroupCode": 3, "assetGroupName": "Customer", "assetTypes": [
                    {"assetTypeCode": 1, "assetTypeName": "House Line",
                     "isTerminalConfigurationSupported": false, "categories": []}]}]}]}],
          "networkAttributes": [
            {"networkAttributeId": 1, "name": "Length", "dataType": "esriFieldTypeDouble",
             "isApportionable": true, "assignments": [
               {"networkSourceId": 12, "evaluator": {"fieldName": "LENGTH_M"}}]},
            {"networkAttributeId": 2, "name": "Operational Status",
             "dataType": "esriFieldTypeInteger", "isApportionable": false, "assignments": [
               {"networkSourceId": 9, "evaluator": {"fieldName": "STATUS"}}]},
            {"networkAttributeId": 3, "name": "Operable", "dataType": "esriFieldTypeInteger",
             "isApportionable": false, "assignments": [
               {"networkSourceId": 9, "evaluator": {"fieldName": "OPERABLE"}}]},
            {"networkAttributeId": 4, "name": "Pressure", "dataType": "esriFieldTypeInteger",
             "isApportionable": false, "assignments": [
               {"networkSourceId": 12, "evaluator": {"fieldName": "PRESSURE_KPA"}}]},
            {"networkAttributeId": 5, "name": "Diameter", "dataType": "esriFieldTypeInteger",
             "isApportionable": false, "assignments": [
               {"networkSourceId": 12, "evaluator": {"fieldName": "DIAMETER_MM"}}]}],
          "categories": [
            {"name": "Subnetwork Controller"}, {"name": "Isolating"}, {"name": "Service Isolating"},
            {"name": "Flow Limiting"}, {"name": "Service Point"}, {"name": "End"}],
          "terminalConfigurations": [
            {"terminalConfigurationId": 1, "terminalConfigurationName": "Meter",
             "traversabilityModel": "esriUNTMDirectional", "terminals": [
               {"terminalId": 1, "terminalName": "Supply", "isUpstreamTerminal": true},
               {"terminalId": 2, "terminalName": "Load", "isUpstreamTerminal": false}],
             "validConfigurationPaths": [
               {"id": 1, "name": "Supply to load", "terminalPaths": [
                 {"fromTerminalId": 1, "toTerminalId": 2}]},
               {"id": 2, "name": "Locked off", "terminalPaths": []}],
             "defaultConfiguration": "Supply to load"},
            {"terminalConfigurationId": 2, "terminalConfigurationName": "High and low",
             "traversabilityModel": "esriUNTMDirectional", "terminals": [
               {"terminalId": 1, "terminalName": "High", "isUpstreamTerminal": true},
               {"terminalId": 2, "terminalName": "Low", "isUpstreamTerminal": false}],
             "validConfigurationPaths": [
               {"id": 1, "name": "High to low", "terminalPaths": [
                 {"fromTerminalId": 1, "toTerminalId": 2}]}],
             "defaultConfiguration": "High to low"},
            {"terminalConfigurationId": 3, "terminalConfigurationName": "Three way",
             "traversabilityModel": "esriUNTMBidirectional", "terminals": [
               {"terminalId": 1, "terminalName": "A", "isUpstreamTerminal": false},
               {"terminalId": 2, "terminalName": "B", "isUpstreamTerminal": false},
               {"terminalId": 3, "terminalName": "C", "isUpstreamTerminal": false}],
             "validConfigurationPaths": [
               {"id": 1, "name": "All", "terminalPaths": [
                 {"fromTerminalId": 1, "toTerminalId": 2}, {"fromTerminalId": 1, "toTerminalId": 3},
                 {"fromTerminalId": 2, "toTerminalId": 3}]},
               {"id": 2, "name": "A and B", "terminalPaths": [
                 {"fromTerminalId": 1, "toTerminalId": 2}]},
               {"id": 3, "name": "A and C", "terminalPaths": [
                 {"fromTerminalId": 1, "toTerminalId": 3}]},
               {"id": 4, "name": "B and C", "terminalPaths": [
                 {"fromTerminalId": 2, "toTerminalId": 3}]}],
             "defaultConfiguration": "All"}]}}
      ],
      "spatialReference": {"wkid": 4326},
      "sources": [
        {"sourceId": 3, "path": "gas_structures.geojson", "layer": "gas_structures"},
        {"sourceId": 9, "path": "gas_devices.geojson", "layer": "gas_devices"},
        {"sourceId": 10, "path": "gas_junctions.geojson", "layer": "gas_junctions"},
        {"sourceId": 11, "path": "gas_assemblies.geojson", "layer": "gas_assemblies"},
        {"sourceId": 12, "path": "gas_pipes.geojson", "layer": "gas_pipes"}
      ],
      "associations": {"path": "gas_associations.csv", "layer": "gas_associations"}
    }

    """#
}
