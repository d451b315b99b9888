import PlumbCore
import PlumbRaster
import Synchronization

/// A raster of doubles in memory, for tests of the code between tiles and results.
final class MemorySource: TileSource {
  let path: String
  let profile: RasterProfile
  var route: String { "memory" }
  var files: [String] { [path] }
  /// The cells of each band, row by row.
  let bands: [[Double]]
  /// The tiles that cannot be read.
  let broken: Set<Int>
  /// The planes that cannot be read.
  let brokenPlanes: Set<Int>
  /// The number of reads of each tile, by plane and tile.
  let reads = Mutex<[[Int]: Int]>([:])

  init(
    path: String = "memory", width: Int, height: Int, tile: (width: Int, height: Int),
    transform: GridTransform = .identity, reference: String? = nil, noData: Double? = nil,
    broken: Set<Int> = [], brokenPlanes: Set<Int> = [], bands: [[Double]]
  ) {
    self.brokenPlanes = brokenPlanes
    self.path = path
    self.bands = bands
    self.broken = broken
    profile = RasterProfile(
      grid: TileGrid(width: width, height: height, tileWidth: tile.width, tileHeight: tile.height),
      mapping: .affine(transform), reference: reference,
      bands: bands.map { _ in
        Band(pixelType: .float64, validity: noData.map { .noData(.real($0)) } ?? .all)
      }, isInterleaved: false)
  }

  func makeReader() throws(RasterError) -> any TileReader { Reader(self) }

  private final class Reader: TileReader {
    let source: MemorySource
    init(_ source: MemorySource) { self.source = source }

    func readTile(
      plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      source.reads.withLock { $0[[plane, tile], default: 0] += 1 }
      if source.broken.contains(tile) || source.brokenPlanes.contains(plane) {
        throw RasterError("tile \(tile) is broken")
      }
      let grid = source.profile.grid
      let window = grid.window(tile: tile)
      let values = buffer.bindMemory(to: Double.self)
      // Padding whose use would change the results.
      values.initialize(repeating: 1e300)
      for row in 0..<window.height {
        for column in 0..<window.width {
          values[row * grid.tileWidth + column] =
            source.bands[plane][(window.row + row) * grid.width + window.column + column]
        }
      }
    }
  }
}

extension RasterSampler {
  /// Samples at points given as columns, the same in each of the sampler's CRSs.
  func sample(x: [Double], y: [Double], keepsProvenance: Bool = false) -> [RasterAnswer] {
    let (xs, ys) = (TrivialBuffer(x), TrivialBuffer(y))
    let points = PointCoordinates(x: xs.base, y: ys.base, count: x.count)
    return withExtendedLifetime((xs, ys)) {
      sample(references.map { _ in points }, keepsProvenance: keepsProvenance)
    }
  }
}
