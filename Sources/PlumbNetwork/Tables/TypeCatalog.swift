import PlumbCore

/// The asset types of a definition in one list, with the properties that traces use.
struct TypeCatalog: Sendable {
  struct Key: Hashable {
    var sourceID: Int
    var group: Int
    var type: Int
  }

  /// The sources, sorted by id.
  private(set) var sources: [NetworkSource] = []
  private(set) var sourceIndex: [Int: Int] = [:]
  /// The types, sorted by source id, then in the order of the definition.
  private(set) var types: [TypeInfo] = []
  /// For each type, whether the type has a terminal configuration.
  private(set) var haveTerminals: [Bool] = []
  private(set) var typeIndex: [Key: Int] = [:]
  private(set) var categories: [String] = []
  private(set) var categoryIndex: [String: Int] = [:]

  init(_ definition: UtilityNetworkDefinition) throws(NetworkError) {
    try Self.unique(definition.domainNetworks.map(\.id), "domain network id")
    try Self.unique(definition.domainNetworks.map(\.name), "domain network")
    try Self.unique(definition.networkAttributes.map(\.id), "network attribute id")
    try Self.unique(definition.networkAttributes.map(\.name), "network attribute")
    try Self.unique(definition.terminalConfigurations.map(\.id), "terminal configuration id")
    try Self.unique(definition.categories, "category")
    for domain in definition.domainNetworks {
      try Self.unique(domain.tiers.map(\.id), "tier id of \(domain.name.printable)")
      try Self.unique(domain.tiers.map(\.name), "tier of \(domain.name.printable)")
    }
    for attribute in definition.networkAttributes {
      guard !attribute.isApportionable || attribute.dataType != .text,
        !attribute.isBitwise || attribute.dataType == .integer
      else {
        throw NetworkError(
          .badDefinition,
          "network attribute \(attribute.name.printable): a \(attribute.dataType.rawValue) cannot be "
            + (attribute.isBitwise ? "bitwise" : "apportioned"))
      }
    }
    var terminals: [Int: TerminalLayout] = [:]
    for configuration in definition.terminalConfigurations {
      terminals[configuration.id] = try TerminalLayout(configuration)
    }
    for category in definition.categories { addCategory(category) }
    sources = definition.domainNetworks.flatMap(\.sources).sorted { $0.id < $1.id }
    try Self.unique(sources.map(\.id), "network source id")
    try Self.unique(sources.map(\.name), "network source")
    for (index, source) in sources.enumerated() {
      guard source.id >= 0, source.id < 1 << 31 else {
        throw NetworkError(.badDefinition, "network source id \(source.id) is not 0 or more")
      }
      sourceIndex[source.id] = index
      for group in source.assetGroups {
        for type in group.assetTypes { try add(type, group, source, index, terminals) }
      }
    }
    guard types.count < 1 << 16 else {
      throw NetworkError(.tooLarge, "\(types.count) asset types exceed the limit of 65,535")
    }
  }

  private mutating func addCategory(_ name: String) {
    guard categoryIndex[name] == nil else { return }
    categoryIndex[name] = categories.count
    categories.append(name)
  }

  private mutating func add(
    _ type: AssetType, _ group: AssetGroup, _ source: NetworkSource, _ index: Int,
    _ terminals: [Int: TerminalLayout]
  ) throws(NetworkError) {
    let what =
      "asset type \(type.name.printable) of \(group.name.printable), \(source.name.printable)"
    var layout: TerminalLayout?
    if let id = type.terminalConfigurationID {
      guard let known = terminals[id] else {
        throw NetworkError(.badDefinition, "\(what): there is no terminal configuration \(id)")
      }
      guard !source.usage.isEdge else {
        throw NetworkError(.badDefinition, "\(what): edges have no terminals")
      }
      layout = known
    }
    for category in type.categories { addCategory(category) }
    let key = Key(sourceID: source.id, group: group.code, type: type.code)
    guard typeIndex.updateValue(types.count, forKey: key) == nil else {
      throw NetworkError(
        .badDefinition, "\(what): duplicate codes \(group.code), \(type.code)")
    }
    haveTerminals.append(layout != nil)
    types.append(
      TypeInfo(
        source: index, key: key, name: type.name, groupName: group.name,
        categories: Set(type.categories.compactMap { categoryIndex[$0] }), layout: layout,
        connectsAtInnerVertices: type.connectsAtInnerVertices))
  }

  private static func unique<T: Hashable>(_ values: [T], _ what: String) throws(NetworkError) {
    var seen: Set<T> = []
    for value in values where !seen.insert(value).inserted {
      throw NetworkError(.badDefinition, "duplicate \(what) \("\(value)".printable)")
    }
  }

  /// Returns the type of a feature.
  ///
  /// - Throws: `badFeature` if there is no such type, or if the source contains edges and the feature is a
  ///   junction or vice versa.
  func type(
    sourceID: Int, group: Int, type: Int, globalID: String, isEdge: Bool
  ) throws(NetworkError) -> UInt16 {
    if let index = typeIndex[Key(sourceID: sourceID, group: group, type: type)],
      sources[types[index].source].usage.isEdge == isEdge
    {
      return UInt16(index)
    }
    guard let source = sourceIndex[sourceID].map({ sources[$0] }) else {
      throw NetworkError(
        .badFeature, "\(sourceID):\(globalID.printable): there is no network source \(sourceID)")
    }
    let name = "\(source.name):\(globalID)".printable
    guard source.usage.isEdge == isEdge else {
      throw NetworkError(
        .badFeature,
        "\(name): \(source.name.printable) has \(isEdge ? "junctions, no edges" : "edges, no junctions")"
      )
    }
    throw NetworkError(
      .badFeature,
      "\(name): \(source.name.printable) has no asset group \(group) with an asset type \(type)")
  }
}

/// An asset type as used by traces.
struct TypeInfo: Sendable {
  /// The index in the catalog's sources.
  var source: Int
  var key: TypeCatalog.Key
  var name: String
  var groupName: String
  /// The type's categories, as indices in the catalog's categories.
  var categories: Set<Int>
  /// The terminals; nil for a type without terminals.
  var layout: TerminalLayout?
  var connectsAtInnerVertices: Bool

  var terminalCount: Int { layout?.terminals.count ?? 1 }
}

/// A terminal configuration in which terminals are represented by their positions.
struct TerminalLayout: Sendable {
  struct Pair: Hashable {
    var from: Int
    var to: Int
    var isOneWay: Bool
  }

  var name: String
  var terminals: [Terminal]
  var pathNames: [String]
  var paths: [[Pair]]
  var defaultPath: Int

  init(_ configuration: TerminalConfiguration) throws(NetworkError) {
    let what = "terminal configuration \(configuration.name.printable)"
    terminals = configuration.terminals
    name = configuration.name
    guard 1...TerminalConfiguration.terminalLimit ~= terminals.count else {
      throw NetworkError(
        .badDefinition, "\(what) has \(terminals.count) terminals: there can be 1 to 8")
    }
    guard Set(terminals.map(\.id)).count == terminals.count else {
      throw NetworkError(.badDefinition, "\(what) has a duplicate terminal id")
    }
    pathNames = configuration.validPaths.map(\.name)
    guard Set(pathNames).count == pathNames.count, pathNames.count < 255 else {
      throw NetworkError(.badDefinition, "\(what) has duplicate valid paths, or more than 254")
    }
    paths = []
    for path in configuration.validPaths {
      var pairs: [Pair] = []
      for pair in path.pairs {
        guard let from = terminals.firstIndex(where: { $0.id == pair.from }),
          let to = terminals.firstIndex(where: { $0.id == pair.to })
        else {
          throw NetworkError(
            .badDefinition,
            "\(what): path \(path.name.printable) joins \(pair.from) and \(pair.to), not both of "
              + "which are terminals")
        }
        pairs.append(Self.pair(from, to, terminals, configuration.traversability))
      }
      paths.append(pairs)
    }
    if let name = configuration.defaultPath {
      guard let index = pathNames.firstIndex(of: name) else {
        throw NetworkError(
          .badDefinition, "\(what): the default path \(name.printable) does not exist")
      }
      defaultPath = index
    } else {
      guard paths.count < 2 else {
        throw NetworkError(.badDefinition, "\(what) has several paths but no default")
      }
      defaultPath = 0
    }
    if paths.isEmpty {
      pathNames = ["All"]
      var pairs: [Pair] = []
      for from in terminals.indices {
        for to in terminals.indices where from < to {
          pairs.append(Self.pair(from, to, terminals, configuration.traversability))
        }
      }
      paths = [pairs]
    }
  }

  private static func pair(
    _ from: Int, _ to: Int, _ terminals: [Terminal],
    _ traversability: TerminalConfiguration.Traversability
  ) -> Pair {
    let isOneWay = traversability == .directional
    let isReversed = isOneWay && terminals[to].isUpstream && !terminals[from].isUpstream
    return Pair(from: isReversed ? to : from, to: isReversed ? from : to, isOneWay: isOneWay)
  }
}
