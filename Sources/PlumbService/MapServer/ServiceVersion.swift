import Plumb

/// The version at the start of every description.
enum ServiceVersion {
  /// The version of Esri's protocol that replies declare.
  static let full = "10.9.1"

  /// The version as a number with two decimals, as Esri's services write it.
  static let text = "10.91"
}
