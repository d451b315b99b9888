import Plumb

/// The version at the start of every description.
enum ServiceVersion {
  /// The version of Esri's protocol that replies name.
  static let full = "10.9.1"

  /// The version as a number, in Esri's spelling with this many decimals.
  static let text = "10.91"
}
