import PlumbCore

/// The files of a mosaic as points are looked up in them.
struct MosaicMembers: Sendable {
  /// Without references to count.
  private struct Member: Sendable {
    var locator: CellLocator
    var splitter: TileSplitter
    /// The index of the points' reference among the raster's; -1 for a file whose cells lie on no plane.
    var reference: Int
    var hasPeriod: Bool
  }

  private let members: [Member]
  /// The number of each file's first tile among all tiles, and how many there are.
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

  /// Tiles of all files.
  var tileCount: Int { firstTiles[firstTiles.count - 1] }

  /// The number of a tile among those of all files.
  func key(_ member: Int32, _ tile: UInt32) -> UInt64 {
    UInt64(truncatingIfNeeded: firstTiles[Int(member)] + Int(tile))
  }

  /// The numbers of a file's tiles among those of all files.
  func keys(of member: Int) -> Range<Int> { firstTiles[member]..<firstTiles[member + 1] }

  /// The tile in its file that a point has come to.
  func tile(of visit: MosaicVisit) -> Int { Int(visit.key) - firstTiles[Int(visit.member)] }

  /// The file of a tile, and its number there.
  func memberAndTile(of key: UInt64) -> (member: Int, tile: Int) {
    var (low, high) = (0, firstTiles.count)
    while low < high {
      let middle = (low + high) / 2
      if firstTiles[middle] <= Int(key) { low = middle + 1 } else { high = middle }
    }
    return (low - 1, Int(key) - firstTiles[low - 1])
  }

  /// The cell of a point in a file with a plane grid; a negative column where there is none, nil for
  /// other files.
  ///
  /// - Parameter points: in each of the raster's references.
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

/// A mosaic and a batch's points in its references, ready to be looked up point by point.
struct MosaicSearch: Sendable {
  /// What comes next for a point in a mosaic.
  enum NextCell {
    case cell(member: Int32, tile: UInt32, offset: UInt32)
    /// A member whose control points or polynomials cannot be used: it may hold the point.
    case unmapped
    case nowhere
  }

  let request: RasterSampler.Request
  let index: MosaicIndex
  /// In each of the raster's references.
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
  /// The next file after `previous` with a cell at a point, and that cell.
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

/// A tile of a mosaic in the order in which a point comes to tiles: by its file's level, and then by its
/// number among those of all files.
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

/// Points that wait for the files that they come to next, level by level.
struct MosaicQueue {
  private let levels: [Int32]
  /// The lowest level that may have points.
  private var level = 0
  private var visits: [[MosaicVisit]]

  init(_ levels: MosaicLevels) {
    self.levels = levels.levels
    visits = [[MosaicVisit]](repeating: [], count: levels.count)
  }

  /// The level at which points wait for a file: rounding may let files meet that the levels know
  /// nothing of.
  ///
  /// - Parameters:
  ///   - own: the file's.
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

  /// The lowest level with points, and these; nil when there are none.
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
