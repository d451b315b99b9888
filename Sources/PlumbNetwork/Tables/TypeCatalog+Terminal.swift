import PlumbCore

extension TypeCatalog {
  /// The feature's name in messages.
  func name(_ info: TypeInfo, _ globalID: String) -> String {
    "\(sources[info.source].name):\(globalID)".printable
  }

  /// Returns the position of a terminal among the terminals of a type; 0 for a type with one
  /// terminal or none.
  ///
  /// - Throws: `terminalMissing`, or `badFeature` if the terminal does not exist.
  func terminal(_ id: Int?, _ info: TypeInfo, _ globalID: String) throws(NetworkError) -> Int {
    func name() -> String { self.name(info, globalID) }
    guard let layout = info.layout else {
      guard id == nil else {
        throw NetworkError(
          .badFeature,
          "\(name()): terminal \(id ?? 0) is specified, but the feature has no terminals")
      }
      return 0
    }
    let names = layout.terminals.map { "\($0.id) (\($0.name.printable))" }
    guard let id else {
      guard layout.terminals.count == 1 else {
        throw NetworkError(
          .terminalMissing,
          "\(name()): a terminal is required: "
            + names.joined(separator: ", "))
      }
      return 0
    }
    guard let index = layout.terminals.firstIndex(where: { $0.id == id }) else {
      throw NetworkError(
        .badFeature, "\(name()): there is no terminal \(id)" + NameSuggestions.list(names))
    }
    return index
  }
}
