/// The coverage of areas in the order of the tiles that contain their centres, so that consecutive
/// areas have tiles in common.
package struct OrderedCoverage: Sendable {
  /// The coverage with the areas in this order.
  let store: CoverageStore
  /// The index of each area in the original coverage.
  let originals: [Int32]
  /// The width and height of the tiles that determine the order.
  private let tiles: SIMD2<Int>

  /// Orders areas along the tiles of a grid.
  package init(_ coverage: CoverageStore, along grid: TileGrid) {
    tiles = SIMD2(grid.tileWidth, grid.tileHeight)
    originals = Self.order(coverage, along: grid)
    store = coverage.reordered(originals)
  }

  /// The indices of the areas in `store`, in the order of the tiles of another grid; nil if `store`
  /// is already in this order.
  func positions(along grid: TileGrid) -> [Int32]? {
    tiles == SIMD2(grid.tileWidth, grid.tileHeight) ? nil : Self.order(store, along: grid)
  }

  private static func order(_ coverage: CoverageStore, along grid: TileGrid) -> [Int32] {
    let keys = coverage.areas.map { area -> Int in
      let row = (area.window.row + area.window.height / 2) / grid.tileHeight
      let column = (area.window.column + area.window.width / 2) / grid.tileWidth
      // Every second row of tiles is ordered from right to left, so that consecutive tiles are
      // adjacent.
      return row * grid.tilesAcross + (row % 2 == 0 ? column : grid.tilesAcross - 1 - column)
    }
    return (0..<Int32(keys.count)).sorted { a, b in
      let (first, second) = (keys[Int(a)], keys[Int(b)])
      return first == second ? a < b : first < second
    }
  }
}
