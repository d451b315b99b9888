import PlumbCore
import PlumbRaster

/// The chunks of a variable, and the windows in which a run writes them.
///
/// A window has all dates of its cells in memory. Its sides are multiples of the sides of the
/// chunks and, if possible, of the files' tiles, so that each tile is decoded once.
struct StoreLayout: Sendable {
  let width: Int
  let height: Int
  let chunkWidth: Int
  let chunkHeight: Int
  private(set) var windowWidth: Int
  private(set) var windowHeight: Int

  /// The usual size in bytes of a window: large enough to be worth starting all workers.
  static let usualWindow = 48 << 20

  /// The side lengths of chunks of about `bytes` bytes, each with `cellBytes` bytes per cell.
  ///
  /// - Parameter grid: the grid of the files, and their tiles.
  static func chunk(
    of grid: TileGrid, cellBytes: Int, bytes: Int
  ) -> (width: Int, height: Int) {
    let cells = max(1, Double(bytes) / Double(cellBytes))
    let height = length(cells.squareRoot(), extent: grid.height, tile: grid.tileHeight)
    let width = length(cells / Double(height), extent: grid.width, tile: grid.tileWidth)
    // If the raster is narrow, its chunks are taller.
    guard width == grid.width else { return (width, height) }
    return (
      width, length(cells / Double(width), extent: grid.height, tile: grid.tileHeight)
    )
  }

  /// The length of chunks along an axis: about `wanted`, and a divisor or a multiple of the length
  /// of tiles unless none of these lengths is near `wanted`.
  private static func length(_ wanted: Double, extent: Int, tile: Int) -> Int {
    let wanted = max(1, wanted)
    let count = max(1, (Double(extent) / wanted).rounded())
    let even = Int((Double(extent) / count).rounded(.up))
    guard tile > 1, tile < extent, wanted < Double(extent) else { return even }
    func ratio(_ length: Int) -> Double { max(Double(length) / wanted, wanted / Double(length)) }
    var candidates = [min(extent, tile * max(1, Int((wanted / Double(tile)).rounded())))]
    var divisor = 1
    while divisor * divisor <= tile {
      if tile % divisor == 0 { candidates += [divisor, tile / divisor] }
      divisor += 1
    }
    guard let best = candidates.min(by: { ratio($0) < ratio($1) }), ratio(best) < 2 else {
      return even
    }
    return best
  }

  /// - Parameters:
  ///   - grid: the grid of the files, and their tiles.
  ///   - chunk: the sides of the chunks.
  ///   - cellBytes: the size of a cell with all dates that are written together.
  ///   - memory: the maximum size of a window in bytes.
  ///   - window: the size of a window in bytes, unless the tiles need a larger window.
  /// - Throws: if one chunk exceeds the limit.
  init(
    of grid: TileGrid, chunk: (width: Int, height: Int), cellBytes: Int, memory: Int,
    window: Int = StoreLayout.usualWindow
  ) throws(PlumbError) {
    (width, height) = (grid.width, grid.height)
    (chunkWidth, chunkHeight) = chunk
    func multiple(_ length: Int, _ unit: Int) -> Int { (length + unit - 1) / unit * unit }
    let cell = Double(cellBytes)
    let limit = Double(memory) / cell
    guard Double(chunk.width) * Double(chunk.height) <= limit else {
      throw PlumbError(
        messageTemplate: "a chunk of \(chunk.width) x \(chunk.height) cells with all dates exceeds "
          + "\(memory >> 20) MB of memory", code: .limit,
        remedies: ["choose a smaller \(.chunkSize)"])
    }
    var across = multiple(min(grid.tileWidth, grid.width), chunk.width)
    var down = multiple(min(grid.tileHeight, grid.height), chunk.height)
    if Double(across) * Double(down) > limit {
      // Tiles that are in several windows are decoded for each of them.
      across = max(1, Int(limit / Double(down)) / chunk.width) * chunk.width
      if Double(across) * Double(down) > limit {
        down = max(1, Int(limit / Double(across)) / chunk.height) * chunk.height
      }
    }
    let usual = min(limit, Double(window) / cell)
    across *= max(1, Int(usual / (Double(across) * Double(down))))
    windowWidth = min(across, multiple(grid.width, chunk.width))
    let rest = max(1, Int(usual / (Double(windowWidth) * Double(down))))
    windowHeight = min(down * rest, multiple(grid.height, chunk.height))
  }

  /// The windows row by row. Those at the right and bottom edges are smaller.
  var windows: [CellWindow] {
    stride(from: 0, to: height, by: windowHeight).flatMap { row in
      stride(from: 0, to: width, by: windowWidth).map { column in
        CellWindow(
          column: column, row: row, width: min(windowWidth, width - column),
          height: min(windowHeight, height - row))
      }
    }
  }
}
