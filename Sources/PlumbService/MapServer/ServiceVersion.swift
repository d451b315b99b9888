import Plumb

/// What every description begins with.
enum ServiceVersion {
  /// The version of Esri's protocol that is spoken.
  static let current = 10.91
  static let full = "10.9.1"

  /// The version in this many decimals, as Esri writes it.
  static let text = "10.91"
}
