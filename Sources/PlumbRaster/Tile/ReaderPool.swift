import PlumbCore

/// A worker's state between jobs: open readers for a limited number of files, and scratch memory
/// for tiles. If another reader is needed, the least recently used reader is closed.
package final class ReaderPool {
  private struct Opened {
    var reader: any TileReader
    var lastUse: Int
  }

  private let limit: Int
  private var opened: [UInt32: Opened] = [:]
  private var clock = 0
  private var scratches: [TileBuffer] = []
  private var longitudes: [UInt32: ClosedRange<Double>?] = [:]

  package init(limit: Int) { self.limit = max(1, limit) }

  package func reader(id: UInt32, for source: any TileSource) throws(RasterError) -> any TileReader
  {
    clock += 1
    if let index = opened.index(forKey: id) {
      opened.values[index].lastUse = clock
      return opened.values[index].reader
    }
    if opened.count >= limit, let oldest = opened.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      opened[oldest.key] = nil
    }
    let reader = try open(source)
    opened[id] = Opened(reader: reader, lastUse: clock)
    return reader
  }

  /// Closes all readers, because a reader whose read was cancelled may treat data that it has not
  /// read as missing.
  func closeAll() { opened = [:] }

  /// Opens a reader. If this fails, for example because too few file descriptors are available,
  /// closes the other readers and retries.
  private func open(_ source: any TileSource) throws(RasterError) -> any TileReader {
    do throws(RasterError) {
      return try source.makeReader()
    } catch {
      if opened.isEmpty { throw error }
      opened = [:]
      return try source.makeReader()
    }
  }

  /// The range of x along the edge of a file according to its reader's mapping; nil if the range
  /// cannot be determined. It is computed once.
  func longitudes(
    id: UInt32, of grid: TileGrid, _ reader: any TileReader
  ) throws(RasterError) -> ClosedRange<Double>? {
    if let known = longitudes[id] { return known }
    let steps = 16
    let (w, h) = (Double(grid.width), Double(grid.height))
    var x: [Double] = []
    var y: [Double] = []
    for step in 0...steps {
      let share = Double(step) / Double(steps)
      x += [w * share, w * share, 0, w]
      y += [0, h, h * share, h * share]
    }
    try reader.mapFromGrid(x: &x, y: &y, count: x.count)
    var range: ClosedRange<Double>?
    let known = x.filter(\.isFinite)
    if let low = known.min(), let high = known.max() {
      // Between two of the computed points, the edge may extend beyond their range.
      let margin = (high - low) / Double(steps)
      range = low - margin...high + margin
    }
    longitudes[id] = .some(range)
    return range
  }

  /// Memory for a tile that is not kept, valid until the same worker's next job.
  ///
  /// - Parameter number: the index among the tiles that one job needs at the same time.
  func scratch(number: Int, byteCount: Int) -> TileBuffer {
    while scratches.count <= number { scratches.append(TileBuffer(byteCount: byteCount)) }
    if scratches[number].bytes.count != byteCount {
      scratches[number] = TileBuffer(byteCount: byteCount)
    }
    return scratches[number]
  }
}
