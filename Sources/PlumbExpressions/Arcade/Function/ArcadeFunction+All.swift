extension ArcadeFunction {
  /// All functions, ordered by family. Names are unique regardless of case.
  static let all: [ArcadeFunction] =
    mathematics + conversions + logicals + arrays + dictionaries + texts + dates + geometries
    + debugging

  /// The function with a name, regardless of case.
  static func named(_ name: String) -> ArcadeFunction? { byName[name.lowercased()] }

  private static let byName = Dictionary(
    uniqueKeysWithValues: all.map { ($0.name.lowercased(), $0) })
}
