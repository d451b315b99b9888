import PlumbCore

/// A batch of points in one CRS; x is the easting or longitude.
///
/// - Invariant: the arrays outlive the call that receives them, and are not modified during the
///   call.
public struct PointCoordinates: @unchecked Sendable {
  /// The easting or longitude of each point: `count` doubles that outlive the call.
  public var x: UnsafePointer<Double>
  /// The northing or latitude of each point: `count` doubles that outlive the call.
  public var y: UnsafePointer<Double>
  /// The `SampleStatus` raw value of each point; nil if all are `ok`. Only points with the status
  /// `ok` are located.
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

  /// Whether a point can be located.
  @inline(__always)
  func isOK(_ point: Int) -> Bool {
    guard let status else { return true }
    return status[point] == SampleStatus.ok.rawValue
  }

  /// The status of a point that is not in a cell.
  ///
  /// - Parameter column: `CellLocator.outside` or `CellLocator.failed`.
  @inline(__always)
  func reason(_ point: Int, column: Int32) -> UInt8 {
    let pointStatus = status?[point] ?? SampleStatus.ok.rawValue
    if pointStatus != SampleStatus.ok.rawValue { return pointStatus }
    return (column == CellLocator.failed ? SampleStatus.transformFailed : .outside).rawValue
  }
}
