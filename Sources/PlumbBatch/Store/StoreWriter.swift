import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbRaster

/// Writes the chunks of some dates of a variable.
///
/// For each window, the tiles of all files are decoded on all workers, and then its chunks are
/// compressed and written on all workers.
struct StoreWriter: Sendable {
  let variable: StoreVariable
  let array: ZarrArray
  /// The dates of the store that are written, all in one chunk of the time axis, and their layers.
  let dates: Range<Int>
  let layers: ArraySlice<StoreVariable.Layer>
  let layout: StoreLayout
  /// The folder in which chunks are written, and the folder to which they are moved; nil to leave them.
  let folder: String
  let target: String?
  /// Whether existing chunks in `target` are complete and are not written again.
  let continues: Bool
  let workers: Workers
  let readers: WorkerStates<StoreReader>
  let packers: WorkerStates<StorePacker>

  /// - Parameter finish: called after each window with the number of its cells.
  func write(_ finish: (Int) -> Void) throws {
    let cellBytes = array.type.byteCount
    let memory = TrivialBuffer<UInt8>(
      count: layout.windowWidth * layout.windowHeight * dates.count * cellBytes)
    for window in layout.windows {
      try WorkCancellation.checkCurrent()
      if continues, isWritten(window) {
        finish(window.width * window.height)
        continue
      }
      try read(window, into: memory)
      try pack(window, from: memory)
      finish(window.width * window.height)
    }
  }

  /// Whether all chunks of a window exist.
  private func isWritten(_ window: CellWindow) -> Bool {
    guard let target else { return false }
    let rows =
      window.row / layout.chunkHeight...(window.row + window.height - 1) / layout.chunkHeight
    let columns =
      window.column / layout.chunkWidth...(window.column + window.width - 1) / layout.chunkWidth
    let time = dates.lowerBound / array.chunks[0]
    return rows.allSatisfy { row in
      columns.allSatisfy {
        FileKind(path: "\(target)/\(array.chunkName([time, row, $0]))") == .file
      }
    }
  }

  /// A few tiles of one layer.
  private struct Job {
    var layer: Int
    var tiles: Range<Int>
  }

  /// Decodes the tiles of all layers in a window.
  private func read(_ window: CellWindow, into memory: TrivialBuffer<UInt8>) throws {
    let planeBytes = window.width * window.height * array.type.byteCount
    var jobs: [Job] = []
    var largest = 1
    // If there are few layers, the tiles of each layer are divided among the workers.
    let parts = max(1, 4 * workers.count / max(1, layers.count))
    for (number, layer) in layers.enumerated() {
      let profile = layer.source.profile
      let plane = profile.plane(band: layer.band)
      largest = max(largest, profile.tileByteCount(plane: plane), profile.grid.cellsPerTile)
      let count = Self.tiles(of: profile.grid, in: window).count
      let size = (count + parts - 1) / parts
      jobs += stride(from: 0, to: count, by: max(1, size)).map {
        Job(layer: number, tiles: $0..<min(count, $0 + size))
      }
    }
    let target = SharedPointer(UnsafeMutableRawPointer(memory.base))
    // Fewer workers decode tiles that need much memory.
    let team = Workers(count: min(workers.count, max(1, (256 << 20) / largest)))
    let list = jobs
    _ = try team.map(jobs.count) { worker, number -> Void in
      try WorkCancellation.checkCurrent()
      let job = list[number]
      let layer = layers[layers.startIndex + job.layer]
      let tiles = Self.tiles(of: layer.source.profile.grid, in: window)
      do {
        try readers[worker].read(
          layer, tiles[job.tiles], window, variable,
          into: target.pointer + job.layer * planeBytes)
      } catch {
        throw PlumbError(MessageTemplate(layer.source.path.printable), error)
      }
    }
  }

  /// The numbers of the tiles that intersect a window.
  private static func tiles(of grid: TileGrid, in window: CellWindow) -> [Int] {
    let rows = window.row / grid.tileHeight...(window.row + window.height - 1) / grid.tileHeight
    let columns =
      window.column / grid.tileWidth...(window.column + window.width - 1) / grid.tileWidth
    return rows.flatMap { row in columns.map { row * grid.tilesAcross + $0 } }
  }

  /// Compresses and writes the chunks of a window.
  private func pack(_ window: CellWindow, from memory: TrivialBuffer<UInt8>) throws {
    let across = (window.width + layout.chunkWidth - 1) / layout.chunkWidth
    let down = (window.height + layout.chunkHeight - 1) / layout.chunkHeight
    let source = SharedPointer(UnsafeRawPointer(memory.base))
    let length = array.chunks[0]
    let timeChunk = dates.lowerBound / length
    let first = dates.lowerBound - timeChunk * length
    _ = try Workers(count: packers.count).map(across * down) { worker, job -> Void in
      try WorkCancellation.checkCurrent()
      let (row, column) = (job / across * layout.chunkHeight, job % across * layout.chunkWidth)
      let part = CellWindow(
        column: column, row: row, width: min(layout.chunkWidth, window.width - column),
        height: min(layout.chunkHeight, window.height - row))
      let indices = [
        timeChunk, (window.row + row) / layout.chunkHeight,
        (window.column + column) / layout.chunkWidth,
      ]
      let packer = packers[worker]
      do {
        try packer.begin(indices, keepsDates: first > 0, isWhole: isWhole(part))
      } catch {
        throw PlumbError(MessageTemplate((target ?? folder).printable), error)
      }
      packer.copy(
        from: source.pointer, part, of: window, dates: first..<first + dates.count)
      try packer.write(indices, folder: folder, target: target)
    }
  }

  /// Whether the dates and the cells of a window fill its chunk.
  private func isWhole(_ part: CellWindow) -> Bool {
    dates.count == array.chunks[0] && part.width == layout.chunkWidth
      && part.height == layout.chunkHeight
  }
}
