import PlumbCore

extension UtilityNetwork {
  /// Returns the element of a source, by the source's name and the global id.
  ///
  /// - Throws: `unknownName` for the source, `unknownElement` for the id.
  public func element(source: String, globalID: String) throws(NetworkError) -> NetworkElement {
    let known =
      catalog.sources.firstIndex { $0.name == source }
      ?? catalog.sources.firstIndex { $0.name.lowercased() == source.lowercased() }
    guard let known else {
      throw NetworkError(
        .unknownName,
        "there is no network source \(source.printable)"
          + NameSuggestions.advice(source, among: catalog.sources.map(\.name)))
    }
    return try element(sourceAt: known, globalID)
  }

  /// Returns the element of a source, by the source's id and the global id.
  public func element(sourceID: Int, globalID: String) throws(NetworkError) -> NetworkElement {
    guard let known = catalog.sourceIndex[sourceID] else {
      throw NetworkError(
        .unknownName,
        "there is no network source \(sourceID)"
          + NameSuggestions.advice("\(sourceID)", among: catalog.sources.map { "\($0.id)" }))
    }
    return try element(sourceAt: known, globalID)
  }

  private func element(
    sourceAt source: Int, _ globalID: String
  ) throws(NetworkError) -> NetworkElement {
    guard let found = index.find(source, globalID, names) else {
      throw NetworkError(
        .unknownElement,
        "\(catalog.sources[source].name.printable) has no feature \(globalID.printable)")
    }
    return NetworkElement(index: UInt32(found))
  }

  /// Returns the element with a global id that occurs in only one source.
  ///
  /// - Throws: `unknownElement`, or `ambiguousElement` with the names of the elements that have the id.
  public func element(globalID: String) throws(NetworkError) -> NetworkElement {
    let found = catalog.sources.indices.compactMap { index.find($0, globalID, names) }
    guard let first = found.first else {
      throw NetworkError(.unknownElement, "the network has no feature \(globalID.printable)")
    }
    guard found.count == 1 else {
      throw NetworkError(
        .ambiguousElement,
        "\(globalID.printable) may be any of \(found.map(names.name).joined(separator: ", ")): "
          + "use one of these")
    }
    return NetworkElement(index: UInt32(first))
  }

  /// Returns the id of the layer that shows a source; nil if the definition has none.
  public func layerID(ofSource sourceID: Int) -> Int? {
    catalog.sourceIndex[sourceID].flatMap { catalog.sources[$0].layerID }
  }
}
