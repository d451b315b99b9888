import CTIFF
import PlumbCore
import PlumbIO
import PlumbRaster

/// A plain TIFF whose tiles are located by libtiff and decoded by Plumb, or by libtiff for rare
/// codecs. The source uses one handle per worker, and neither a lock nor a block cache.
///
/// The profile comes from another source, usually GDAL, which merges side files, tags and world
/// files. `TIFFTileSource` supports only layouts for which it reads the same bytes as the other
/// source.
public final class TIFFTileSource: TileSource {
  /// The path of the file that libtiff opens.
  public let path: String
  /// The raster's profile, with the tiles of the file.
  public let profile: RasterProfile
  /// The name of the tile decoder that `plumb info` and `--explain` print: `Plumb` or `libtiff`.
  public var route: String { layout.format.codec == .other ? "libtiff" : "Plumb" }
  /// The paths of the file and of the side files that describe it.
  public var files: [String] { other.files }
  let layout: TIFFLayout
  /// The remote file; nil for a local file.
  let remote: RemoteFile?
  let other: any TileSource

  /// - Parameters:
  ///   - path: the path of the file.
  ///   - other: the same file read by another library, with one plane per band. `other` provides
  ///     the profile, and reads the cells that libtiff cannot decode. The tile sizes in the profile
  ///     are replaced with the tile sizes of the file.
  ///   - largestTile: the size limit of a tile in bytes; files with larger tiles are not supported.
  /// - Returns: nil if the file's layout is not supported.
  public convenience init?(path: String, other: any TileSource, largestTile: Int) {
    self.init(path: path, other: other, largestTile: largestTile, remote: nil)
  }

  /// - Parameters:
  ///   - remote: the remote file; nil for a local file.
  ///   - decodesItself: whether Plumb decodes the tiles; if false, libtiff decodes all tiles.
  package init?(
    path: String, other: any TileSource, largestTile: Int, remote: RemoteFile? = nil,
    decodesItself: Bool = true
  ) {
    let profile = other.profile
    guard let handle = TIFFHandle(path: path, remote: remote, largestTile: largestTile),
      var layout = TIFFLayout(handle.tiff, profile: profile, largestTile: largestTile)
    else { return nil }
    if !decodesItself { layout.format.codec = .other }
    self.path = path
    self.remote = remote
    self.layout = layout
    self.other = other
    var levelProfile = profile
    levelProfile.grid = layout.grid
    levelProfile.isInterleaved = layout.isInterleaved
    self.profile = levelProfile
  }

  /// Opens the file again for one worker: a libtiff handle belongs to one thread at a time.
  ///
  /// - Throws: if the file can no longer be opened.
  public func makeReader() throws(RasterError) -> any TileReader {
    guard let handle = openHandle() else { throw RasterError("it can no longer be opened") }
    return TIFFTileReader(handle, profile: profile, layout: layout, other: other)
  }

  /// The overview as read by the other library.
  public func overview(atMost factor: Double) -> (any TileSource)? {
    other.overview(atMost: factor)
  }

  func openHandle() -> TIFFHandle? {
    TIFFHandle(path: path, remote: remote, largestTile: profile.tileByteCount(plane: 0))
  }
}
