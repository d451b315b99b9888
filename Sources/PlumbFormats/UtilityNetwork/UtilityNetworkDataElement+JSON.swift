import PlumbCore
import PlumbIO

extension UtilityNetworkDataElement {
  /// Reads the reply of `FeatureServer/queryDataElements`, or one of its data elements.
  ///
  /// Unknown members are ignored. If there are several layers, the layer with domain networks is
  /// used.
  /// - Throws: a one-line error that starts with the position, such as
  ///   `domainNetworks[0].tiers[1].rank: expected a whole number, found a string`.
  package init(json bytes: UnsafeRawBufferPointer) throws(FormatError) {
    try self.init(Self.dataElement(try JSONNode.root(bytes)))
  }

  private static func dataElement(_ root: JSONNode) throws(FormatError) -> JSONNode {
    try root.refuseServiceError()
    if let layers = try root.member("layerDataElements") {
      var found: JSONNode?
      for layer in try layers.elements() {
        guard let element = try layer.member("dataElement"),
          try element.member("domainNetworks") != nil
        else { continue }
        if let found { throw element.fault("\(found.path) is already a utility network") }
        found = element
      }
      if let found { return found }
      throw layers.fault("none of the data elements has domainNetworks")
    }
    return try root.member("dataElement") ?? root
  }

  private init(_ node: JSONNode) throws(FormatError) {
    _ = try node.required("domainNetworks", expected: "a list")
    domainNetworks = try node.list("domainNetworks", unique: "name", \.name) {
      node throws(FormatError) in try DomainNetwork(node)
    }
    networkAttributes = try node.list("networkAttributes", unique: "name", \.name) {
      node throws(FormatError) in try NetworkAttribute(node)
    }
    categories = try node.list("categories", unique: "name", \.self) {
      node throws(FormatError) in
      if case .text(let name) = node.tree { return name }
      return try node.requiredText("name")
    }
    terminalConfigurations = try node.list(
      "terminalConfigurations", unique: "terminalConfigurationId", \.id
    ) { node throws(FormatError) in try TerminalConfiguration(node) }
    associationSourceID = try node.member("associationSource")?.integer("sourceId")
    systemJunctionSourceID = try node.member("systemJunctionSource")?.integer("sourceId")
    try checkReferences(node)
  }

  /// Checks the references between the parts of the definition.
  private func checkReferences(_ node: JSONNode) throws(FormatError) {
    let configurations = Set(terminalConfigurations.map(\.id))
    var pathOfSource: [Int: String] = [:]
    for (index, network) in domainNetworks.enumerated() {
      for (name, sources) in [
        ("junctionSources", network.junctionSources), ("edgeSources", network.edgeSources),
      ] {
        for (position, source) in sources.enumerated() {
          let path = Self.join(node.path, "domainNetworks[\(index)].\(name)[\(position)]")
          if let first = pathOfSource.updateValue(path, forKey: source.id) {
            throw FormatError("\(path): \(first) has the same sourceId: \(source.id)")
          }
          try source.check(configurations, path)
        }
      }
    }
  }

  private static func join(_ path: String, _ rest: String) -> String {
    path.isEmpty ? rest : path + "." + rest
  }
}

extension UtilityNetworkDataElement.DomainNetwork {
  init(_ node: JSONNode) throws(FormatError) {
    id = try node.requiredInteger("domainNetworkId")
    name = try node.requiredText("domainNetworkName")
    isStructureNetwork = try node.flag("isStructureNetwork") ?? false
    tiers = try node.list("tiers", unique: "name", \.name) { node throws(FormatError) in
      try UtilityNetworkDataElement.Tier(node)
    }
    // Structure networks have neither tiers nor controllers.
    let isUntiered = ["none", "esritdnone"].contains(
      try node.text("tierDefinition")?.lowercased() ?? "none")
    if tiers.isEmpty, isUntiered {
      tierDefinition = .none
    } else {
      tierDefinition = try node.required(
        "tierDefinition", expected: "esriTDPartitioned or esriTDHierarchical"
      ).choice(UtilityNetworkDataElement.TierDefinition.self, prefixes: "esriTD")
    }
    if let type = try node.text("subnetworkControllerType")?.lowercased(),
      !["none", "esrisctnone"].contains(type)
    {
      subnetworkControllerType = try node.member("subnetworkControllerType")?.choice(
        UtilityNetworkDataElement.SubnetworkControllerType.self, prefixes: "esriSCT")
    }
    junctionSources = try node.list("junctionSources") { node throws(FormatError) in
      try UtilityNetworkDataElement.NetworkSource(node)
    }
    edgeSources = try node.list("edgeSources") { node throws(FormatError) in
      try UtilityNetworkDataElement.NetworkSource(node)
    }
  }
}

extension UtilityNetworkDataElement.Tier {
  init(_ node: JSONNode) throws(FormatError) {
    id = try node.required("tierID", "tierId", expected: "a whole number").integer()
    name = try node.requiredText("name")
    rank = try node.requiredInteger("rank")
    topology = try node.required("tierTopology", expected: "esriTTTMesh or esriTTTRadial").choice(
      UtilityNetworkDataElement.TierTopology.self, prefixes: "esriTTT")
    groupName = try node.text("tierGroupName")
    subnetworkFieldName = try node.text("subnetworkFieldName")
    supportsDisjointSubnetworks = try node.flag("supportDisjointSubnetwork") ?? false
    validSubnetworkControllers = try Self.assets(node, "validSubnetworkControllers")
    validDevices = try Self.assets(node, "validDevices")
    validLines = try Self.assets(node, "validLines")
    validJunctions = try Self.assets(node, "validJunctions")
    updateSubnetworkTraceConfiguration =
      if let configuration = try node.member("updateSubnetworkTraceConfiguration") {
        try UtilityTraceConfiguration(configuration)
      } else {
        nil
      }
  }

  private static func assets(
    _ node: JSONNode, _ name: String
  ) throws(FormatError) -> [UtilityNetworkDataElement.AssetCode] {
    let groups = try node.list(name) { group throws(FormatError) in
      let code = try group.requiredInteger("assetGroupCode")
      return try group.list("assetTypes") { type throws(FormatError) in
        UtilityNetworkDataElement.AssetCode(
          assetGroupCode: code, assetTypeCode: try type.requiredInteger("assetTypeCode"))
      }
    }
    return groups.flatMap(\.self)
  }
}

extension UtilityNetworkDataElement.NetworkSource {
  init(_ node: JSONNode) throws(FormatError) {
    id = try node.requiredInteger("sourceId")
    layerID = try node.integer("layerId")
    name = try node.text("networkSourceName")
    usageType = try node.required(
      "utilityNetworkFeatureClassUsageType", expected: "a string such as esriUNFCUTDevice"
    ).choice(UtilityNetworkDataElement.UsageType.self, prefixes: "esriUNFCUT")
    assetTypeFieldName = try node.text("assetTypeFieldName")
    assetGroups = try node.list("assetGroups", unique: "assetGroupCode", \.code) {
      node throws(FormatError) in
      UtilityNetworkDataElement.AssetGroup(
        code: try node.requiredInteger("assetGroupCode"),
        name: try node.requiredText("assetGroupName"),
        assetTypes: try node.list("assetTypes", unique: "assetTypeCode", \.code) {
          node throws(FormatError) in try UtilityNetworkDataElement.AssetType(node)
        })
    }
  }

  /// - Parameter configurations: the ids of existing terminal configurations.
  func check(_ configurations: Set<Int>, _ path: String) throws(FormatError) {
    for (group, assets) in assetGroups.enumerated() {
      for (type, asset) in assets.assetTypes.enumerated() {
        guard let id = asset.terminalConfigurationID, !configurations.contains(id) else { continue }
        throw FormatError(
          "\(path).assetGroups[\(group)].assetTypes[\(type)].terminalConfigurationId: "
            + "there is no terminal configuration \(id)")
      }
    }
  }
}

extension UtilityNetworkDataElement.AssetType {
  init(_ node: JSONNode) throws(FormatError) {
    code = try node.requiredInteger("assetTypeCode")
    name = try node.requiredText("assetTypeName")
    // Types without terminals also have a configuration id.
    terminalConfigurationID =
      try node.flag("isTerminalConfigurationSupported") ?? false
      ? try node.integer("terminalConfigurationId") : nil
    categories = try node.list("categories") { node throws(FormatError) in try node.text() }
    connectivityPolicy =
      try node.member("connectivityPolicy")?.choice(
        UtilityNetworkDataElement.ConnectivityPolicy.self, prefixes: "esriNECP")
    associationRole =
      try node.member("associationRoleType")?.choice(
        UtilityNetworkDataElement.AssociationRole.self, prefixes: "esriART") ?? .none
  }
}

extension UtilityNetworkDataElement.NetworkAttribute {
  init(_ node: JSONNode) throws(FormatError) {
    id = try node.required("networkAttributeId", "id", expected: "a whole number").integer()
    name = try node.requiredText("name")
    dataType = try node.text("dataType")
    isApportionable = try node.flag("isApportionable") ?? false
    domainName = try node.text("domainName")
    attributeToSubstitute = try node.text("networkAttributeToSubstitute")
    assignments = try node.list("assignments", unique: "networkSourceId", \.networkSourceID) {
      node throws(FormatError) in
      UtilityNetworkDataElement.Assignment(
        networkSourceID: try node.requiredInteger("networkSourceId"),
        fieldName: try node.member("evaluator")?.text("fieldName"))
    }
  }
}

extension UtilityNetworkDataElement.TerminalConfiguration {
  init(_ node: JSONNode) throws(FormatError) {
    id = try node.requiredInteger("terminalConfigurationId")
    name = try node.requiredText("terminalConfigurationName")
    traversabilityModel = try node.required(
      "traversabilityModel", expected: "esriUNTMBidirectional or esriUNTMDirectional"
    ).choice(UtilityNetworkDataElement.TraversabilityModel.self, prefixes: "esriUNTM")
    let terminals = try node.list("terminals", unique: "terminalId", \.id) {
      node throws(FormatError) in
      UtilityNetworkDataElement.Terminal(
        id: try node.requiredInteger("terminalId"), name: try node.requiredText("terminalName"),
        isUpstreamTerminal: try node.flag("isUpstreamTerminal") ?? false)
    }
    self.terminals = terminals
    let ids = Set(terminals.map(\.id))
    let terminal = { (node: JSONNode, name: String) throws(FormatError) -> Int in
      let member = try node.required(name, expected: "a whole number")
      let id = try member.integer()
      if ids.contains(id) { return id }
      throw member.fault("the configuration has no terminal \(id)")
    }
    validConfigurationPaths = try node.list(
      "validConfigurationPaths", unique: "name", \.name
    ) { node throws(FormatError) in
      UtilityNetworkDataElement.ConfigurationPath(
        id: try node.requiredInteger("id"), name: try node.requiredText("name"),
        description: try node.text("description"),
        terminalPaths: try node.list("terminalPaths") { node throws(FormatError) in
          UtilityNetworkDataElement.TerminalPath(
            fromTerminalID: try terminal(node, "fromTerminalId"),
            toTerminalID: try terminal(node, "toTerminalId"))
        })
    }
    defaultConfiguration = try node.text("defaultConfiguration")
    if let name = defaultConfiguration, !["all", "none"].contains(name.lowercased()),
      !validConfigurationPaths.contains(where: { $0.name == name })
    {
      throw try node.required("defaultConfiguration", expected: "a string")
        .fault("no valid configuration path has the name \(name.printable)")
    }
  }
}
