import PlumbCore

extension UtilityNetwork {
  /// Returns, for each type of the catalog, whether the type is among `references`.
  ///
  /// - Throws: `unknownName` if a reference matches no type.
  func types(_ references: [AssetTypeReference]) throws(NetworkError) -> [Bool] {
    var result = catalog.types.map { _ in false }
    for reference in references {
      var isKnown = false
      for (index, type) in catalog.types.enumerated()
      where type.key.sourceID == reference.sourceID
        && reference.assetGroup ?? type.key.group == type.key.group
        && reference.assetType ?? type.key.type == type.key.type
      {
        result[index] = true
        isKnown = true
      }
      guard isKnown else {
        throw NetworkError(
          .unknownName,
          "there is no asset type \(reference.assetGroup.map { "\($0)" } ?? "any"), "
            + "\(reference.assetType.map { "\($0)" } ?? "any") of source \(reference.sourceID)")
      }
    }
    return result
  }
}
