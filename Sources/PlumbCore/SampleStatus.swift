/// What became of one point on one raster, or on one band of it.
public enum SampleStatus: UInt8, Sendable, Hashable, CaseIterable {
  /// A value was read.
  case ok
  /// The cell holds the band's nodata value or NaN.
  case nodata
  /// The cell is masked out by a mask band or by transparent alpha.
  case masked
  /// The point lies off the raster.
  case outside
  /// The point has no counterpart in the raster's spatial reference.
  case transformFailed
  /// The tile that holds the cell could not be read.
  case readError
  /// The row has no usable point: not a number, NaN, a null geometry, not one point.
  case badPoint

  /// The word in output columns.
  public var name: String {
    switch self {
    case .ok: "ok"
    case .nodata: "nodata"
    case .masked: "masked"
    case .outside: "outside"
    case .transformFailed: "transform_failed"
    case .readError: "read_error"
    case .badPoint: "bad_point"
    }
  }
}
