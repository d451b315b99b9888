import PlumbCore

/// The data for looking up points in the files of a mosaic.
struct MosaicMembers: Sendable {
  /// Contains no reference-counted members.
  private struct Member: Sendable {
    var locator: CellLocator
    var splitter: TileSplitter
    /// The index of the CRS among the raster's; -1 for a file without a plane grid.
    var reference: Int
    var hasPeriod: Bool
  }

  private let members: [Member]
  /// The number of each file's first tile among all tiles, followed by the total.
  private let firstTiles: [Int]

  init(_ raster: Raster) {
    var firstTiles = [0]
    members = raster.members.indices.map { number in
      let profile = raster.members[number].profile
      let grid = profile.grid
      firstTiles.append(firstTiles[number] + grid.tileCount)
      var (placement, reference) = (GridPlacement.affine(.identity), -1)
      if let own = profile.mapping.placement {
        (placement, reference) = (own, raster.memberReferences[number])
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

  /// Returns the number of a tile among those of all files.
  func key(_ member: Int32, _ tile: UInt32) -> UInt64 {
    UInt64(truncatingIfNeeded: firstTiles[Int(member)] + Int(tile))
  }

  /// The numbers of a file's tiles among those of all files.
  func keys(of member: Int) -> Range<Int> { firstTiles[member]..<firstTiles[member + 1] }

  /// The tile of a visit, numbered within its file.
  func tile(of visit: MosaicVisit) -> Int { Int(visit.key) - firstTiles[Int(visit.member)] }

  /// The file of a tile, and its number within the file.
  func memberAndTile(of key: UInt64) -> (member: Int, tile: Int) {
    var (low, high) = (0, firstTiles.count)
    while low < high {
      let middle = (low + high) / 2
      if firstTiles[middle] <= Int(key) { low = middle + 1 } else { high = middle }
    }
    return (low - 1, Int(key) - firstTiles[low - 1])
  }

  /// Returns the cell of a point in a file with a plane grid, with a negative column if there is none; nil
  /// for other files.
  ///
  /// - Parameter points: the points in each of the raster's CRSs.
  @inline(__always)
  func cell(
    _ member: Int32, of raster: Raster, _ points: [PointCoordinates], _ point: Int
  ) -> (column: Int32, row: Int32)? {
    let own = members[Int(member)]
    guard own.reference >= 0 else { return nil }
    let points = points[own.reference]
    var cell: (column: Int32, row: Int32) = (0, 0)
    own.locator.locate(
      x: points.x + point, y: points.y + point, count: 1, columns: &cell.column, rows: &cell.row)
    if cell.column < 0, own.hasPeriod,
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

/// A mosaic and a batch's points in its CRSs, for looking up single points.
struct MosaicSearch: Sendable {
  /// The next step of a point in a mosaic.
  enum NextCell {
    case cell(member: Int32, tile: UInt32, offset: UInt32)
    /// A member whose control points or polynomials cannot be used; it may contain the point.
    case unmapped
    case nowhere
  }

  let request: RasterSampler.Request
  let index: MosaicIndex
  /// The points in each of the raster's CRSs.
  let points: [PointCoordinates]
  var members: MosaicMembers { index.members }

  init(
    _ request: RasterSampler.Request, _ index: MosaicIndex, _ points: [PointCoordinates]
  ) {
    self.request = request
    self.index = index
    self.points = points
  }

  fileprivate func visit(_ member: Int32, column: Int32, row: Int32) -> NextCell {
    let (tile, offset) = members.split(member, column: column, row: row)
    return .cell(member: member, tile: tile, offset: offset)
  }
}

extension RasterSampler {
  /// Returns the next file after `previous` with a cell at a point, and that cell.
  func nextCell(
    _ search: MosaicSearch, _ point: Int, after previous: Int32, worker: Int,
    _ block: borrowing CellBlock
  ) -> MosaicSearch.NextCell {
    var previous = previous
    while let member = search.index.next(
      after: previous, coordinates: search.points, point: point)
    {
      previous = member
      if let cell = search.members.cell(
        member, of: search.request.raster, search.points, point)
      {
        if cell.column >= 0 {
          return search.visit(member, column: cell.column, row: cell.row)
        }
        continue
      }
      let raster = search.request.raster
      let source = raster.members[Int(member)]
      do throws(RasterError) {
        try locate(
          source, id: raster.firstSourceID + UInt32(member),
          coordinates: search.points[raster.memberReferences[Int(member)]], first: point,
          count: 1, worker: worker, into: block)
      } catch {
        keepFailure(source.path, error)
        return .unmapped
      }
      if block.columns[0] >= 0 {
        return search.visit(member, column: block.columns[0], row: block.rows[0])
      }
    }
    return .nowhere
  }
}

/// A tile of a mosaic, ordered as points visit tiles: by its file's level, then by its number among those of
/// all files.
struct MosaicTile: Comparable {
  var level: Int
  var key: Int

  static let lowest = MosaicTile(level: -1, key: 0)
  static let highest = MosaicTile(level: .max, key: 0)

  static func < (a: MosaicTile, b: MosaicTile) -> Bool { (a.level, a.key) < (b.level, b.key) }
}

extension MosaicSearch {
  func tile(of visit: MosaicVisit) -> MosaicTile {
    MosaicTile(level: Int(index.levels.levels[Int(visit.member)]), key: Int(visit.key))
  }
}

/// Points that wait for the next file they visit, level by level.
struct MosaicQueue {
  private let levels: [Int32]
  /// The lowest level that may have points.
  private var level = 0
  private var visits: [[MosaicVisit]]

  init(_ levels: MosaicLevels) {
    self.levels = levels.levels
    visits = [[MosaicVisit]](repeating: [], count: levels.count)
  }

  /// Returns the level at which points wait for a file. Because of rounding, files may overlap that have no
  /// order in the levels.
  ///
  /// - Parameters:
  ///   - own: the level of the file.
  ///   - done: the level that the points come from.
  static func level(_ own: Int, after done: Int) -> Int { max(own, done + 1) }

  /// - Parameter done: the level that the points come from.
  mutating func append(_ points: [MosaicVisit], after done: Int) {
    for visit in points {
      let level = Self.level(Int(levels[Int(visit.member)]), after: done)
      while visits.count <= level { visits.append([]) }
      visits[level].append(visit)
    }
  }

  /// Returns the lowest level with points, and the points; nil if there are none.
  mutating func next() -> (level: Int, visits: [MosaicVisit])? {
    while level < visits.count {
      defer { level += 1 }
      if !visits[level].isEmpty {
        let points = visits[level]
        visits[level] = []
        return (level, points)
      }
    }
    return nil
  }
}
