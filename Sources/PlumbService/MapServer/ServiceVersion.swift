import Plumb

/// What every description begins with.
enum ServiceVersion {
  /// The version of Esri's protocol that is written.
  static let full = "10.9.1"

  /// The version in this many decimals, as Esri writes it.
  static let text = "10.91"
}
