import PlumbCore
import PlumbRaster
import PlumbSandbox

/// Reads tiles in helper processes: one process for each concurrent worker.
final class HelperTileReader: TileReader {
  private let source: HelperSource
  private let profile: RasterProfile
  let blockRows: Int?
  let readsWholeBlocks: Bool
  /// The size in bytes above which the shared memory is released immediately.
  private static let keptMemory = 16 << 20

  init(_ source: HelperSource, _ profile: RasterProfile, _ details: RasterDetails) {
    (self.source, self.profile) = (source, profile)
    blockRows = max(1, details.blockHeight)
    readsWholeBlocks = GDALTileReader.decodesWholeBlocks(details.driver)
  }

  func readTile(
    plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(RasterError) {
    guard let base = buffer.baseAddress else { return }
    let size = profile.cellStride(plane: plane)
    try readWindow(
      plane: plane, profile.grid.window(tile: tile), into: base, cellStride: size,
      rowStride: size * profile.grid.tileWidth)
  }

  func readWindow(
    plane: Int, _ window: CellWindow, into memory: UnsafeMutableRawPointer, cellStride: Int,
    rowStride: Int
  ) throws(RasterError) {
    let size = profile.cellStride(plane: plane)
    let count = window.width * window.height * size
    do throws(GDALError) {
      try source.send(.window) { packer in
        packer.put(plane)
        packer.put(window)
      } _: { _, process throws(GDALError) in
        guard count <= process.memorySize else { throw Unpacker.fault }
        let cells = UnsafeRawPointer(process.memory.pointer)
        for row in 0..<window.height {
          let start = cells + row * window.width * size
          let target = memory + row * rowStride
          if cellStride == size {
            target.copyMemory(from: start, byteCount: window.width * size)
          } else {
            for column in 0..<window.width {
              (target + column * cellStride).copyMemory(
                from: start + column * size, byteCount: size)
            }
          }
        }
        if count > Self.keptMemory { process.releaseMemory() }
      }
    } catch {
      throw RasterError(error)
    }
  }

  func mapToGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError) {
    try transform(x, y, count, toGrid: true)
  }

  func mapFromGrid(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) throws(RasterError) {
    try transform(x, y, count, toGrid: false)
  }

  private func transform(
    _ x: UnsafeMutablePointer<Double>, _ y: UnsafeMutablePointer<Double>, _ count: Int,
    toGrid: Bool
  ) throws(RasterError) {
    do throws(GDALError) {
      var reply = try source.send(.transform) { packer in
        packer.put(toGrid)
        packer.putAll(Array(UnsafeBufferPointer(start: x, count: count)))
        packer.putAll(Array(UnsafeBufferPointer(start: y, count: count)))
      }
      for target in [x, y] {
        let values = try reply.readAll(Double.self)
        guard values.count == count else { throw Unpacker.fault }
        target.update(from: values, count: count)
      }
    } catch {
      throw RasterError(error)
    }
  }
}
