/// Bounds that no setting changes.
enum ServiceLimits {
  /// Features in one reply of a query.
  static let records = 2000
  /// Pixels of a picture's side.
  static let pictureSide = 4096
  /// Vertices of a shape in a request.
  static let vertices = 1_000_000
}
