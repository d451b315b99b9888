import CTIFF
import PlumbCore
import PlumbRaster

/// A plain TIFF whose tiles libtiff decodes: no lock, no block cache, one handle a worker.
///
/// What the raster is comes from elsewhere (GDAL merges side files, tags and world files); this
/// source takes only layouts that it reads to the same bytes.
public final class TIFFTileSource: TileSource {
  /// The file that libtiff opens.
  public let path: String
  /// What the raster is, its tiles the file's own ones.
  public let profile: RasterProfile
  /// `libtiff`, in `plumb info` and `--explain`.
  public var route: String { "libtiff" }
  /// The file, and the side files that say what it is.
  public var files: [String] { other.files }
  let layout: TIFFLayout
  private let other: any TileSource

  /// - Parameters:
  ///   - path: of the file.
  ///   - other: the same file by another library, each band in planes of its own: what it is, and
  ///     its cells where libtiff cannot decode them. Its tiles are replaced by the file's own.
  ///   - largestTile: bytes; a file with larger tiles is not taken.
  /// - Returns: nil when the file's layout is one that this source does not cover.
  public init?(path: String, other: any TileSource, largestTile: Int) {
    let profile = other.profile
    guard let handle = TIFFHandle(path: path, largestTile: largestTile),
      let layout = TIFFLayout(handle.tiff, profile: profile, largestTile: largestTile)
    else { return nil }
    self.path = path
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
    guard let handle = TIFFHandle(path: path, largestTile: profile.tileByteCount(plane: 0)) else {
      throw RasterError("it cannot be opened any more")
    }
    return TIFFTileReader(handle, profile: profile, layout: layout, other: other)
  }
}

/// An open TIFF that closes itself, with its last message.
final class TIFFHandle {
  let tiff: OpaquePointer
  private let message: UnsafeMutablePointer<plumb_tiff_message>

  init?(path: String, largestTile: Int) {
    let message = UnsafeMutablePointer<plumb_tiff_message>.allocate(capacity: 1)
    message.initialize(to: plumb_tiff_message())
    // Twice a tile, for what a codec needs beside it, and room for the tables of offsets.
    let limit = Int64(max(64 << 20, largestTile.multipliedReportingOverflow(by: 2).partialValue))
    guard let tiff = plumb_tiff_open(path, message, limit) else {
      message.deallocate()
      return nil
    }
    self.tiff = tiff
    self.message = message
  }

  deinit {
    TIFFClose(tiff)
    message.deallocate()
  }

  func forgetMessage() { message.pointee.text.0 = 0 }

  var lastMessage: String? {
    let text = withUnsafeBytes(of: &message.pointee.text) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    return text.isEmpty ? nil : text.printable
  }
}
