import PlumbCore
import PlumbNetwork

/// A table with one association per row. A row contains the association's type as Esri's number or
/// name, two elements by source and global id, their terminals, and the position along an edge.
struct AssociationTable {
  /// Esri's association types.
  package enum Kind: Int, CaseIterable {
    case junctionJunctionConnectivity = 1
    case containment, structuralAttachment
    case junctionEdgeFromConnectivity, junctionEdgeMidspanConnectivity, junctionEdgeToConnectivity

    /// Esri's name and its synonyms, in lower case without spaces and hyphens.
    package var words: [String] {
      switch self {
      case .junctionJunctionConnectivity:
        ["junctionjunctionconnectivity", "connectivity", "junctionjunction"]
      case .containment: ["containment"]
      case .structuralAttachment: ["structuralattachment", "attachment"]
      case .junctionEdgeFromConnectivity:
        ["junctionedgefromconnectivity", "junctionedgeobjectconnectivityfromside"]
      case .junctionEdgeMidspanConnectivity:
        ["junctionedgemidspanconnectivity", "junctionedgeobjectconnectivitymidspan"]
      case .junctionEdgeToConnectivity:
        ["junctionedgetoconnectivity", "junctionedgeobjectconnectivitytoside"]
      }
    }
  }

  package struct Row {
    package var kind: Kind
    package var from: AssociationEnd
    package var to: AssociationEnd

    /// - Parameter isPlain: whether an element has no terminals, although other elements of its source
    ///   have terminals.
    package func association(isPlain: (ElementName) -> Bool) -> NetworkAssociation {
      switch kind {
      case .containment: return .containment(container: from.element, content: to.element)
      case .structuralAttachment:
        return .structuralAttachment(structure: from.element, attached: to.element)
      default:
        var ends = [from, to]
        for index in ends.indices where ends[index].terminalID == 1 && isPlain(ends[index].element)
        {
          ends[index].terminalID = nil
        }
        return .connectivity(ends[0], ends[1])
      }
    }
  }

  private let layer: NetworkLayer
  private let type: Int
  private let from: (source: Int, id: Int, terminal: Int?)
  private let to: (source: Int, id: Int, terminal: Int?)
  private let percentAlong: Int?
  private let sources: [PlumbNetwork.NetworkSource]

  package static let members = [
    "type": "ASSOCIATIONTYPE", "fromSource": "FROMNETWORKSOURCEID",
    "fromGlobalId": "FROMGLOBALID", "fromTerminal": "FROMTERMINALID",
    "toSource": "TONETWORKSOURCEID", "toGlobalId": "TOGLOBALID", "toTerminal": "TOTERMINALID",
    "percentAlong": "PERCENTALONG",
  ]

  package init(
    _ node: DocumentNode, folder: DocumentFolder,
    definition: UtilityNetworkDefinition
  ) throws {
    try node.checkMembers(["path", "layer", "fields"])
    layer = try NetworkLayer(node, folder: folder)
    let fields = try FieldChoice(layer, Self.members)
    type = try fields.required("type")
    from = (
      try fields.required("fromSource"), try fields.required("fromGlobalId"),
      try fields.optional("fromTerminal")
    )
    to = (
      try fields.required("toSource"), try fields.required("toGlobalId"),
      try fields.optional("toTerminal")
    )
    percentAlong = try fields.optional("percentAlong")
    sources = definition.domainNetworks.flatMap(\.sources)
  }

  package var label: String { layer.label }

  /// The name of a row in messages.
  package func position(row: Int) -> String { "\(layer.label), feature \(row)" }

  /// Visits all valid associations, each with its position for messages and its row.
  ///
  /// - Parameter faults: collects the invalid associations.
  package func forEach(
    _ progress: (Int) -> Void = { _ in }, _ faults: inout NetworkFaults,
    _ body: (Row, _ position: String, _ row: Int) throws -> Void
  ) throws {
    try layer.forEach(progress) { feature, _, row in
      let association: Row
      do throws(PlumbError) {
        association = try self.row(of: feature)
      } catch {
        return try faults.note(.left, error, row: row)
      }
      try body(association, position(row: row), row)
    }
  }

  private func row(of feature: Feature) throws(PlumbError) -> Row {
    let kind = try kind(of: feature.attributes[type])
    var ends = (
      try end(feature, from, kind, "from"), try end(feature, to, kind, "to")
    )
    try locate(&ends.0, &ends.1, kind, feature)
    return Row(kind: kind, from: ends.0, to: ends.1)
  }

  private func kind(of value: FieldValue) throws(PlumbError) -> Kind {
    if let number = value.wholeNumber, let kind = Kind(rawValue: number) { return kind }
    let word = (value.identifier ?? "").lowercased().filter { $0.isLetter }
    if let kind = Kind.allCases.first(where: { $0.words.contains(word) }) { return kind }
    throw PlumbError(
      "there is no association type \((value.identifier ?? "null").printable)"
        + NameSuggestions.list(Kind.allCases.map { "\($0.rawValue) (\($0))" }))
  }

  private func end(
    _ feature: Feature, _ fields: (source: Int, id: Int, terminal: Int?), _ kind: Kind,
    _ side: String
  ) throws(PlumbError) -> AssociationEnd {
    let value = feature.attributes[fields.source]
    let source =
      sources.first { $0.id == value.wholeNumber } ?? sources.first { $0.name == value.identifier }
    guard let source else {
      throw PlumbError(
        "its \(side) side names the network source \((value.identifier ?? "null").printable), "
          + "which does not exist"
          + NameSuggestions.advice(
            value.identifier ?? "", among: sources.map { "\($0.id) (\($0.name))" }))
    }
    guard let id = feature.attributes[fields.id].identifier else {
      throw PlumbError("its \(side) side has no global id")
    }
    // In sources without terminals, the terminal in the row is ignored.
    let hasTerminals = source.assetGroups.contains { group in
      group.assetTypes.contains { $0.terminalConfigurationID != nil }
    }
    let terminal = fields.terminal.flatMap { feature.attributes[$0].wholeNumber } ?? 0
    return AssociationEnd(
      ElementName(sourceID: source.id, globalID: id),
      terminalID: hasTerminals && terminal > 0 ? terminal : nil)
  }

  /// Sets the position along the edge in a connectivity association.
  private func locate(
    _ from: inout AssociationEnd, _ to: inout AssociationEnd, _ kind: Kind, _ feature: Feature
  ) throws(PlumbError) {
    let fraction: Double
    switch kind {
    case .containment, .structuralAttachment, .junctionJunctionConnectivity: return
    case .junctionEdgeFromConnectivity: fraction = 0
    case .junctionEdgeToConnectivity: fraction = 1
    case .junctionEdgeMidspanConnectivity:
      guard let value = percentAlong.map({ feature.attributes[$0].value(for: .real) }) else {
        throw PlumbError("a mid-span connectivity needs the field PERCENTALONG")
      }
      switch value {
      case .real(let number) where number >= 0 && number <= 1: fraction = number
      case .integer(0): fraction = 0
      case .integer(1): fraction = 1
      default:
        throw PlumbError(
          "its position along the edge is \((value.identifier ?? "null").printable), not 0 to 1")
      }
    }
    let isEdge = { (end: AssociationEnd) in
      sources.first { $0.id == end.element.sourceID }?.usage.isEdge == true
    }
    switch (isEdge(from), isEdge(to)) {
    case (true, false): from.percentAlong = fraction
    case (false, true): to.percentAlong = fraction
    default: throw PlumbError("its type \(kind) requires a junction and an edge")
    }
  }
}
