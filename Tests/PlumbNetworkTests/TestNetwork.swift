import PlumbCore
import PlumbNetwork

/// The definition of the tests' networks, and the names of their elements.
enum TestNetwork {
  static let device = 1
  static let junction = 2
  static let pipe = 3
  static let assembly = 4

  /// Asset types of the device source, all of group 1.
  enum Device: Int {
    case controller = 1, valve, oneWay, gate, switchgear
  }

  static func definition(
    tierDefinition: DomainNetwork.TierDefinition = .partitioned,
    controllerType: DomainNetwork.ControllerType = .source,
    configuration: TraceConfiguration? = nil
  ) -> UtilityNetworkDefinition {
    func type(_ device: Device, _ name: String, _ categories: [String], _ terminals: Int?)
      -> AssetType
    {
      AssetType(
        code: device.rawValue, name: name, categories: categories,
        terminalConfigurationID: terminals)
    }
    let devices = AssetGroup(
      code: 1, name: "Device",
      assetTypes: [
        type(.controller, "Station", ["Subnetwork Controller"], nil),
        type(.valve, "Valve", ["Isolating"], nil),
        type(.oneWay, "Check valve", [], 1),
        type(.gate, "Gate valve", ["Isolating"], 2),
        type(.switchgear, "Switchgear", [], 3),
      ])
    return UtilityNetworkDefinition(
      domainNetworks: [
        DomainNetwork(
          id: 1, name: "Pipeline", tierDefinition: tierDefinition, controllerType: controllerType,
          tiers: [
            Tier(id: 1, name: "Distribution", traceConfiguration: configuration),
            Tier(id: 2, name: "Transmission", rank: 2),
          ],
          sources: [
            NetworkSource(id: device, name: "device", usage: .device, assetGroups: [devices]),
            NetworkSource(
              id: junction, name: "junction", usage: .junction,
              assetGroups: [
                AssetGroup(
                  code: 1, name: "Junction",
                  assetTypes: [
                    AssetType(code: 1, name: "Tee"),
                    AssetType(code: 2, name: "Meter", categories: ["Service"]),
                  ])
              ]),
            NetworkSource(
              id: pipe, name: "pipe", usage: .line,
              assetGroups: [
                AssetGroup(
                  code: 1, name: "Pipe",
                  assetTypes: [
                    AssetType(code: 1, name: "Steel"),
                    AssetType(code: 2, name: "Hose", categories: ["Isolating"]),
                  ])
              ]),
            NetworkSource(
              id: assembly, name: "assembly", usage: .assembly,
              assetGroups: [
                AssetGroup(
                  code: 1, name: "Vault", assetTypes: [AssetType(code: 1, name: "Vault")])
              ]),
          ])
      ],
      networkAttributes: [
        NetworkAttribute(id: 1, name: "length", dataType: .real, isApportionable: true),
        NetworkAttribute(id: 2, name: "status", dataType: .integer),
        NetworkAttribute(id: 3, name: "operable", dataType: .integer),
        NetworkAttribute(id: 4, name: "load", dataType: .real),
        NetworkAttribute(id: 5, name: "phases", dataType: .integer, isBitwise: true),
        NetworkAttribute(id: 6, name: "owner", dataType: .text),
      ],
      categories: ["Isolating", "Subnetwork Controller", "Service"],
      terminalConfigurations: [
        TerminalConfiguration(
          id: 1, name: "One way", traversability: .directional,
          terminals: [Terminal(id: 1, name: "in", isUpstream: true), Terminal(id: 2, name: "out")],
          validPaths: [TerminalPath(name: "All", pairs: [.init(from: 1, to: 2)])]),
        TerminalConfiguration(
          id: 2, name: "Two",
          terminals: [Terminal(id: 1, name: "a"), Terminal(id: 2, name: "b")],
          validPaths: [
            TerminalPath(name: "Open", pairs: [.init(from: 1, to: 2)]),
            TerminalPath(name: "Closed", pairs: []),
          ], defaultPath: "Open"),
        TerminalConfiguration(
          id: 3, name: "Three",
          terminals: [
            Terminal(id: 1, name: "x"), Terminal(id: 2, name: "y"), Terminal(id: 3, name: "z"),
          ],
          validPaths: [
            TerminalPath(name: "xy", pairs: [.init(from: 1, to: 2)]),
            TerminalPath(name: "yz", pairs: [.init(from: 2, to: 3)]),
            TerminalPath(name: "all", pairs: [.init(from: 1, to: 2), .init(from: 2, to: 3)]),
          ], defaultPath: "all"),
      ])
  }

  static func controller(_ subnetworks: [String] = [], tier: Int = 1, terminal: Int? = nil)
    -> SubnetworkController
  {
    SubnetworkController(
      domainNetworkID: 1, tierID: tier, terminalID: terminal, subnetworkNames: subnetworks)
  }

  /// The values of the named attributes, in the order of the definition.
  static func attributes(_ values: [String: FieldValue]) -> [FieldValue] {
    ["length", "status", "operable", "load", "phases", "owner"].map { values[$0] ?? .null }
  }
}

extension UtilityNetwork {
  /// An element of a test's network as text: `v1`, `k1:2` at a terminal, `a-b` for a whole edge,
  /// `a-b[0.3,0.7]` for a part.
  func text(_ traced: TracedElement) -> String {
    var text = globalID(of: traced.element)
    if let terminal = traced.terminalID { text += ":\(terminal)" }
    if isEdge(traced.element), traced.ranges != [0...1] {
      text += traced.ranges.map { "[\($0.lowerBound),\($0.upperBound)]" }.joined()
    }
    return text
  }

  func texts(_ traced: [TracedElement]) -> Set<String> { Set(traced.map(text)) }

  func text(_ location: TraceLocation) -> String {
    var text = globalID(of: location.element)
    if let terminal = location.terminalID { text += ":\(terminal)" }
    if let fraction = location.fractionAlongEdge { text += "@\(fraction)" }
    return text
  }

  func location(_ id: String, terminal: Int? = nil, at fraction: Double? = nil) throws
    -> TraceLocation
  {
    TraceLocation(
      try element(globalID: id), terminalID: terminal, fractionAlongEdge: fraction)
  }
}
