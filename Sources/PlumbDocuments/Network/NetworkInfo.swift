import PlumbCore
import PlumbFormats
import PlumbNetwork

/// A description of a network as text and JSON: its elements by source and asset type, domain networks
/// and tiers, controllers, connected components, attributes and warnings.
public struct NetworkInfo {
  private let opened: OpenedNetwork
  private let names: [SourceUse: String]
  private let counts: [AssetTypeCount]
  /// The number of elements of each connected component, the largest first.
  private let pieces: [Int]
  private let loose: UnconnectedParts

  /// - Complexity: O(elements).
  /// - Parameters:
  ///   - opened: the network to describe.
  ///   - names: the name to show for each use of the network; uses without a name are described in
  ///     plain words.
  public init(_ opened: OpenedNetwork, names: [SourceUse: String] = [:]) throws {
    self.names = names
    self.opened = opened
    let network = opened.network
    counts = network.counts(of: network.elements).sorted {
      ($0.sourceID, $0.assetGroup, $0.assetType) < ($1.sourceID, $1.assetGroup, $1.assetType)
    }
    let segments = try network.segments(filterBarriers: nil)
    pieces = (0..<segments.count).map {
      segments.junctions(of: $0).count + segments.edges(of: $0).count
    }
    .sorted(by: >)
    loose = network.looseParts(nearness: opened.nearness)
  }

  /// The possible uses of a network.
  public var uses: [SourceUse] { [.trace, .segments] }

  private var definition: UtilityNetworkDefinition { opened.network.definition }

  // MARK: JSON

  /// The description as one JSON object on one line.
  public var json: String {
    var json = TraceJSON(opened.network)
    let network = opened.network
    json.append("{")
    json.members([
      ("path", .text(opened.path)), ("type", .text(opened.form.rawValue)),
      ("use", .text(uses.text(names))),
      ("crs", opened.spatialReference.map { .text($0.label) } ?? .null),
      ("junctions", .integer(Int64(network.junctionCount))),
      ("edges", .integer(Int64(network.edgeCount))),
      ("connectedComponents", .integer(Int64(pieces.count))),
      ("largestComponent", .integer(Int64(pieces.first ?? 0))),
    ])
    json.append(",\"assetTypes\":")
    json.list(counts) { $0.count($1) }
    json.append(",\"domainNetworks\":")
    json.list(definition.domainNetworks) { $0.domain($1) }
    json.append(",\"controllers\":")
    json.list(opened.controllers) { $0.controller($1) }
    json.append(",\"networkAttributes\":")
    json.list(definition.networkAttributes) { json, attribute in
      json.object([
        ("name", .text(attribute.name)), ("dataType", .text(attribute.dataType.rawValue)),
        ("isApportionable", .boolean(attribute.isApportionable)),
      ])
    }
    json.append(",\"categories\":")
    json.list(categories) { $0.text($1) }
    json.append(",\"pointsOffLines\":")
    json.list(loose.points) { $0.text(network.name(of: $1)) }
    json.append(",\"controllersOffNetwork\":")
    json.list(loose.controllers) { $0.text(network.name(of: $1)) }
    json.append(",\"nearMisses\":")
    json.list(loose.nearMisses) { json, miss in
      json.object([
        ("element", .text(network.name(of: miss.element))),
        ("neighbor", .text(network.name(of: miss.neighbor))), ("distance", .real(miss.distance)),
        ("x", .real(miss.point.x)), ("y", .real(miss.point.y)),
      ])
    }
    json.append(",\"warnings\":")
    json.list(opened.warnings) { $0.text($1) }
    json.append("}")
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private var categories: [String] { definition.knownCategories }

  // MARK: Text

  /// The maximum number of items in lists.
  private static let listLimit = 20

  /// The description as text: lines for the network, its sources, tiers and controllers.
  public var text: String {
    let network = opened.network
    var lines = [
      "path: \(opened.path.printable)", "type: \(opened.form.rawValue)",
      "use: \(uses.text(names))",
      "crs: \(opened.spatialReference?.label.printable ?? "none")",
      "elements: \(network.elementCount), \(network.junctionCount) junctions and "
        + "\(network.edgeCount) edges",
    ]
    lines += counts.map { "  \($0.count) \(network.label(of: $0))" }
    for domain in definition.domainNetworks {
      let kind =
        domain.isStructureNetwork
        ? "structures"
        : "\(domain.tierDefinition.rawValue), controllers are \(domain.controllerType.rawValue)s"
      lines.append("domain network: \(domain.name.printable), \(kind)")
      for tier in domain.tiers {
        let configuration = tier.traceConfiguration == nil ? "" : ", with a trace configuration"
        lines.append(
          "  tier: \(tier.name.printable), rank \(tier.rank), \(tier.topology.rawValue)\(configuration)"
        )
      }
    }
    let controllers = opened.controllers
    lines.append("controllers: \(controllers.count)")
    for controller in controllers.prefix(Self.listLimit) {
      let names = controller.controller.subnetworkNames
      lines.append(
        "  \(opened.name(of: controller))"
          + (names.isEmpty ? "" : ", subnetwork \(names.map(\.printable).joined(separator: ", "))"))
    }
    if controllers.count > Self.listLimit {
      lines.append("  and \(controllers.count - Self.listLimit) more")
    }
    let largest = pieces.count > 1 ? ", the largest of \(pieces[0]) elements" : ""
    lines.append("connected components: \(pieces.count)\(largest)")
    lines += Self.list("points that touch no line", loose.points.map { network.name(of: $0) })
    lines += Self.list(
      "controllers off the network", loose.controllers.map { network.name(of: $0) })
    lines += Self.list("near misses", loose.nearMisses.map { opened.text(of: $0) })
    let attributes = definition.networkAttributes.map { attribute in
      "\(attribute.name.printable) \(attribute.dataType.rawValue)"
        + (attribute.isApportionable ? " apportionable" : "")
    }
    lines.append("attributes: \(attributes.isEmpty ? "none" : attributes.joined(separator: ", "))")
    let categories = categories.map(\.printable).joined(separator: ", ")
    lines.append("categories: \(categories.isEmpty ? "none" : categories)")
    lines += opened.warnings.map { "warning: \($0)" }
    return lines.joined(separator: "\n")
  }
}

extension NetworkInfo {
  /// Returns a title with the count, followed by the first items; empty if there are no items.
  private static func list(_ title: String, _ items: [String]) -> [String] {
    if items.isEmpty { return [] }
    let more = items.count > listLimit ? ["  and \(items.count - listLimit) more"] : []
    return ["\(title): \(items.count)"] + items.prefix(listLimit).map { "  \($0)" } + more
  }
}

extension OpenedNetwork {
  /// Returns the controller's name, `source:globalid`, followed by the terminal if there is one.
  fileprivate func name(of controller: Controller) -> String {
    let source = network.definition.domainNetworks.lazy.flatMap(\.sources)
      .first { $0.id == controller.element.sourceID }
    let name = "\(source?.name ?? ""):\(controller.element.globalID)".printable
    guard let id = controller.controller.terminalID else { return name }
    let found = try? network.element(
      sourceID: controller.element.sourceID, globalID: controller.element.globalID)
    let terminal = found.flatMap { network.describe($0).terminals.first { $0.id == id } }
    return "\(name):\((terminal?.name ?? String(id)).printable)"
  }
}

extension TraceJSON {
  fileprivate mutating func domain(_ domain: PlumbNetwork.DomainNetwork) {
    append("{")
    members([
      ("name", .text(domain.name)), ("isStructureNetwork", .boolean(domain.isStructureNetwork)),
      ("tierDefinition", .text(domain.tierDefinition.rawValue)),
      ("subnetworkControllerType", .text(domain.controllerType.rawValue)),
    ])
    append(",\"tiers\":")
    list(domain.tiers) { json, tier in
      json.object([
        ("name", .text(tier.name)), ("rank", .integer(Int64(tier.rank))),
        ("topology", .text(tier.topology.rawValue)),
        ("hasTraceConfiguration", .boolean(tier.traceConfiguration != nil)),
      ])
    }
    append("}")
  }

  fileprivate mutating func controller(_ controller: OpenedNetwork.Controller) {
    let definition = network.definition
    let domain = definition.domainNetworks.first {
      $0.id == controller.controller.domainNetworkID
    }
    let source = definition.domainNetworks.lazy.flatMap(\.sources)
      .first { $0.id == controller.element.sourceID }
    append("{")
    members([
      ("sourceName", .text(source?.name ?? "")), ("globalId", .text(controller.element.globalID)),
      (
        "terminalId",
        controller.controller.terminalID.map { .integer(Int64($0)) } ?? .null
      ),
      ("domainNetwork", .text(domain?.name ?? "")),
      (
        "tier",
        .text(domain?.tiers.first { $0.id == controller.controller.tierID }?.name ?? "")
      ),
    ])
    append(",\"subnetworks\":")
    list(controller.controller.subnetworkNames) { $0.text($1) }
    append("}")
  }
}
