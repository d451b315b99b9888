import PlumbBatch

/// Bounds that no setting changes.
enum ServiceLimits {
  /// Features in one reply of a query.
  static let records = 2000
  /// Pixels of a picture's side.
  static let pictureSide = 4096
  /// Bytes of memory that the shapes of a vector picture may take.
  static let vectorPicture = 128 << 20
  /// Bytes of memory that the values of a request's JSON may take: a million points take 128 MB.
  static let tree = 160 << 20
  /// Bytes of an answer that is made in memory.
  static let reply = 64 << 20
  /// What of rows that are answered is in memory at once.
  static var rows: RowLimits {
    var limits = RowLimits()
    (limits.rowBytes, limits.answerBytes, limits.points) = (24 << 20, 24 << 20, 1 << 18)
    return limits
  }
  /// Bytes of a line of a table.
  static let line = 4 << 20
  /// Vertices of a shape in a request.
  static let vertices = 250_000
  /// Vertices of two shapes whose geodesic distance is asked: 1 kB of memory each.
  static let geodesicVertices = 100_000
}
