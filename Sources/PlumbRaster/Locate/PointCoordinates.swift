/// A batch of points in one CRS; x is the easting or longitude.
///
/// - Invariant: the arrays outlive the call that receives them, and are not modified during the call.
public struct PointCoordinates: @unchecked Sendable {
  /// The easting or longitude of each point: `count` doubles that outlive the call.
  public var x: UnsafePointer<Double>
  /// The northing or latitude of each point: `count` doubles that outlive the call.
  public var y: UnsafePointer<Double>
  /// `SampleStatus` raw values; nil if all are `ok`. Only `ok` points are looked up.
  public var status: UnsafePointer<UInt8>?
  /// The number of points.
  public var count: Int

  /// Creates coordinates in the caller's memory.
  public init(
    x: UnsafePointer<Double>, y: UnsafePointer<Double>, status: UnsafePointer<UInt8>? = nil,
    count: Int
  ) {
    self.x = x
    self.y = y
    self.status = status
    self.count = count
  }
}
