/// The status of one point on one raster or band.
public enum SampleStatus: UInt8, Sendable, Hashable, CaseIterable {
  /// A value was read.
  case ok
  /// The cell contains the band's nodata value or NaN.
  case nodata
  /// The cell is masked by a mask band or by a transparent alpha band.
  case masked
  /// The point is outside the raster.
  case outside
  /// The point cannot be transformed to the raster's CRS.
  case transformFailed
  /// The tile with the cell could not be read.
  case readError
  /// The input row has no usable point: a coordinate is not a number or is NaN, or the geometry is
  /// null or is not a single point.
  case badPoint
  /// The row has no usable time.
  case badTime
  /// No date within the window has a valid value.
  case noValid

  /// The name of the status in output columns.
  public var name: String {
    switch self {
    case .ok: "ok"
    case .nodata: "nodata"
    case .masked: "masked"
    case .outside: "outside"
    case .transformFailed: "transform_failed"
    case .readError: "read_error"
    case .badPoint: "bad_point"
    case .badTime: "bad_time"
    case .noValid: "no_valid"
    }
  }
}
