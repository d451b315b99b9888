import PlumbCore

/// One band's values at a batch of points, in the stored type, with a status for each point.
///
/// - Invariant: workers write disjoint elements before anything is read.
public final class ValueColumn: @unchecked Sendable {
  /// The type of the values: the band's own, or `float64` if they are interpolated.
  public let pixelType: PixelType
  /// The number of points.
  public let count: Int
  /// The `count` values, valid for the lifetime of the column.
  public let bytes: UnsafeMutableRawPointer
  /// `SampleStatus` raw values; the value of a point that is not `ok` is undefined.
  public let status: TrivialBuffer<UInt8>
  /// Whether the values' memory belongs to the caller.
  private let isBorrowed: Bool

  /// Allocates a column with room for `count` values; values and statuses are undefined.
  public init(pixelType: PixelType, count: Int) {
    self.pixelType = pixelType
    self.count = count
    bytes = LargeMemory.allocate(byteCount: max(1, count) * pixelType.byteCount)
    status = TrivialBuffer(count: count)
    isBorrowed = false
  }

  /// Creates a column in the caller's memory, which must outlive it.
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

  /// The value at a point, or nil if the band has none.
  public subscript(index: Int) -> CellValue? {
    guard status(at: index) == .ok else { return nil }
    return CellValue(pixelType, at: bytes + index * pixelType.byteCount)
  }
}

/// The values of one raster at a batch of points.
public struct RasterAnswer: Sendable {
  /// A column for each requested band, in that order.
  public var columns: [ValueColumn]
  /// The cell of each answer, if requested.
  public var provenance: Provenance?
  /// The columns that determine whether there is a value. An alpha band has values where the others are
  /// transparent, so it counts only if no other band is requested.
  let valueColumns: [Int]

  init(columns: [ValueColumn], provenance: Provenance?, bands: [Int], alphaBands: Set<Int>) {
    self.columns = columns
    self.provenance = provenance
    let values = bands.indices.filter { !alphaBands.contains(bands[$0]) }
    valueColumns = values.isEmpty ? Array(bands.indices) : values
  }

  /// The cell that was used at each point.
  public struct Provenance: Sendable {
    /// The index of the raster's file; -1 for none.
    public var member: TrivialBuffer<Int32>
    /// The cell's column in its file; -1 for none.
    public var column: TrivialBuffer<Int32>
    /// The cell's row in its file; -1 for none.
    public var row: TrivialBuffer<Int32>
  }

  /// `ok` if any band except alpha has a value there, else the first band's status.
  public func status(at index: Int) -> SampleStatus {
    for column in valueColumns where columns[column].status[index] == SampleStatus.ok.rawValue {
      return .ok
    }
    return valueColumns.first.map { columns[$0].status(at: index) } ?? .outside
  }

  /// The number of rows among the first `count` with a band that could not be read.
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
