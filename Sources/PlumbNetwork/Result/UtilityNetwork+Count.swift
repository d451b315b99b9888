extension UtilityNetwork {
  /// Returns the number of elements of each asset type, in the order of the types' first elements.
  package func counts(of elements: some Sequence<NetworkElement>) -> [AssetTypeCount] {
    typeCounts(of: elements).map(assetTypeCount)
  }

  /// Returns, for each asset type, the number of a trace's elements, in the order of the types'
  /// first elements.
  package func counts(of elements: [TracedElement]) -> [AssetTypeCount] {
    counts(of: Self.features(elements))
  }

  /// Returns, for each asset type, the number of a trace's elements, in the order of the types'
  /// numbers.
  func countsByType(of elements: [TracedElement]) -> [AssetTypeCount] {
    typeCounts(of: Self.features(elements)).sorted { $0.type < $1.type }.map(assetTypeCount)
  }

  private func typeCounts(
    of elements: some Sequence<NetworkElement>
  ) -> [(type: Int, count: Int)] {
    var (found, counts): ([Int], [Int]) = ([], Array(repeating: 0, count: catalog.types.count))
    for element in elements {
      let type = names.type(Int(element.index))
      if counts[type] == 0 { found.append(type) }
      counts[type] += 1
    }
    return found.map { ($0, counts[$0]) }
  }

  private func assetTypeCount(type: Int, count: Int) -> AssetTypeCount {
    let key = catalog.types[type].key
    return AssetTypeCount(
      sourceID: key.sourceID, assetGroup: key.group, assetType: key.type, count: count)
  }

  /// Returns the elements without repetition. In the given list, the terminals of a device are
  /// consecutive.
  private static func features(_ elements: [TracedElement]) -> [NetworkElement] {
    var features: [NetworkElement] = []
    for traced in elements where traced.element != features.last {
      features.append(traced.element)
    }
    return features
  }
}
