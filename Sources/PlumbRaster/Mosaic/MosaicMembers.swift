import PlumbCore

/// The data that are needed to locate points in the files of a mosaic.
struct MosaicMembers: Sendable {
  /// The data of one file. This type contains no reference-counted members.
  private struct Member: Sendable {
    var locator: CellLocator
    var splitter: TileSplitter
    /// The index of the CRS in the raster's `references`; -1 for a file without an affine transform
    /// or axes.
    var reference: Int
    var hasPeriod: Bool
  }

  private let members: [Member]
  /// The number of each file's first tile among the tiles of all files, followed by the total
  /// number of tiles.
  private let firstTiles: [Int]

  init(_ raster: Raster) {
    var firstTiles = [0]
    members = raster.members.indices.map { number in
      let profile = raster.members[number].profile
      let grid = profile.grid
      firstTiles.append(firstTiles[number] + grid.tileCount)
      var (placement, reference) = (GridPlacement.affine(.identity), -1)
      if let memberPlacement = profile.mapping.placement {
        (placement, reference) = (memberPlacement, raster.memberReferences[number])
      }
      return Member(
        locator: CellLocator(width: grid.width, height: grid.height, placement: placement),
        splitter: TileSplitter(grid), reference: reference,
        hasPeriod: profile.longitudePeriod != nil)
    }
    self.firstTiles = firstTiles
  }

  /// The number of tiles in all files.
  var tileCount: Int { firstTiles[firstTiles.count - 1] }

  /// Returns the number of a tile among the tiles of all files.
  func key(_ member: Int32, _ tile: UInt32) -> UInt64 {
    UInt64(truncatingIfNeeded: firstTiles[Int(member)] + Int(tile))
  }

  /// The numbers of a file's tiles among the tiles of all files.
  func keys(of member: Int) -> Range<Int> { firstTiles[member]..<firstTiles[member + 1] }

  /// The number of a visit's tile within its file.
  func tile(of visit: MosaicVisit) -> Int { Int(visit.key) - firstTiles[Int(visit.member)] }

  /// The file of a tile, and the tile's number within this file.
  func memberAndTile(of key: UInt64) -> (member: Int, tile: Int) {
    var (low, high) = (0, firstTiles.count)
    while low < high {
      let middle = (low + high) / 2
      if firstTiles[middle] <= Int(key) { low = middle + 1 } else { high = middle }
    }
    return (low - 1, Int(key) - firstTiles[low - 1])
  }

  /// Returns the cell of a point, with a negative column if the file does not contain the point;
  /// nil for a file without an affine transform or axes.
  ///
  /// - Parameter points: the points in each of the raster's CRSs.
  @inline(__always)
  func cell(
    _ member: Int32, of raster: Raster, _ points: [PointCoordinates], _ point: Int
  ) -> (column: Int32, row: Int32)? {
    let entry = members[Int(member)]
    guard entry.reference >= 0 else { return nil }
    let points = points[entry.reference]
    var cell: (column: Int32, row: Int32) = (0, 0)
    entry.locator.locate(
      x: points.x + point, y: points.y + point, count: 1, columns: &cell.column, rows: &cell.row)
    if cell.column < 0, entry.hasPeriod,
      let locator = PeriodicLocator(raster.members[Int(member)].profile),
      let found = locator.find(x: points.x[point], y: points.y[point])
    {
      cell = (found.column, found.row)
    }
    return cell
  }

  @inline(__always)
  func split(
    _ member: Int32, column: Int32, row: Int32
  ) -> (tile: UInt32, offset: UInt32) {
    members[Int(member)].splitter.split(column: column, row: row)
  }
}

/// The lookup of a point in one file of a mosaic.
struct MosaicVisit: BitwiseCopyable {
  /// The number of the tile among the tiles of all files.
  var key: UInt64
  /// The offset of the point's cell in its tile, in cells.
  var offset: UInt32
  /// The index of the point in the batch.
  var row: UInt32
  var member: Int32
}
