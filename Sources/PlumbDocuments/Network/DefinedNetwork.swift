import PlumbCore
import PlumbFormats
import PlumbNetwork
import PlumbSources

/// A network whose document contains its definition and the layers of its sources.
final class DefinedNetwork {
  package let sources: [DefinedSource]
  package let files: [String]
  package private(set) var warnings: [String] = []
  private let path: String
  private let definition: UtilityNetworkDefinition
  private let associations: AssociationTable?

  /// - Throws: a one-line error with the document and the position in the document.
  package init(_ root: DocumentNode, path: String, folder: DocumentFolder) throws {
    self.path = path
    var files = [path]
    let esri = try Self.definition(root, path: path, folder: folder, &files)
    guard let list = try root.elements("sources"), !list.isEmpty else {
      throw root.fault("expected a layer in sources, found none")
    }
    var layers: [NetworkLayer] = []
    for node in list {
      try node.checkMembers(["sourceId", "path", "layer", "fields"])
      layers.append(try NetworkLayer(node, folder: folder))
    }
    let definition = try Self.converted(
      esri, dataTypes: try Self.dataTypes(esri, layers), in: files[files.count - 1])
    self.definition = definition
    var sources: [DefinedSource] = []
    for layer in layers {
      sources.append(try Self.source(layer, definition, esri))
    }
    self.sources = sources
    self.files = files
    associations = try root.member("associations").map {
      try AssociationTable($0, folder: folder, definition: definition)
    }
    let known = Set(definition.domainNetworks.flatMap(\.sources).map(\.id))
    for attribute in esri.networkAttributes {
      for unknown in attribute.assignments where !known.contains(unknown.networkSourceID) {
        warnings.append(
          "\(files[files.count - 1].printable): the network attribute \(attribute.name.printable) is "
            + "assigned to the network source \(unknown.networkSourceID), which does not exist")
      }
    }
    for tier in esri.domainNetworks.flatMap(\.tiers) {
      guard let configuration = tier.updateSubnetworkTraceConfiguration else { continue }
      for name in TraceReading.unsupported(in: configuration) {
        warnings.append(
          "\(files[files.count - 1].printable): tier \(tier.name.printable): \(name) is not "
            + "supported: its traces ignore it")
      }
    }
    let missing = definition.domainNetworks.flatMap(\.sources).filter { source in
      !sources.contains { $0.source.id == source.id }
    }
    if !missing.isEmpty {
      warnings.append(
        "\(path.printable): no features of "
          + missing.map { "\($0.name.printable) (source \($0.id))" }.joined(separator: ", "))
    }
  }

  private static func definition(
    _ root: DocumentNode, path: String, folder: DocumentFolder, _ files: inout [String]
  ) throws -> UtilityNetworkDataElement {
    var target = path
    if let node = try root.member("definition") {
      do {
        target = try folder.path(of: try node.text())
      } catch let error as PlumbError {
        throw node.fault(error.inDocument)
      }
      files.append(target)
    }
    var bytes: [UInt8] = []
    if RemoteSession.isAddress(target) {
      root.tree.append(to: &bytes)
    } else {
      bytes = try DocumentFile(path: target).bytes
    }
    do {
      return try bytes.withUnsafeBytes { try UtilityNetworkDataElement(json: $0) }
    } catch {
      throw PlumbError("\(target.printable)", error, context: FailureContext(file: target))
    }
  }

  private static func converted(
    _ esri: UtilityNetworkDataElement,
    dataTypes: [Int: PlumbNetwork.NetworkAttribute.DataType], in path: String
  ) throws -> UtilityNetworkDefinition {
    do {
      return try UtilityNetworkDefinition(esri, dataTypes: dataTypes)
    } catch {
      throw PlumbError("\(path.printable)", error, context: FailureContext(file: path))
    }
  }

  /// Derives the types of network attributes from their fields, for attributes without a type in
  /// the definition.
  private static func dataTypes(
    _ esri: UtilityNetworkDataElement, _ layers: [NetworkLayer]
  ) throws -> [Int: PlumbNetwork.NetworkAttribute.DataType] {
    var result: [Int: PlumbNetwork.NetworkAttribute.DataType] = [:]
    for attribute in esri.networkAttributes {
      for layer in layers {
        let id = try layer.node.member("sourceId")?.integer()
        guard
          let name = attribute.assignments.first(where: { $0.networkSourceID == id ?? -1 })?
            .fieldName, let field = layer.field(name)
        else { continue }
        switch (layer.reader.fields[field].kind, result[attribute.id]) {
        case (.text, _): result[attribute.id] = .text
        case (.real, .integer), (.real, nil): result[attribute.id] = .real
        case (_, nil): result[attribute.id] = .integer
        default: break
        }
      }
    }
    return result
  }

  private static func source(
    _ layer: NetworkLayer, _ definition: UtilityNetworkDefinition,
    _ esri: UtilityNetworkDataElement
  ) throws -> DefinedSource {
    let node = try layer.node.required("sourceId", "a whole number")
    let id = try node.integer()
    for domain in definition.domainNetworks {
      guard let source = domain.sources.first(where: { $0.id == id }) else { continue }
      return try DefinedSource(layer, source, domain, definition, esri)
    }
    let known = definition.domainNetworks.flatMap(\.sources)
    throw node.fault(
      "the definition has no network source \(id)"
        + NameSuggestions.list(known.map { "\($0.id) (\($0.name.printable))" }))
  }

  package var identifiers: NetworkIdentifiers {
    NetworkIdentifiers(
      parts: sources.map { source in
        NetworkIdentifiers.Part(
          layer: source.layer, sourceID: source.source.id, sourceName: source.source.name,
          id: { feature, _ in try source.identifier(of: feature) })
      },
      associations: { [associations] visit in
        var faults = NetworkFaults(isStrict: true)
        try associations?.forEach({ _ in }, &faults) { ends, point, _ in
          try visit(point, ends.from.element)
          try visit(point, ends.to.element)
        }
      })
  }

  /// - Parameter projections: one projection per source, in the order of the sources.
  package func network(
    tolerance: Double, projections: [NetworkProjection], isStrict: Bool, progress: (Int) -> Void
  ) throws -> (UtilityNetwork, [OpenedNetwork.Controller]) {
    var options = NetworkBuilder.Options(tolerance: tolerance)
    options.isLenient = !isStrict
    var builder = try NetworkBuilder(definition, options: options)
    let count = { (isEdge: Bool) in
      self.sources.lazy.filter { $0.isEdge == isEdge }
        .map { min($0.layer.reader.featureCount ?? 0, 1 << 24) }.reduce(0, +)
    }
    builder.reserve(junctions: count(false), edges: count(true))
    // Esri writes terminal 1 even for features without terminals. In sources where only some features have
    // terminals, the features without terminals are therefore recorded individually.
    var plain: Set<ElementName> = []
    var controllers: [OpenedNetwork.Controller] = []
    for (source, projection) in zip(sources, projections) {
      let types = source.source.assetGroups.flatMap(\.assetTypes)
      let isMixed = associations != nil && types.contains { $0.terminalConfigurationID != nil }
      try source.add(to: &builder, projection, isStrict: isStrict, progress) {
        if isMixed { plain.insert($0) }
      } controller: {
        controllers.append($0)
      }
    }
    var faults = NetworkFaults(isStrict: isStrict)
    // The row number of each association. If some associations are omitted, row numbers differ from
    // the associations' numbers.
    var rows: [Int] = []
    try associations?.forEach(progress, &faults) { ends, _, row in
      builder.add(ends.association { plain.contains($0) })
      rows.append(row)
    }
    do {
      let network = try builder.build()
      if let associations {
        warnings += faults.warnings(associations.label, item: "association")
      }
      warnings += network.faults.warnings(path) { number in
        rows.indices.contains(number) ? associations?.position(row: rows[number]) : nil
      }
      return (network, controllers)
    } catch {
      throw try rowFault(error)
    }
  }

  /// Prefixes the error of an association with its row; returns other errors unchanged.
  private func rowFault(_ error: NetworkError) throws -> any Error {
    // `NetworkIdentifiers` explains errors about missing ids and suggests similar ids.
    guard error.kind != .unknownElement, let wanted = error.association else { return error }
    var number = 0
    var fault: any Error = error
    var faults = NetworkFaults(isStrict: true)
    try associations?.forEach({ _ in }, &faults) { _, point, _ in
      if number == wanted { fault = PlumbError("\(point)", error) }
      number += 1
    }
    return fault
  }
}
