import PlumbCore

/// What one worker keeps between jobs: open readers for a bounded number of files (the least
/// recently used one is closed when another is needed), and scratch for tiles.
final class ReaderPool {
  private struct Opened {
    var reader: any TileReader
    var lastUse: Int
  }

  private let limit: Int
  private var opened: [UInt32: Opened] = [:]
  private var clock = 0
  private var scratches: [TileBuffer] = []

  init(limit: Int) { self.limit = max(1, limit) }

  func reader(id: UInt32, for source: any TileSource) throws(RasterError) -> any TileReader {
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

  /// Opens a reader; should the process have too few file descriptors left, the others give up
  /// theirs.
  private func open(_ source: any TileSource) throws(RasterError) -> any TileReader {
    do throws(RasterError) {
      return try source.makeReader()
    } catch {
      if opened.isEmpty { throw error }
      opened = [:]
      return try source.makeReader()
    }
  }

  /// Memory for a tile that nobody keeps, valid until the next job of the same worker.
  ///
  /// - Parameter number: which of the tiles that one job needs at once.
  func scratch(number: Int, byteCount: Int) -> TileBuffer {
    while scratches.count <= number { scratches.append(TileBuffer(byteCount: byteCount)) }
    if scratches[number].bytes.count != byteCount {
      scratches[number] = TileBuffer(byteCount: byteCount)
    }
    return scratches[number]
  }
}
