import PlumbCore
import PlumbGeometry
import PlumbRaster

/// The grid that all files of a store share.
struct StoreGrid: Sendable {
  let width: Int
  let height: Int
  let transform: GridTransform
  /// The CRS as in the file; nil if it has none.
  let definition: String?
  /// The path of the file, for messages.
  let path: String

  /// - Throws: for a file whose columns and rows are not evenly spaced along x and y.
  init(of file: any TileSource) throws(PlumbError) {
    let profile = file.profile
    (width, height) = (profile.grid.width, profile.grid.height)
    (definition, path) = (profile.reference, file.path)
    let reason: String
    switch profile.mapping {
    case .affine(let transform) where transform.isSeparable && file.pointValues == nil:
      self.transform = transform
      return
    case .affine: reason = "its grid is rotated"
    case .axes: reason = "its columns or rows are not evenly spaced"
    case .source: reason = "its cells are placed by control points"
    case .none(let why): reason = "it is not georeferenced: \(why)"
    }
    throw PlumbError(
      "\(file.path.printable) cannot be in a store: \(reason)", code: .unsupported,
      remedies: ["warp it to a grid first"])
  }

  /// - Throws: if another grid differs; the error names both files.
  func check(_ other: StoreGrid) throws(PlumbError) {
    let difference: String
    if (width, height) != (other.width, other.height) {
      difference = "\(other.width) x \(other.height) and \(width) x \(height) cells"
    } else if transform != other.transform {
      difference = "different geotransforms"
    } else if !hasReference(of: other) {
      difference = "different CRSs"
    } else {
      return
    }
    throw PlumbError(
      "\(other.path.printable) and \(path.printable) have \(difference); files of a store have the same grid, and "
        + "they are not resampled: warp them to one grid first", code: .unsupported)
  }

  private func hasReference(of other: StoreGrid) -> Bool {
    if definition == other.definition { return true }
    guard let mine = definition.flatMap({ try? SpatialReference($0) }),
      let theirs = other.definition.flatMap({ try? SpatialReference($0) })
    else { return false }
    return mine == theirs
  }

  /// The CRS; nil if the files have none.
  ///
  /// - Throws: for a CRS that PROJ does not know.
  func reference() throws -> SpatialReference? {
    guard let definition else { return nil }
    do {
      return try SpatialReference(definition)
    } catch {
      throw PlumbError(MessageTemplate(path.printable), error)
    }
  }

  /// The coordinates of the centres of the columns and of the rows.
  var columns: [Double] {
    (0..<width).map { transform.coordinates(column: Double($0) + 0.5, row: 0).x }
  }
  var rows: [Double] {
    (0..<height).map { transform.coordinates(column: 0, row: Double($0) + 0.5).y }
  }
}
