extension ArcadeFunction {
  /// Every function there is, family by family. Where two families have one name the later stands.
  static let all: [ArcadeFunction] =
    mathematics + conversions + logicals + arrays + dictionaries + texts + dates + geometries
    + debugging

  /// The function of a name, whatever its case.
  static func named(_ name: String) -> ArcadeFunction? { byName[name.lowercased()] }

  private static let byName = Dictionary(
    all.map { ($0.name.lowercased(), $0) }, uniquingKeysWith: { _, later in later })
}
