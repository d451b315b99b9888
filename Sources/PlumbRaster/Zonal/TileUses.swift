import Synchronization

/// For each tile, counts the areas that have not been read yet, so that the tile can be removed from the
/// cache after its last use.
final class TileUses: Sendable {
  private let members: [ZonalGrid.Member]
  /// The index in `counts` of the first tile of each file.
  private let starts: [Int]
  private let counts: Mutex<[UInt32]>

  /// The number of tiles above which uses are not counted.
  private static let tileLimit = 1 << 22
  /// The number of files above which uses are not counted, because each area is compared with each file.
  private static let fileLimit = 64

  /// - Returns: nil if there are too many tiles or files.
  init?(_ areas: [CoverageStore.Area], of cells: ZonalGrid) {
    guard cells.members.count <= Self.fileLimit else { return nil }
    members = cells.members
    var (starts, tileCount) = ([Int](), 0)
    for member in cells.members {
      starts.append(tileCount)
      tileCount += member.profile.grid.tileCount
      guard tileCount <= Self.tileLimit else { return nil }
    }
    self.starts = starts
    counts = Mutex([UInt32](repeating: 0, count: tileCount))
    counts.withLock { counts in
      for area in areas {
        forEachTile(of: area.window) { counts[starts[$0] + $1] += 1 }
      }
    }
  }

  /// Subtracts one use of each tile of the areas.
  ///
  /// - Returns: the files, and the tiles in them, that no other area needs.
  func remove(_ windows: [CellWindow]) -> [(member: ZonalGrid.Member, tile: Int)] {
    counts.withLock { counts in
      var unused: [(member: ZonalGrid.Member, tile: Int)] = []
      for window in windows {
        forEachTile(of: window) { member, tile in
          let index = starts[member] + tile
          counts[index] -= 1
          if counts[index] == 0 { unused.append((members[member], tile)) }
        }
      }
      return unused
    }
  }

  /// Calls a function for each tile in the extent of an area.
  @inline(__always)
  private func forEachTile(of window: CellWindow, _ body: (_ member: Int, _ tile: Int) -> Void) {
    guard window.width > 0 else { return }
    for (index, member) in members.enumerated() {
      guard let part = member.window.intersection(window) else { continue }
      let tiles = member.tiles(in: part)
      for down in tiles.down {
        for across in tiles.across { body(index, down * member.profile.grid.tilesAcross + across) }
      }
    }
  }
}
