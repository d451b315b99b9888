import PlumbCore
import PlumbRaster
import Synchronization

/// A tile of a folder with an index. The profile is read from the index. The file is opened when
/// one of the tile's cells is first requested.
final class IndexedTileSource: TileSource {
  let path: String
  let profile: RasterProfile
  let route: String
  let files: [String]
  private let open: @Sendable () throws -> any TileSource
  private let opened = Mutex<Result<any TileSource, RasterError>?>(nil)

  /// - Parameters:
  ///   - tile: the entry of the index.
  ///   - folder: the folder of the tile, with a slash at its end.
  ///   - open: opens the file.
  init(
    path: String, _ tile: FolderIndex.Tile, folder: String,
    open: @escaping @Sendable () throws -> any TileSource
  ) {
    self.path = path
    profile = tile.profile
    route = tile.route
    files = tile.files.map { folder + $0 }
    self.open = open
  }

  private var source: Result<any TileSource, RasterError> {
    opened.withLock { state in
      if let state { return state }
      let result = openOnce()
      // A failure of cancelled work does not apply to other work.
      if case .failure = result, WorkCancellation.isCurrentCancelled { return result }
      state = result
      return result
    }
  }

  func makeReader() throws(RasterError) -> any TileReader { try source.get().makeReader() }

  func overview(atMost factor: Double) -> (any TileSource)? {
    (try? source.get())?.overview(atMost: factor)
  }

  private func openOnce() -> Result<any TileSource, RasterError> {
    do {
      let source = try open()
      guard source.profile.readsAlike(profile) else {
        return .failure(
          RasterError(
            "it differs from the index of its folder; make the index again, or remove it"))
      }
      return .success(source)
    } catch {
      return .failure(RasterError(error))
    }
  }
}

extension RasterProfile {
  /// Whether cells have the same positions, bytes and meaning in both profiles.
  fileprivate func readsAlike(_ other: RasterProfile) -> Bool {
    grid == other.grid && mapping == other.mapping && isInterleaved == other.isInterleaved
      && bands.count == other.bands.count
      && zip(bands, other.bands).allSatisfy {
        $0.pixelType == $1.pixelType && $0.scale == $1.scale && $0.offset == $1.offset
          && $0.isSameValidity($1)
      }
  }
}

extension Band {
  /// Whether the same cells are valid in both bands; NaN counts as equal to NaN.
  fileprivate func isSameValidity(_ other: Band) -> Bool {
    if case .noData(.real(let a)) = validity, case .noData(.real(let b)) = other.validity {
      return a == b || a.isNaN && b.isNaN
    }
    return validity == other.validity
  }
}
