import PlumbCore
import PlumbRaster

/// Reads the tiles of files on one worker.
final class StoreReader {
  private let pool: ReaderPool
  private var cells = TrivialBuffer<UInt8>(count: 1)
  private var masks = TrivialBuffer<UInt8>(count: 1)

  /// - Parameter fileLimit: the maximum number of open files.
  init(fileLimit: Int) { pool = ReaderPool(limit: fileLimit) }

  /// Reads the cells of tiles into a window.
  ///
  /// - Parameters:
  ///   - tiles: the numbers of tiles that intersect the window.
  ///   - target: the cells of the window, row by row, in the type of the variable.
  func read(
    _ layer: StoreVariable.Layer, _ tiles: ArraySlice<Int>, _ window: CellWindow,
    _ variable: StoreVariable, into target: UnsafeMutableRawPointer
  ) throws(RasterError) {
    let profile = layer.source.profile
    let reader = try pool.reader(id: layer.file, for: layer.source)
    let plane = profile.plane(band: layer.band)
    for tile in tiles {
      let bytes = Self.memory(&cells, profile.tileByteCount(plane: plane))
      try reader.readTile(plane: plane, tile: tile, into: bytes)
      guard let base = bytes.baseAddress else { return }
      let size = variable.sourceType.byteCount
      var copy = StoreCopy(
        source: base + (profile.isInterleaved ? layer.band * size : 0),
        stride: profile.cellStride(plane: plane), tile: profile.grid.window(tile: tile),
        tileWidth: profile.grid.tileWidth, window: window, target: target)
      copy.mask = try mask(layer, tile, reader, base)
      copy.run(variable)
    }
  }

  /// The mask of a tile; nil if there is none.
  private func mask(
    _ layer: StoreVariable.Layer, _ tile: Int, _ reader: any TileReader,
    _ base: UnsafeMutableRawPointer
  ) throws(RasterError) -> StoreCopy.Mask? {
    let profile = layer.source.profile
    let plane: Int
    let size: Int
    let offset: Int
    switch profile.bands[layer.band].validity {
    case .all, .noData: return nil
    case .alpha(let alpha):
      size = profile.bands[alpha].pixelType.byteCount
      plane = profile.plane(band: alpha)
      offset = profile.isInterleaved ? alpha * size : 0
      if profile.isInterleaved {
        return StoreCopy.Mask(
          source: base + offset, stride: profile.cellStride(plane: plane), size: size)
      }
    case .mask:
      plane = profile.maskPlane(band: layer.band)
      (size, offset) = (1, 0)
    }
    let bytes = Self.memory(&masks, profile.tileByteCount(plane: plane))
    try reader.readTile(plane: plane, tile: tile, into: bytes)
    return bytes.baseAddress.map {
      StoreCopy.Mask(source: $0 + offset, stride: profile.cellStride(plane: plane), size: size)
    }
  }

  /// Returns `count` bytes of a buffer that is reused for all tiles, and enlarges the buffer if necessary.
  private static func memory(
    _ buffer: inout TrivialBuffer<UInt8>, _ count: Int
  ) -> UnsafeMutableRawBufferPointer {
    if buffer.count < count { buffer = TrivialBuffer(count: count) }
    return UnsafeMutableRawBufferPointer(start: buffer.base, count: count)
  }
}
