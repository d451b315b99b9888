import PlumbCore

/// The grid of a raster's cells: the grid of its single file, or the common grid of the cells of
/// all files.
package struct ZonalGrid: Sendable {
  /// A file of the raster. The type is a class, because it is used for each tile of each area and
  /// must be cheap to pass.
  final class Member: Sendable {
    let source: any TileSource
    let profile: RasterProfile
    /// The number of the file in the cache of tiles.
    let sourceID: UInt32
    /// The window of the grid that the file covers.
    let window: CellWindow
    /// The windows in which earlier files overlap this file, and the windows in which later files
    /// overlap it.
    let earlier: [CellWindow]
    let later: [CellWindow]

    init(
      source: any TileSource, sourceID: UInt32, window: CellWindow, earlier: [CellWindow],
      later: [CellWindow]
    ) {
      (self.source, profile, self.sourceID) = (source, source.profile, sourceID)
      (self.window, self.earlier, self.later) = (window, earlier, later)
    }

    /// Whether other files contain some of the file's cells.
    var overlaps: Bool { !earlier.isEmpty || !later.isEmpty }

    /// The planes that contain the values and the validity of bands.
    func planes(of bands: [Int]) -> Set<Int> {
      var planes: Set<Int> = []
      for band in bands {
        planes.insert(profile.plane(band: band))
        switch profile.bands[band].validity {
        case .all, .noData: break
        case .alpha(let alpha): planes.insert(profile.plane(band: alpha))
        case .mask: planes.insert(profile.maskPlane(band: band))
        }
      }
      return planes
    }

    /// The rows and columns of the tiles in a part of the file's window.
    func tiles(in part: CellWindow) -> (down: ClosedRange<Int>, across: ClosedRange<Int>) {
      let (top, left) = (part.row - window.row, part.column - window.column)
      let (height, width) = (profile.grid.tileHeight, profile.grid.tileWidth)
      return (
        top / height...(top + part.height - 1) / height,
        left / width...(left + part.width - 1) / width
      )
    }
  }

  /// The cells, and the size of the first file's tiles.
  package let grid: TileGrid
  /// The placement of the cells.
  package let transform: GridTransform
  /// The CRS; nil if unknown.
  package let reference: String?
  /// The period of x if x is a longitude; nil otherwise.
  package let longitudePeriod: Double?
  let members: [Member]

  /// The allowed distance, in cells, between a file's cells and the cells of the grid.
  private static let tolerance = 1e-4

  /// - Throws: for files whose cells differ in size or are not on one grid.
  package init(_ raster: Raster) throws(RasterError) {
    try raster.checkGeoreference()
    guard raster.references.count == 1 else {
      throw Self.unsupported(raster, "its files differ in their CRS")
    }
    guard case .affine(let first) = raster.members[0].profile.mapping else {
      throw Self.unsupported(raster, "its cells differ in size")
    }
    var windows: [CellWindow] = []
    for member in raster.members {
      guard case .affine(let transform) = member.profile.mapping, member.pointValues == nil else {
        throw Self.unsupported(raster, "its cells differ in size")
      }
      guard let offset = Self.offset(of: transform, on: first, member.profile.grid) else {
        throw Self.unsupported(raster, "the cells of its files are not on one grid")
      }
      let grid = member.profile.grid
      windows.append(
        CellWindow(column: offset.column, row: offset.row, width: grid.width, height: grid.height))
    }
    let column = windows.map(\.column).min() ?? 0
    let row = windows.map(\.row).min() ?? 0
    let width = windows.map { $0.column + $0.width - column }.max() ?? 0
    let height = windows.map { $0.row + $0.height - row }.max() ?? 0
    guard width < Int(Int32.max), height < Int(Int32.max) else {
      throw Self.unsupported(raster, "its files are too far apart")
    }
    let profile = raster.members[0].profile
    grid = TileGrid(
      width: width, height: height, tileWidth: profile.grid.tileWidth,
      tileHeight: profile.grid.tileHeight)
    transform = first.moved(column: Double(column), row: Double(row))
    (reference, longitudePeriod) = (profile.reference, profile.longitudePeriod)
    let moved = windows.map {
      CellWindow(
        column: $0.column - column, row: $0.row - row, width: $0.width, height: $0.height)
    }
    members = raster.members.indices.map { index in
      Member(
        source: raster.members[index], sourceID: raster.firstSourceID &+ UInt32(index),
        window: moved[index], earlier: moved[..<index].compactMap { $0.intersection(moved[index]) },
        later: moved[(index + 1)...].compactMap { $0.intersection(moved[index]) })
    }
  }

  private static func unsupported(_ raster: Raster, _ reason: String) -> RasterError {
    RasterError(
      "\(raster.name.printable): areas need cells of one size on one grid, and \(reason)",
      code: .unsupported)
  }

  /// Returns the position of a grid's first cell on another grid; nil if the cells are not cells of
  /// the other grid.
  private static func offset(
    of transform: GridTransform, on other: GridTransform, _ grid: TileGrid
  ) -> (column: Int, row: Int)? {
    func position(_ column: Int, _ row: Int) -> SIMD2<Double> {
      let (x, y) = transform.coordinates(column: Double(column), row: Double(row))
      let (column, row) = other.gridPosition(x: x, y: y)
      return SIMD2(column, row)
    }
    let start = position(0, 0)
    guard abs(start.x) < 1e9, abs(start.y) < 1e9 else { return nil }
    let nearest = SIMD2(start.x.rounded(), start.y.rounded())
    // Three corners are tested, because cells that differ in size or rotation may share one corner.
    for (column, row) in [(0, 0), (grid.width, 0), (0, grid.height)] {
      let off = position(column, row) - nearest - SIMD2(Double(column), Double(row))
      guard abs(off.x) <= tolerance, abs(off.y) <= tolerance else { return nil }
    }
    return (Int(nearest.x), Int(nearest.y))
  }
}

extension ZonalGrid: Equatable {
  /// Whether the cells are equal, regardless of their values and of the files and tiles that
  /// contain them.
  package static func == (a: ZonalGrid, b: ZonalGrid) -> Bool {
    a.grid.width == b.grid.width && a.grid.height == b.grid.height && a.transform == b.transform
      && a.reference == b.reference
  }
}
