import PlumbCore

/// One band's values at a batch of points, in the stored type, with a status for each.
///
/// - Invariant: workers write disjoint elements before anyone reads.
public final class ValueColumn: @unchecked Sendable {
  /// The type of the values: the band's own, or `float64` when they are interpolated.
  public let pixelType: PixelType
  /// How many points there are.
  public let count: Int
  /// The values, `count` of them, valid while the column lives.
  public let bytes: UnsafeMutableRawPointer
  /// `SampleStatus` raw values; the value of a point that is not `ok` is undefined.
  public let status: TrivialBuffer<UInt8>
  /// Whether the values' memory is somebody else's.
  private let isBorrowed: Bool

  /// Room for the values of so many points; values and statuses are undefined.
  public init(pixelType: PixelType, count: Int) {
    self.pixelType = pixelType
    self.count = count
    bytes = LargeMemory.allocate(byteCount: max(1, count) * pixelType.byteCount)
    status = TrivialBuffer(count: count)
    isBorrowed = false
  }

  /// Room that somebody else holds for at least as long as the column lives.
  ///
  /// - Parameters:
  ///   - values: for `count` values, aligned for them; nil for room of the column's own.
  ///   - status: for `count` statuses; nil likewise.
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

  /// What became of a point on this band.
  public func status(at index: Int) -> SampleStatus {
    SampleStatus(rawValue: status[index]) ?? .readError
  }

  /// The value at a point, or nil where the band has none.
  public subscript(index: Int) -> CellValue? {
    guard status(at: index) == .ok else { return nil }
    return CellValue(pixelType, at: bytes + index * pixelType.byteCount)
  }
}

/// What one raster holds at a batch of points.
public struct RasterAnswer: Sendable {
  /// A column for each band that was asked for, in that order.
  public var columns: [ValueColumn]
  /// The cell that answered, where it was asked for.
  public var provenance: Provenance?
  /// The columns that say whether there is a value: an alpha band has one where the others are
  /// transparent, so it counts only when it is asked alone.
  let valueColumns: [Int]

  init(columns: [ValueColumn], provenance: Provenance?, bands: [Int], alphaBands: Set<Int>) {
    self.columns = columns
    self.provenance = provenance
    let values = bands.indices.filter { !alphaBands.contains(bands[$0]) }
    valueColumns = values.isEmpty ? Array(bands.indices) : values
  }

  /// Which cell answered at each point.
  public struct Provenance: Sendable {
    /// Which of the raster's files, by its index; -1 for none.
    public var member: TrivialBuffer<Int32>
    /// The cell's column in its file; -1 for none.
    public var column: TrivialBuffer<Int32>
    /// The cell's row in its file; -1 for none.
    public var row: TrivialBuffer<Int32>
  }

  /// `ok` when any band but alpha has a value there, else the first one's reason.
  public func status(at index: Int) -> SampleStatus {
    for column in valueColumns where columns[column].status[index] == SampleStatus.ok.rawValue {
      return .ok
    }
    return valueColumns.first.map { columns[$0].status(at: index) } ?? .outside
  }

  /// How many of the first rows have a band that could not be read.
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
