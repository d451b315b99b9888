import PlumbBatch
import PlumbGeometry

/// The fixed limits of requests and replies.
enum ServiceLimits {
  /// The maximum number of features in one query reply.
  static let records = 2000
  /// The maximum side of a picture in pixels.
  static let pictureSide = 4096
  /// The maximum memory for the values of a request's JSON, in bytes. A million points take 32 MB,
  /// or 128 MB if one coordinate of each point is an integer.
  static let tree = 96 << 20
  /// The maximum size of a reply in memory, in bytes.
  static let reply = 64 << 20
  /// The limits of the rows that are in memory at the same time.
  static var rows: RowLimits {
    var limits = RowLimits()
    (limits.rowBytes, limits.answerBytes, limits.points) = (24 << 20, 24 << 20, 1 << 18)
    return limits
  }
  /// The maximum length of a table line in bytes.
  static let line = 4 << 20
  /// The maximum size of a row group of a Parquet table in bytes, before compression.
  static let rowGroup = 64 << 20
  /// The maximum number of vertices of a shape in a request.
  static let vertices = 250_000
  /// The maximum number of vertices of a buffer.
  static let bufferVertices = 100_000
  /// The maximum number of vertices of all buffers in a reply of the geometry service, and of a
  /// union of buffers.
  static let joinedVertices = 500_000
  /// The method for geodesic buffers with these limits.
  static var geodesicBuffer: BufferMethod {
    var options = GeodesicBufferOptions(vertexLimit: bufferVertices)
    options.joinedVertexLimit = joinedVertices
    return .geodesic(options)
  }
  /// The maximum number of distinct cell values of one area, and of values that the results of a batch
  /// of areas list.
  static let zonalValues = 500_000
  /// The maximum number of vertices of the shapes in all rows of a reply of zonal statistics.
  static let zonalVertices = 5_000_000
  /// The maximum number of cells that the edges of an area cross.
  static let edgeCells = 4_000_000
  /// The maximum number of vertices of two shapes for a geodesic distance. Each vertex takes 1 kB
  /// of memory.
  static let geodesicVertices = 100_000
}
