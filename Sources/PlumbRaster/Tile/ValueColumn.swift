import PlumbCore

/// One band's values at a batch of points, in the stored type, with a status for each point.
///
/// - Invariant: workers write disjoint elements, and no element is read before all elements are
///   written.
public final class ValueColumn: @unchecked Sendable {
  /// The type of the values: the band's type, or `float64` if the values are interpolated.
  public let pixelType: PixelType
  /// The number of points.
  public let count: Int
  /// The `count` values, valid for the lifetime of the column.
  public let bytes: UnsafeMutableRawPointer
  /// The `SampleStatus` raw value of each point. The value of a point whose status is not `ok` is
  /// undefined.
  public let status: TrivialBuffer<UInt8>
  /// Whether the values' memory belongs to the caller.
  private let isBorrowed: Bool

  /// Allocates a column with capacity for `count` values. The values and statuses are undefined.
  public init(pixelType: PixelType, count: Int) {
    self.pixelType = pixelType
    self.count = count
    bytes = LargeMemory.allocate(byteCount: max(1, count) * pixelType.byteCount)
    status = TrivialBuffer(count: count)
    isBorrowed = false
  }

  /// Creates a column in memory of the caller. The memory must outlive the column.
  ///
  /// - Parameters:
  ///   - values: memory for `count` values, suitably aligned; nil to allocate it.
  ///   - status: memory for `count` statuses; nil to allocate it.
  package init(
    pixelType: PixelType, count: Int, values: UnsafeMutableRawPointer?,
    status: UnsafeMutablePointer<UInt8>?
  ) {
    self.pixelType = pixelType
    self.count = count
    isBorrowed = values != nil
    bytes = values ?? LargeMemory.allocate(byteCount: max(1, count) * pixelType.byteCount)
    self.status =
      status.map { TrivialBuffer(borrowing: $0, count: count) } ?? TrivialBuffer(count: count)
  }

  deinit {
    if isBorrowed { return }
    LargeMemory.deallocate(bytes, byteCount: max(1, count) * pixelType.byteCount)
  }

  /// The status of a point in this band.
  public func status(at index: Int) -> SampleStatus {
    SampleStatus(rawValue: status[index]) ?? .readError
  }

  /// The value at a point; nil if its status is not `ok`.
  public subscript(index: Int) -> CellValue? {
    guard status(at: index) == .ok else { return nil }
    return CellValue(pixelType, at: bytes + index * pixelType.byteCount)
  }
}

/// The values of one raster at a batch of points.
public struct RasterAnswer: Sendable {
  /// A column for each requested band, in the order of the request.
  public var columns: [ValueColumn]
  /// The cell of each value; nil if provenance is not requested.
  public var provenance: Provenance?
  /// The date of each value; nil unless dates are matched to the points' times.
  public var dates: Dates?
  /// The indices of the columns that determine whether a point has a value. An alpha band also has
  /// values where the other bands are transparent, so its column is included only if no other band
  /// is requested.
  let valueColumns: [Int]

  init(columns: [ValueColumn], provenance: Provenance?, bands: [Int], alphaBands: Set<Int>) {
    self.columns = columns
    self.provenance = provenance
    let values = bands.indices.filter { !alphaBands.contains(bands[$0]) }
    valueColumns = values.isEmpty ? Array(bands.indices) : values
  }

  /// The matched date of each point.
  public struct Dates: Sendable {
    /// The date in microseconds since 1970-01-01T00:00:00Z; the least integer if there is none.
    public var time: TrivialBuffer<Int64>
    /// The date minus the point's time, in days; NaN if there is no date.
    public var days: TrivialBuffer<Double>
    /// The number of dates that were tried; negative for points that are not usable.
    public var tried: TrivialBuffer<Int32>
    /// The distance in metres from the point to the centre of the cell that is used, 0 for the cell
    /// that contains the point, and NaN without a result; nil if no other cells are searched.
    public var distance: TrivialBuffer<Double>?

    package init(count: Int, hasDistances: Bool = false) {
      (time, days) = (TrivialBuffer(count: count), TrivialBuffer(count: count))
      tried = TrivialBuffer(count: count)
      distance = hasDistances ? TrivialBuffer(count: count) : nil
    }
  }

  /// Creates an answer whose columns differ from the requested bands, such as statistics of several dates.
  ///
  /// - Parameter valueColumns: the indices of the columns that determine whether a point has a value.
  package init(columns: [ValueColumn], valueColumns: [Int]) {
    (self.columns, self.valueColumns) = (columns, valueColumns)
  }

  /// The cell that was used at each point.
  public struct Provenance: Sendable {
    /// The index of the file in the raster; -1 if no cell was used.
    public var member: TrivialBuffer<Int32>
    /// The cell's column in its file; -1 if no cell was used.
    public var column: TrivialBuffer<Int32>
    /// The cell's row in its file; -1 if no cell was used.
    public var row: TrivialBuffer<Int32>
  }

  /// The status of a point: `ok` if any band other than alpha has a value, otherwise the status of
  /// the first band.
  public func status(at index: Int) -> SampleStatus {
    for column in valueColumns where columns[column].status[index] == SampleStatus.ok.rawValue {
      return .ok
    }
    return valueColumns.first.map { columns[$0].status(at: index) } ?? .outside
  }

  /// The number of points, among the first `count`, at which a band could not be read.
  package func unreadRows(of count: Int) -> Int {
    var unread: [Bool] = []
    for column in columns {
      let status = UnsafeBufferPointer(start: column.status.base, count: count)
      guard status.contains(SampleStatus.readError.rawValue) else { continue }
      if unread.isEmpty { unread = Array(repeating: false, count: count) }
      for row in 0..<count where status[row] == SampleStatus.readError.rawValue {
        unread[row] = true
      }
    }
    return unread.count { $0 }
  }
}
