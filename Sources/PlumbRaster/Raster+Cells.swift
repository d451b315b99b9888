import PlumbCore

extension Raster {
  /// The same raster in the coordinates of its grid: x is the column and y the row, counted from 0 at
  /// the first cell's corner, in no spatial reference. A point belongs to the cell that holds it.
  ///
  /// - Throws: for a mosaic, whose files each have columns and rows of their own, and for a source that
  ///   gives values at points.
  public func inCells() throws(RasterError) -> Raster {
    guard members.count == 1 else {
      throw RasterError(
        "\(name.printable) has \(members.count) files, each with columns and rows of its own: name "
          + "one of them to ask for cells", code: .badOption)
    }
    guard members[0].pointValues == nil else {
      throw RasterError(
        "\(name.printable) is asked at points alone: its columns and rows are not known",
        code: .badOption)
    }
    return try Raster(name: name, members: [CellSource(members[0])])
  }

  /// - Throws: where nothing says where a file's cells lie, so that no point can be brought to them.
  package func checkGeoreference() throws(RasterError) {
    for member in members {
      if case .none(let reason) = member.profile.mapping {
        throw .notGeoreferenced(isMosaic ? member.path : name, reason)
      }
    }
  }

  /// Whether points are columns and rows.
  package var isInCells: Bool { members[0] is CellSource }
}

/// Another source whose points are columns and rows.
private final class CellSource: TileSource {
  private let base: any TileSource
  let profile: RasterProfile

  init(_ base: any TileSource) {
    self.base = base
    let own = base.profile
    profile = RasterProfile(
      grid: own.grid, mapping: .affine(.identity), reference: nil, bands: own.bands,
      isInterleaved: own.isInterleaved)
  }

  var path: String { base.path }
  var route: String { base.route }
  var files: [String] { base.files }
  var isRemote: Bool { base.isRemote }
  var fetched: FetchCost { base.fetched }

  func makeReader() throws(RasterError) -> any TileReader { try base.makeReader() }
  func fetch(_ demand: TileDemand) -> TileFetch? { base.fetch(demand) }
  func cost(of demand: TileDemand) -> FetchCost { base.cost(of: demand) }
}
