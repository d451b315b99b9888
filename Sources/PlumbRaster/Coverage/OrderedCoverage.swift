/// The coverage of areas, ordered by the tiles that contain the centres of the areas, so that consecutive
/// areas have tiles in common.
package struct OrderedCoverage: Sendable {
  let coverage: CoverageParts
  /// The index of each area in the original coverage; nil if its areas were not moved.
  let originals: [Int32]?
  /// The order of the areas, as indices in `coverage`.
  private let order: [Int32]
  /// The width and height of the tiles that determine the order.
  private let tiles: SIMD2<Int>

  /// Orders areas along the tiles of a grid.
  ///
  /// - Parameter movesAreas: whether the areas are moved in memory, which is faster if they are read several
  ///   times.
  package init(_ coverage: CoverageParts, along grid: TileGrid, movesAreas: Bool = false) {
    tiles = SIMD2(grid.tileWidth, grid.tileHeight)
    let order = Self.order(coverage, along: grid)
    if movesAreas {
      (self.coverage, originals) = (coverage.reordered(order), order)
      self.order = Array(0..<Int32(order.count))
    } else {
      (self.coverage, originals, self.order) = (coverage, nil, order)
    }
  }

  /// The indices of the areas in the order of the tiles of another grid.
  func order(along grid: TileGrid) -> [Int32] {
    tiles == SIMD2(grid.tileWidth, grid.tileHeight) ? order : Self.order(coverage, along: grid)
  }

  private static func order(_ coverage: CoverageParts, along grid: TileGrid) -> [Int32] {
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
