import PlumbCore
import PlumbFormats
import PlumbNetwork

/// A layer with the features of a network source.
final class DefinedSource {
  package let layer: NetworkLayer
  package let source: PlumbNetwork.NetworkSource
  private let globalID: Int
  private let objectID: Int?
  private let assetGroup: Int?
  private let assetType: Int?
  private let terminalPath: Int?
  private let isController: Int?
  private let controllerTerminal: Int?
  private let tier: Int?
  private let subnetworkName: Int?
  /// The indices of the fields that contain the terminals of the devices at a line's two ends.
  private let endTerminals: [Int?]
  /// The index of the field of each network attribute; nil for attributes that the layer lacks.
  private let attributes: [Int?]
  private let definition: UtilityNetworkDefinition
  private let domain: PlumbNetwork.DomainNetwork
  /// Warnings about network attributes whose fields the layer lacks.
  private let missing: [String]
  /// Warnings from reading.
  package private(set) var warnings: [String] = []

  package static let members = [
    "globalId": "GLOBALID", "objectId": "OBJECTID", "assetGroup": "ASSETGROUP",
    "assetType": "ASSETTYPE", "terminalPath": "TERMINALCONFIGURATION",
    "isController": "ISSUBNETWORKCONTROLLER", "controllerTerminal": "CONTROLLERTERMINAL",
    "tier": "TIERNAME", "subnetworkName": "SUBNETWORKNAME",
    "fromTerminal": "FROMDEVICETERMINAL", "toTerminal": "TODEVICETERMINAL",
  ]

  package init(
    _ layer: NetworkLayer, _ source: PlumbNetwork.NetworkSource,
    _ domain: PlumbNetwork.DomainNetwork, _ definition: UtilityNetworkDefinition,
    _ esri: UtilityNetworkDataElement
  ) throws {
    (self.layer, self.source, self.domain) = (layer, source, domain)
    self.definition = definition
    let fields = try FieldChoice(layer, Self.members)
    globalID = try fields.required("globalId")
    objectID = try fields.optional("objectId")
    // A source with a single asset type needs no fields for the asset group and type.
    let types = source.assetGroups.flatMap(\.assetTypes).count
    assetGroup = try types == 1 ? fields.optional("assetGroup") : fields.required("assetGroup")
    assetType = try types == 1 ? fields.optional("assetType") : fields.required("assetType")
    terminalPath = try fields.optional("terminalPath")
    isController = try fields.optional("isController")
    controllerTerminal = try fields.optional("controllerTerminal")
    tier = try fields.optional("tier")
    subnetworkName = try fields.optional("subnetworkName")
    endTerminals =
      source.usage.isEdge
      ? [try fields.optional("fromTerminal"), try fields.optional("toTerminal")] : [nil, nil]
    var missing: [String] = []
    attributes = esri.networkAttributes.map { attribute in
      let assignment = attribute.assignments.first { $0.networkSourceID == source.id }
      guard let name = assignment?.fieldName else { return nil }
      if let index = layer.field(name) { return index }
      missing.append(
        "\(layer.label) has no field \(name.printable) for the network attribute "
          + "\(attribute.name.printable), which \(source.name.printable) has no values of"
          + NameSuggestions.advice(name, among: layer.reader.fields.map(\.name)))
      return nil
    }
    self.missing = missing
  }

  package var isEdge: Bool { source.usage.isEdge }

  package func identifier(of feature: Feature) throws(PlumbError) -> String {
    if let id = feature.attributes[globalID].identifier { return id }
    throw PlumbError(
      "\(layer.reader.fields[globalID].name.printable) is empty: every feature needs a global id")
  }

  /// Adds all features.
  ///
  /// - Parameters:
  ///   - note: called with each feature that has no terminals.
  ///   - isOne: called with each controller.
  ///   - isStrict: whether an invalid feature is an error; otherwise invalid features are omitted.
  package func add(
    to builder: inout NetworkBuilder, _ projection: NetworkProjection, isStrict: Bool,
    _ progress: (Int) -> Void, note: (ElementName) -> Void,
    controller isOne: (OpenedNetwork.Controller) -> Void
  ) throws {
    var suspicious = SuspiciousEdges()
    var faults = NetworkFaults(isStrict: isStrict)
    try layer.forEach(progress) { feature, _, row in
      do {
        try add(feature, row, to: &builder, projection, &suspicious, &faults, note, isOne)
      } catch {
        try faults.note(.left, error, row: row)
      }
    }
    warnings =
      missing + suspicious.warnings(layer.label) + (try layer.shapeFaults(isStrict: isStrict))
      + faults.warnings(layer.label)
  }

  private func add(
    _ feature: Feature, _ row: Int, to builder: inout NetworkBuilder,
    _ projection: NetworkProjection, _ suspicious: inout SuspiciousEdges,
    _ faults: inout NetworkFaults,
    _ note: (ElementName) -> Void, _ isOne: (OpenedNetwork.Controller) -> Void
  ) throws {
    let id = try identifier(of: feature)
    let group = try self.group(of: feature, id)
    let type = try self.type(of: feature, group, id)
    let number = objectID.flatMap { feature.attributes[$0].wholeNumber }.map { Int64($0) }
    let values = zip(attributes, definition.networkAttributes).map { field, attribute in
      field.map { feature.attributes[$0].value(for: attribute.dataType) } ?? .null
    }
    if isEdge {
      let chain = try projection.chain(of: feature.geometry)
      let ends = try endTerminals.map { try endTerminal($0, of: feature, id) }
      try builder.add(
        NetworkEdge(
          sourceID: source.id, globalID: id, objectID: number, assetGroup: group.code,
          assetType: type.code, vertices: chain, attributes: values,
          from: EdgeEnd(terminalID: ends[0]), to: EdgeEnd(terminalID: ends[1])))
      if chain.isEmpty, source.usage != .edgeObject, source.usage != .structureEdgeObject {
        try faults.note(.unplaced, PlumbError("\(name(id)) has no shape"), row: row)
      }
      suspicious.note(chain, "feature \(row), \(name(id))")
      return
    }
    let point = try projection.point(of: feature.geometry)
    let terminals = definition.terminalConfigurations.first {
      $0.id == type.terminalConfigurationID
    }
    let path = terminalPath.flatMap { feature.attributes[$0].identifier }
    let controller = try controller(of: feature, terminals, id)
    try builder.add(
      NetworkJunction(
        sourceID: source.id, globalID: id, objectID: number, assetGroup: group.code,
        assetType: type.code, point: point, attributes: values,
        // Esri sets the field even for features without terminals.
        terminalPath: terminals == nil ? nil : path,
        controllers: controller.map { [$0] } ?? []))
    if terminals == nil { note(ElementName(sourceID: source.id, globalID: id)) }
    if let controller {
      isOne(
        OpenedNetwork.Controller(
          element: ElementName(sourceID: source.id, globalID: id), controller: controller))
    }
    if point == nil, needsPoint {
      try faults.note(.unplaced, PlumbError("\(name(id)) has no point"), row: row)
    }
  }

  /// Returns the terminal of the device at the end of a line; nil if no terminal is specified. The
  /// field contains the terminal's number or name. The number 0 means no terminal, as in Esri's data.
  /// Terminals with the same name in different configurations must have the same number.
  private func endTerminal(
    _ field: Int?, of feature: Feature, _ id: String
  ) throws(PlumbError) -> Int? {
    guard let value = field.map({ feature.attributes[$0] }), let text = value.identifier else {
      return nil
    }
    if let number = value.wholeNumber { return number > 0 ? number : nil }
    let known = Set(
      definition.terminalConfigurations.flatMap(\.terminals)
        .filter { $0.name.lowercased() == text.lowercased() }.map(\.id))
    if known.count == 1 { return known.first }
    throw PlumbError(
      "\(name(id)): the terminal \(text.printable) at its end is not "
        + (known.isEmpty ? "known" : "unique: give its number"))
  }

  private func name(_ id: String) -> String { "\(source.name):\(id)".printable }

  private var needsPoint: Bool {
    switch source.usage {
    case .device, .junction, .structureJunction: true
    default: false
    }
  }

  // MARK: Asset types

  private func group(of feature: Feature, _ id: String) throws -> PlumbNetwork.AssetGroup {
    guard let assetGroup else { return source.assetGroups[0] }
    let value = feature.attributes[assetGroup]
    if let code = value.wholeNumber,
      let group = source.assetGroups.first(where: { $0.code == code })
    {
      return group
    }
    if let text = value.identifier, let group = source.assetGroups.first(where: { $0.name == text })
    {
      return group
    }
    throw PlumbError(
      "\(name(id)): there is no asset group \((value.identifier ?? "null").printable)"
        + NameSuggestions.advice(
          value.identifier ?? "", among: source.assetGroups.map { "\($0.code) (\($0.name))" }))
  }

  private func type(
    of feature: Feature, _ group: PlumbNetwork.AssetGroup, _ id: String
  ) throws -> PlumbNetwork.AssetType {
    guard let assetType else { return group.assetTypes[0] }
    let value = feature.attributes[assetType]
    if let code = value.wholeNumber, let type = group.assetTypes.first(where: { $0.code == code }) {
      return type
    }
    if let text = value.identifier, let type = group.assetTypes.first(where: { $0.name == text }) {
      return type
    }
    throw PlumbError(
      "\(name(id)): \(group.name.printable) has no asset type "
        + (value.identifier ?? "null").printable
        + NameSuggestions.advice(
          value.identifier ?? "", among: group.assetTypes.map { "\($0.code) (\($0.name))" }))
  }

  // MARK: Controllers

  private func controller(
    of feature: Feature, _ terminals: PlumbNetwork.TerminalConfiguration?, _ id: String
  ) throws -> SubnetworkController? {
    guard let isController, feature.attributes[isController].isYes else { return nil }
    let names = subnetworkName.flatMap { feature.attributes[$0].identifier } ?? ""
    return SubnetworkController(
      domainNetworkID: domain.id, tierID: try tier(of: feature, id).id,
      terminalID: try terminal(of: feature, terminals, id),
      // `Unknown` is Esri's placeholder for an unknown subnetwork, not a name.
      subnetworkNames: names.split(separator: "::").map(String.init).filter { $0 != "Unknown" })
  }

  private func tier(of feature: Feature, _ id: String) throws -> PlumbNetwork.Tier {
    let value = tier.map { feature.attributes[$0] } ?? .null
    guard let text = value.identifier else {
      if domain.tiers.count == 1 { return domain.tiers[0] }
      throw PlumbError("\(name(id)): it is a subnetwork controller without a tier")
    }
    if let tier = domain.tiers.first(where: { $0.name == text })
      ?? domain.tiers.first(where: { $0.name.lowercased() == text.lowercased() })
      ?? domain.tiers.first(where: { $0.id == value.wholeNumber })
    {
      return tier
    }
    throw PlumbError(
      "\(name(id)): there is no tier \(text.printable)"
        + NameSuggestions.advice(text, among: domain.tiers.map(\.name)))
  }

  private func terminal(
    of feature: Feature, _ configuration: PlumbNetwork.TerminalConfiguration?, _ id: String
  ) throws -> Int? {
    guard let configuration,
      let value = controllerTerminal.map({ feature.attributes[$0] }), let text = value.identifier
    else { return nil }
    let terminals = configuration.terminals
    if let known = terminals.first(where: { $0.name == text })
      ?? terminals.first(where: { $0.name.lowercased() == text.lowercased() })
      ?? terminals.first(where: { $0.id == value.wholeNumber })
    {
      return known.id
    }
    throw PlumbError(
      "\(name(id)): there is no terminal \(text.printable)"
        + NameSuggestions.advice(text, among: terminals.map(\.name)))
  }
}

/// Finds the fields of a layer by role. A name in the document takes precedence over the default
/// name.
struct FieldChoice {
  private let layer: NetworkLayer
  private let defaults: [String: String]
  private let node: DocumentNode?

  /// - Parameter defaults: the default field name for each member of `fields`.
  package init(_ layer: NetworkLayer, _ defaults: [String: String]) throws(DocumentFault) {
    (self.layer, self.defaults) = (layer, defaults)
    node = try layer.node.member("fields")
    try node?.checkMembers(defaults.keys.sorted())
  }

  /// The index of a field; nil if the document names no field and the layer has no field with the default
  /// name.
  package func optional(_ member: String) throws -> Int? {
    if let named = try node?.member(member) {
      return try layer.field(try named.text(), for: named)
    }
    return defaults[member].flatMap { layer.field($0) }
  }

  package func required(_ member: String) throws -> Int {
    if let index = try optional(member) { return index }
    throw layer.node.fault(
      "\(layer.label) has no field \(defaults[member] ?? member): specify it in "
        + "fields.\(member)" + NameSuggestions.list(layer.reader.fields.map(\.name.printable)))
  }
}

extension FieldValue {
  fileprivate var isYes: Bool {
    switch self {
    case .boolean(let flag): flag
    case .integer(let number): number != 0
    case .real(let number): number != 0 && !number.isNaN
    case .text(let text): ["1", "true", "yes", "y"].contains(text.lowercased())
    case .null, .json: false
    }
  }
}
