import PlumbCore
import PlumbIO
import PlumbLayers
import PlumbRaster

/// The points of a run, divided into parts of equal size, except that the last part may be smaller.
/// A single part is kept in memory. Several parts are stored in a temporary file, which is read
/// part by part.
final class PointSpool {
  private(set) var count = 0
  /// The number of points per part.
  private let size: Int
  private var last: PointProjector.Columns
  /// The times of the points in `last`; nil if points have no times.
  private var lastTimes: TrivialBuffer<Int64>?
  /// The index of the part in `last`, and the number of points in that part.
  private var (number, filled) = (0, 0)
  private var file: SpillFile?
  /// The offset of each part that has been written.
  private var offsets: [Int] = []
  /// The caller's points, if they are the only part.
  private let block: PointCoordinates?

  private var pointBytes: Int { lastTimes == nil ? 17 : 25 }

  /// - Parameters:
  ///   - size: the number of points per part; at least 1.
  ///   - hasTimes: whether points have times.
  init(size: Int, hasTimes: Bool = false) {
    self.size = size
    last = PointProjector.Columns(count: size)
    lastTimes = hasTimes ? TrivialBuffer(count: size) : nil
    block = nil
  }

  /// Creates a spool that uses the memory of the points without a copy. The points must outlive the
  /// spool.
  ///
  /// - Parameter times: the time of each point; nil if points have no times.
  init(of points: PointCoordinates, times: [Int64]? = nil) {
    (size, count, block) = (max(1, points.count), points.count, points)
    last = PointProjector.Columns(count: 0)
    lastTimes = times.map { TrivialBuffer($0) }
  }

  /// Creates a spool with one part, without times.
  init(of columns: PointProjector.Columns) {
    (size, count, filled) = (max(1, columns.x.count), columns.x.count, columns.x.count)
    (last, block) = (columns, nil)
  }

  var partCount: Int { (count + size - 1) / size }

  /// Adds points in the order of rows. Must not be called after a part has been requested, or on a
  /// spool that uses the memory of the caller's points.
  ///
  /// - Parameter times: the time of each point, if points have times.
  func append(_ points: PointCoordinates, times: [Int64]? = nil) throws {
    var done = 0
    while done < points.count {
      if filled == size {
        try spill()
        last = PointProjector.Columns(count: size)
        if lastTimes != nil { lastTimes = TrivialBuffer(count: size) }
        (number, filled) = (number + 1, 0)
      }
      let step = min(points.count - done, size - filled)
      (last.x.base + filled).update(from: points.x + done, count: step)
      (last.y.base + filled).update(from: points.y + done, count: step)
      if let status = points.status {
        (last.status.base + filled).update(from: status + done, count: step)
      } else {
        (last.status.base + filled).update(repeating: SampleStatus.ok.rawValue, count: step)
      }
      if let times, let lastTimes {
        times.withUnsafeBufferPointer { times in
          guard let base = times.baseAddress else { return }
          (lastTimes.base + filled).update(from: base + done, count: step)
        }
      }
      done += step
      filled += step
      count += step
    }
  }

  /// Returns a part. Memory that was returned earlier remains valid.
  func part(_ wanted: Int) throws -> PointCoordinates {
    if let block { return block }
    if wanted != number {
      if number == offsets.count { try spill() }
      guard let file else { preconditionFailure("several parts are in a file") }
      // Allocates new memory, because a caller may still use the memory of the previous part.
      let columns = PointProjector.Columns(count: size)
      let times = lastTimes.map { _ in TrivialBuffer<Int64>(count: size) }
      let rows = rows(of: wanted)
      var offset = offsets[wanted]
      for memory in Self.memory(columns, times, rows.count) {
        try file.read(memory, at: offset)
        offset += memory.count
      }
      (last, lastTimes, number, filled) = (columns, times, wanted, rows.count)
    }
    return PointCoordinates(
      x: last.x.base, y: last.y.base, status: last.status.base, count: filled)
  }

  /// Returns the times of a part; nil if points have no times.
  func times(of part: Int) throws -> TrivialBuffer<Int64>? {
    _ = try self.part(part)
    return lastTimes
  }

  /// Returns the rows of a part.
  func rows(of part: Int) -> Range<Int> { part * size..<min(count, (part + 1) * size) }

  /// Returns whether points are bitwise identical to the appended points that start at a row, and have the same
  /// times.
  func holds(_ points: PointCoordinates, times: [Int64]? = nil, from row: Int) throws -> Bool {
    guard row + points.count <= count else { return false }
    var done = 0
    while done < points.count {
      let (number, start) = (row + done).quotientAndRemainder(dividingBy: size)
      let part = try part(number)
      let step = min(points.count - done, part.count - start)
      for i in 0..<step {
        let rowStatus = points.status?[done + i] ?? SampleStatus.ok.rawValue
        guard part.x[start + i].bitPattern == points.x[done + i].bitPattern,
          part.y[start + i].bitPattern == points.y[done + i].bitPattern,
          part.status?[start + i] == rowStatus,
          times == nil || lastTimes?.base[start + i] == times?[done + i]
        else { return false }
      }
      done += step
    }
    return true
  }

  private func spill() throws {
    let file = try file ?? SpillFile()
    self.file = file
    var offset = file.reserve(filled * pointBytes)
    offsets.append(offset)
    for memory in Self.memory(last, lastTimes, filled) {
      try file.write(UnsafeRawBufferPointer(memory), at: offset)
      offset += memory.count
    }
  }

  private static func memory(
    _ columns: PointProjector.Columns, _ times: TrivialBuffer<Int64>?, _ count: Int
  ) -> [UnsafeMutableRawBufferPointer] {
    var memory = [
      UnsafeMutableRawBufferPointer(start: columns.x.base, count: count * 8),
      UnsafeMutableRawBufferPointer(start: columns.y.base, count: count * 8),
      UnsafeMutableRawBufferPointer(start: columns.status.base, count: count),
    ]
    if let times {
      memory.append(UnsafeMutableRawBufferPointer(start: times.base, count: count * 8))
    }
    return memory
  }
}
