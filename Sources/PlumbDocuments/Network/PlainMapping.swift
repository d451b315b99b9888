import PlumbCore
import PlumbExpressions
import PlumbGDAL
import PlumbGeometry
import PlumbNetwork

/// A JSON object that maps layers of plain lines and points to a network.
///
///     {"lines":  [{"name": "pipe", "path": "town.gpkg", "layer": "pipes", "id": "ID",
///                  "attributes": ["LENGTH"], "apportioned": ["LENGTH"], "category": "KIND"}],
///      "points": [{"name": "valve", "path": "town.gpkg", "layer": "valves",
///                  "categories": ["Isolating"]},
///                 {"name": "station", "path": "town.gpkg", "layer": "stations",
///                  "controller": "KIND = 'supply'"}],
///      "tolerance": 0.01}
///
/// - Each layer is a network source. The source's `name` defaults to the name of the layer or,
///   without a layer name, of the file. Source ids start at 1, with lines before points. There is
///   one domain network with one tier, both named `network`.
/// - `id` names a field; without `id`, the feature number is the id. `category` names a field whose
///   text is a feature's asset type and category. `categories` apply to all features of the layer.
/// - `attributes` names the fields that become network attributes. The values of attributes in
///   `apportioned` are divided along an edge in proportion to length.
/// - `controller`, for points, is a condition on the layer's fields that controllers meet, or true
///   if all points are controllers.
/// - `spatialReference` and `tolerance` have the same meaning as in a network document.
///
/// Any other member is an error.
struct PlainMapping {
  /// A layer and its mapping.
  package final class Part {
    package let layer: NetworkLayer
    package let name: String
    package let isEdge: Bool
    package let sourceID: Int
    package let id: Int?
    package let category: Int?
    package let categories: [String]
    /// The indices of fields, and the names of their network attributes.
    package let attributes: [(field: Int, name: String)]
    package let apportioned: Set<String>
    /// The condition that controllers meet; nil for none.
    package let controller: BoundCondition?
    let areAllControllers: Bool
    /// The values of the category field, in order. The code of an asset type is the position of its
    /// value, from 1.
    package var kinds: [String] = []
    var codeOfKind: [String: Int] = [:]
    /// Warnings from reading.
    package fileprivate(set) var warnings: [String] = []

    static let kindLimit = 4096

    package init(_ node: DocumentNode, isEdge: Bool, sourceID: Int, folder: DocumentFolder) throws {
      try node.checkMembers(
        ["name", "path", "layer", "id", "category", "categories", "attributes"]
          + (isEdge ? ["apportioned"] : ["controller"]))
      layer = try NetworkLayer(node, folder: folder)
      name = try node.text("name") ?? layer.reader.layerName
      self.isEdge = isEdge
      self.sourceID = sourceID
      let layer = layer
      let field = { (member: String) throws -> Int? in
        guard let named = try node.member(member) else { return nil }
        return try layer.field(try named.text(), for: named)
      }
      id = try field("id")
      category = try field("category")
      categories = try (node.elements("categories") ?? []).map { try $0.text() }
      attributes = try (node.elements("attributes") ?? []).map { item in
        let name = try item.text()
        return (try layer.field(name, for: item), name)
      }
      let names = attributes.map(\.name)
      apportioned = Set(
        try (node.elements("apportioned") ?? []).map { item in
          let name = try item.text()
          guard names.contains(name) else {
            throw item.fault("\(name.printable) is not one of the attributes")
          }
          return name
        })
      (controller, areAllControllers) = try Self.controller(node, layer)
    }

    private static func controller(
      _ node: DocumentNode, _ layer: NetworkLayer
    ) throws -> (BoundCondition?, Bool) {
      guard let member = try node.member("controller") else { return (nil, false) }
      if case .boolean(let flag) = member.tree { return (nil, flag) }
      guard case .text(let text) = member.tree else {
        throw member.fault("expected a condition or true, found \(member.tree.what)")
      }
      do {
        return (try Condition(text).bound(to: layer.reader.fields), false)
      } catch {
        throw member.fault(error)
      }
    }

    /// Reads the values of the category field.
    func readKinds(_ progress: (Int) -> Void) throws {
      guard let category else { return }
      var found: Set<String> = []
      try layer.forEach(progress) { feature, _, _ in
        guard let kind = feature.attributes[category].identifier, found.insert(kind).inserted else {
          return
        }
        guard found.count <= Self.kindLimit else {
          throw PlumbError("the category field has more than \(Self.kindLimit) different values")
        }
      }
      kinds = found.sorted()
      for (index, kind) in kinds.enumerated() { codeOfKind[kind] = index + 1 }
    }

    package var source: NetworkSource {
      var types = kinds.enumerated().map { index, kind in
        AssetType(
          code: index + 1, name: kind,
          categories: categories.contains(kind) ? categories : categories + [kind])
      }
      types.append(AssetType(code: 0, name: name, categories: categories))
      return NetworkSource(
        id: sourceID, name: name, usage: isEdge ? .line : .device,
        assetGroups: [AssetGroup(code: 1, name: name, assetTypes: types)])
    }
  }

  package let parts: [Part]

  package init(_ root: DocumentNode, folder: DocumentFolder) throws {
    try root.checkMembers(["lines", "points", "spatialReference", "tolerance"])
    var parts: [Part] = []
    for (member, isEdge) in [("lines", true), ("points", false)] {
      guard let node = try root.member(member) else { continue }
      let nodes = if case .list = node.tree { try node.elements() } else { [try node.object()] }
      for node in nodes {
        let part = try Part(node, isEdge: isEdge, sourceID: parts.count + 1, folder: folder)
        if let rival = parts.first(where: { $0.name == part.name }) {
          throw node.fault(
            "\(rival.layer.node.path) also has the name \(part.name.printable): rename one of them")
        }
        parts.append(part)
      }
    }
    guard parts.contains(where: \.isEdge) else {
      throw root.fault("expected a layer in lines, found none")
    }
    self.parts = parts
  }

  package var identifiers: NetworkIdentifiers {
    NetworkIdentifiers(
      parts: parts.map { part in
        NetworkIdentifiers.Part(
          layer: part.layer, sourceID: part.sourceID, sourceName: part.name,
          id: { try part.identifier(of: $0, $1) })
      })
  }

  /// The attributes of all layers by name. An attribute is numeric if all fields with the name are numeric.
  package func networkAttributes() throws -> [NetworkAttribute] {
    var result: [NetworkAttribute] = []
    for part in parts {
      for (field, name) in part.attributes {
        let type: NetworkAttribute.DataType =
          switch part.layer.reader.fields[field].kind {
          case .integer, .boolean: .integer
          case .real: .real
          case .text: .text
          }
        let isApportionable = part.apportioned.contains(name)
        if isApportionable, type == .text {
          throw part.layer.node.fault("apportioned: \(name.printable) is text, not a number")
        }
        if let known = result.firstIndex(where: { $0.name == name }) {
          let other = result[known].dataType
          guard other == type || (other != .text && type != .text) else {
            throw part.layer.node.fault(
              "attributes: \(name.printable) is a \(type.rawValue) here and a \(other.rawValue) in "
                + "another layer")
          }
          if type != other { result[known].dataType = .real }
          if isApportionable { result[known].isApportionable = true }
        } else {
          result.append(
            NetworkAttribute(
              id: result.count + 1, name: name, dataType: type, isApportionable: isApportionable))
        }
      }
    }
    return result
  }

  /// - Parameter projections: one projection per part, in the order of the parts.
  package func network(
    tolerance: Double, projections: [NetworkProjection], isStrict: Bool, progress: (Int) -> Void
  ) throws -> (UtilityNetwork, [OpenedNetwork.Controller]) {
    for part in parts { try part.readKinds(progress) }
    let attributes = try networkAttributes()
    let definition = UtilityNetworkDefinition(
      domainNetworks: [
        DomainNetwork(
          id: 1, name: "network", tiers: [Tier(id: 1, name: "network", topology: .mesh)],
          sources: parts.map(\.source))
      ], networkAttributes: attributes)
    var options = NetworkBuilder.Options(tolerance: tolerance)
    options.isLenient = !isStrict
    var builder = try NetworkBuilder(definition, options: options)
    let count = { (isEdge: Bool) in
      parts.lazy.filter { $0.isEdge == isEdge }
        .map { min($0.layer.reader.featureCount ?? 0, 1 << 24) }.reduce(0, +)
    }
    builder.reserve(junctions: count(false), edges: count(true))
    var controllers: [OpenedNetwork.Controller] = []
    for (part, projection) in zip(parts, projections) {
      try part.add(to: &builder, attributes, projection, isStrict: isStrict, progress) {
        controllers.append($0)
      }
    }
    return (try builder.build(), controllers)
  }
}

extension PlainMapping.Part {
  fileprivate func add(
    to builder: inout NetworkBuilder, _ definitions: [NetworkAttribute],
    _ projection: NetworkProjection, isStrict: Bool,
    _ progress: (Int) -> Void, controller isOne: (OpenedNetwork.Controller) -> Void
  ) throws {
    let fields = definitions.map { definition in
      attributes.first { $0.name == definition.name }?.field
    }
    var suspicious = SuspiciousEdges()
    var faults = NetworkFaults(isStrict: isStrict)
    try layer.forEach(progress) { feature, number, row in
      do {
        try add(
          feature, number, row, to: &builder, fields, definitions, projection, &suspicious, isOne)
      } catch {
        try faults.note(.left, error, row: row)
      }
    }
    warnings =
      suspicious.warnings(layer.label) + (try layer.shapeFaults(isStrict: isStrict))
      + faults.warnings(layer.label)
  }

  private func add(
    _ feature: Feature, _ number: Int64, _ row: Int, to builder: inout NetworkBuilder,
    _ fields: [Int?], _ definitions: [NetworkAttribute], _ projection: NetworkProjection,
    _ suspicious: inout SuspiciousEdges, _ isOne: (OpenedNetwork.Controller) -> Void
  ) throws {
    let globalID = try identifier(of: feature, number)
    let values = zip(fields, definitions).map { field, definition in
      field.map { feature.attributes[$0].value(for: definition.dataType) } ?? .null
    }
    let kind = category.flatMap { feature.attributes[$0].identifier }
    let type = kind.flatMap { codeOfKind[$0] } ?? 0
    if isEdge {
      let chain = try projection.chain(of: feature.geometry)
      guard !chain.isEmpty else { throw PlumbError("\(globalID.printable) has no shape") }
      try builder.add(
        NetworkEdge(
          sourceID: sourceID, globalID: globalID, objectID: number, assetGroup: 1,
          assetType: type, vertices: chain, attributes: values))
      suspicious.note(chain, "feature \(row), \("\(name):\(globalID)".printable)")
      return
    }
    guard let point = try projection.point(of: feature.geometry) else {
      throw PlumbError("\(globalID.printable) has no point")
    }
    let isController = areAllControllers || controller?.isTrue(feature.attributes) == true
    let controllers =
      isController ? [SubnetworkController(domainNetworkID: 1, tierID: 1)] : []
    try builder.add(
      NetworkJunction(
        sourceID: sourceID, globalID: globalID, objectID: number, assetGroup: 1,
        assetType: type, point: point, attributes: values, controllers: controllers))
    for controller in controllers {
      isOne(
        OpenedNetwork.Controller(
          element: ElementName(sourceID: sourceID, globalID: globalID), controller: controller))
    }
  }

  /// - Throws: if the id field is empty.
  package func identifier(of feature: Feature, _ number: Int64) throws(PlumbError) -> String {
    guard let id else { return String(number) }
    guard let text = feature.attributes[id].identifier else {
      throw PlumbError(
        "\(layer.reader.fields[id].name.printable) is empty: every feature needs an id")
    }
    return text
  }
}

extension DocumentNode {
  /// - Throws: an error with similar names, for a member that is not one of `known`.
  package func checkMembers(_ known: [String]) throws(DocumentFault) {
    guard case .object(let members) = tree else {
      try object()
      return
    }
    if let unknown = members.keys.sorted().first(where: { !known.contains($0) }) {
      throw fault(
        "there is no member \(unknown.printable)" + NameSuggestions.advice(unknown, among: known))
    }
  }
}
