extension ArcadeFunction {
  /// Every function there is, family by family. No two have one name, whatever its case.
  static let all: [ArcadeFunction] =
    mathematics + conversions + logicals + arrays + dictionaries + texts + dates + geometries
    + debugging

  /// The function of a name, whatever its case.
  static func named(_ name: String) -> ArcadeFunction? { byName[name.lowercased()] }

  private static let byName = Dictionary(
    uniqueKeysWithValues: all.map { ($0.name.lowercased(), $0) })
}
