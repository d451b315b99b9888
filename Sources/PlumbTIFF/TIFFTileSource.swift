import CTIFF
import PlumbCore
import PlumbIO
import PlumbRaster

/// A plain TIFF whose tiles are found by libtiff and decoded here, or by libtiff where the codec is a
/// rare one: no lock, no block cache, one handle a worker.
///
/// What the raster is comes from elsewhere (GDAL merges side files, tags and world files); this
/// source takes only layouts that it reads to the same bytes.
public final class TIFFTileSource: TileSource {
  /// The file that libtiff opens.
  public let path: String
  /// What the raster is, its tiles the file's own ones.
  public let profile: RasterProfile
  /// What decodes the tiles, in `plumb info` and `--explain`: `Plumb`, or `libtiff`.
  public var route: String { layout.format.codec == .other ? "libtiff" : "Plumb" }
  /// The file, and the side files that say what it is.
  public var files: [String] { other.files }
  let layout: TIFFLayout
  /// Where the bytes are; nil for a file of this machine.
  let remote: RemoteFile?
  let other: any TileSource

  /// - Parameters:
  ///   - path: of the file.
  ///   - other: the same file by another library, each band in planes of its own: what it is, and
  ///     its cells where libtiff cannot decode them. Its tiles are replaced by the file's own.
  ///   - largestTile: bytes; a file with larger tiles is not taken.
  /// - Returns: nil when the file's layout is one that this source does not cover.
  public convenience init?(path: String, other: any TileSource, largestTile: Int) {
    self.init(path: path, other: other, largestTile: largestTile, remote: nil)
  }

  /// - Parameters:
  ///   - remote: where the bytes are; nil for a file of this machine.
  ///   - decodesItself: false leaves all decoding to libtiff.
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
    var own = profile
    own.grid = layout.grid
    own.isInterleaved = layout.isInterleaved
    self.profile = own
  }

  /// Opens the file again, for one worker: a handle of libtiff belongs to one thread at a time.
  ///
  /// - Throws: when it does not open any more.
  public func makeReader() throws(RasterError) -> any TileReader {
    guard let handle = openHandle() else { throw RasterError("it cannot be opened any more") }
    return TIFFTileReader(handle, profile: profile, layout: layout, other: other)
  }

  /// As the other library reads it.
  public func overview(atMost factor: Double) -> (any TileSource)? {
    other.overview(atMost: factor)
  }

  func openHandle() -> TIFFHandle? {
    TIFFHandle(path: path, remote: remote, largestTile: profile.tileByteCount(plane: 0))
  }
}
