import PlumbCore

extension Raster {
  /// Returns the same raster in the coordinates of its grid, without a CRS. x is the column and y
  /// the row, counted from 0 at the first cell's corner. A point belongs to the cell that contains
  /// it.
  ///
  /// - Throws: for a mosaic, because each of its files has separate columns and rows, and for a
  ///   source that returns values for points.
  public func inCells() throws(RasterError) -> Raster {
    guard members.count == 1 else {
      throw RasterError(
        "\(name.printable) has \(members.count) files, with separate columns and rows: name "
          + "one of them to read cells", code: .badOption)
    }
    guard members[0].pointValues == nil else {
      throw RasterError(
        "\(name.printable) can be sampled by coordinates only: its columns and rows are not known",
        code: .badOption)
    }
    return try Raster(name: name, members: [CellSource(members[0])])
  }

  /// - Throws: if a file is not georeferenced, because points cannot be located in it.
  package func checkGeoreference() throws(RasterError) {
    for member in members {
      if case .none(let reason) = member.profile.mapping {
        throw .notGeoreferenced(isMosaic ? member.path : name, reason)
      }
    }
  }

  /// Whether each tile contains the values of several dates.
  package var hasDatesTogether: Bool {
    guard members.count == 1 else { return false }
    let profile = members[0].profile
    return profile.isInterleaved && profile.bands.count > 1
      && profile.bands.allSatisfy { $0.date != nil }
  }

  /// Whether the coordinates of points are columns and rows.
  package var isInCells: Bool { members[0] is CellSource }
}

/// Wraps a source, so that the coordinates of points are columns and rows.
private final class CellSource: TileSource {
  private let base: any TileSource
  let profile: RasterProfile

  init(_ base: any TileSource) {
    self.base = base
    let baseProfile = base.profile
    profile = RasterProfile(
      grid: baseProfile.grid, mapping: .affine(.identity), reference: nil, bands: baseProfile.bands,
      isInterleaved: baseProfile.isInterleaved)
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
