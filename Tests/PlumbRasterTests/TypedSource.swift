import PlumbCore
import Synchronization

@testable import PlumbRaster

/// A raster in memory with cells of any type, band by band or interleaved.
final class TypedSource: TileSource {
  let path = "typed"
  let route = "memory"
  let files: [String] = []
  let profile: RasterProfile
  /// The cells of each plane's bands, row by row, followed by those of the masks.
  let cells: [[Double]]
  /// The number of reads of each tile, by plane and tile.
  let reads = Mutex<[[Int]: Int]>([:])

  /// - Parameters:
  ///   - masks: 0 where a cell is masked; as many masks as bands, or none.
  ///   - period: the period of x.
  init(
    _ type: PixelType, width: Int, height: Int, tile: (width: Int, height: Int),
    validity: [Validity], isInterleaved: Bool, bands: [[Double]], masks: [[Double]] = [],
    transform: GridTransform = .identity, period: Double? = nil, scale: Double = 1,
    offset: Double = 0
  ) {
    cells = bands + masks
    profile = RasterProfile(
      grid: TileGrid(width: width, height: height, tileWidth: tile.width, tileHeight: tile.height),
      mapping: .affine(transform), reference: nil, longitudePeriod: period,
      bands: validity.map { Band(pixelType: type, validity: $0, scale: scale, offset: offset) },
      isInterleaved: isInterleaved)
  }

  func makeReader() throws(RasterError) -> any TileReader { Reader(self) }

  private final class Reader: TileReader {
    let source: TypedSource
    init(_ source: TypedSource) { self.source = source }

    func readTile(
      plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      source.reads.withLock { $0[[plane, tile], default: 0] += 1 }
      let (profile, grid) = (source.profile, source.profile.grid)
      for byte in buffer.indices { buffer[byte] = 0xAB }
      let window = grid.window(tile: tile)
      let isMask = plane >= profile.pixelPlanes
      let bands =
        isMask
        ? [profile.bands.count + plane - profile.pixelPlanes]
        : profile.isInterleaved ? Array(profile.bands.indices) : [plane]
      for row in 0..<window.height {
        for column in 0..<window.width {
          let cell = (window.row + row) * grid.width + window.column + column
          var index = (row * grid.tileWidth + column) * profile.cellStride(plane: plane)
          for band in bands {
            let type = isMask ? PixelType.uint8 : profile.bands[band].pixelType
            let value = source.cells[band][cell]
            let stored: CellValue =
              type.isFloatingPoint ? .float64(value) : .signed(Int64(value))
            stored.store(as: type, at: buffer.baseAddress! + index)
            index += type.byteCount
          }
        }
      }
    }
  }
}
