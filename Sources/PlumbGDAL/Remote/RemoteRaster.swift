import CGDAL
import PlumbCore
import PlumbIO
import Synchronization

/// A TIFF at a URL or in a bucket, and the side files that the listing of its folder contains. GDAL, libtiff and
/// Plumb read them through the same requests.
final class RemoteRaster: Sendable {
  /// The bytes of the TIFF itself.
  package let file: RemoteFile
  /// The name in messages.
  let shown: String
  /// The name with which GDAL opens the file.
  let gdalName: String
  private let address: RemoteAddress
  let settings: HTTPSettings
  /// The folder; nil if the user has set GDAL's option that disables listings.
  private let folder: RemoteFolder?
  /// The side files by name. The value is nil for a file that does not exist.
  private let siblings = Mutex<[String: RemoteFile?]>([:])

  private init(
    _ file: RemoteFile, _ address: RemoteAddress, _ settings: HTTPSettings, _ folder: RemoteFolder?
  ) {
    self.file = file
    self.address = address
    self.settings = settings
    self.folder = folder
    shown = address.shown
    gdalName = RemoteFileSystem.newName(address.shown)
  }

  deinit { RemoteFileSystem.forget(gdalName) }

  /// Opens a remote TIFF, or returns the raster if it is already open.
  ///
  /// - Returns: nil for names that GDAL opens itself.
  /// - Throws: when the TIFF cannot be fetched.
  static func open(_ path: String, _ access: GDALAccess) throws(GDALError) -> RemoteRaster? {
    guard access.allowsNetwork || access.fetching != nil, let address = RemoteAddress(path),
      let settings = access.fetching ?? HTTPSettings(gdalPath: path)
    else { return nil }
    // The folder of a file that is not allowed must not be listed.
    do throws(HTTPError) {
      try address.check(settings)
    } catch {
      throw .network(of: address.shown, error)
    }
    if let known = RemoteFileSystem.raster(called: address.shown, settings) { return known }
    // The folder is listed while the file is opened.
    let isRestricted = access.fetching != nil
    let folder =
      RemoteFolder.isEnabled || isRestricted
      ? BackgroundValue {
        var folder = RemoteFolder(besides: address, settings)
        if isRestricted { folder.keepPlainNames(of: address.fileName) }
        return folder
      } : nil
    let file: RemoteFile
    do throws(HTTPError) {
      file = try address.open(settings)
    } catch {
      // GDAL may have other credentials for a bucket, but must not use a network for a document.
      guard address.url != nil || isRestricted else { return nil }
      throw .network(of: address.shown, error)
    }
    guard isTIFF(file) else { return nil }
    let raster = RemoteRaster(file, address, settings, try? folder?.value())
    return RemoteFileSystem.add(raster)
  }

  private static func isTIFF(_ file: RemoteFile) -> Bool {
    var start: [UInt8] = [0, 0, 0, 0]
    let count = start.withUnsafeMutableBytes { try? file.read($0, at: 0) }
    let marks: [[UInt8]] = [
      [0x49, 0x49, 0x2A, 0], [0x49, 0x49, 0x2B, 0], [0x4D, 0x4D, 0, 0x2A], [0x4D, 0x4D, 0, 0x2B],
    ]
    return count == 4 && marks.contains(start)
  }

  /// Returns the TIFF or a side file. `name` is the part of GDAL's name after the number.
  func file(named name: String) -> RemoteFile? {
    if name == shown { return file }
    let end = shown.firstIndex { $0 == "?" || $0 == "#" } ?? shown.endIndex
    guard let slash = shown[..<end].lastIndex(of: "/"), name.hasPrefix(shown[...slash]) else {
      return nil
    }
    let siblingName = String(name.dropFirst(shown[...slash].count))
    guard !siblingName.contains("/"), folder?.names.contains(siblingName) ?? true else {
      return nil
    }
    return siblings.withLock { siblings in
      if let known = siblings[siblingName] { return known }
      guard let address = address.sibling(siblingName) else { return nil }
      do throws(HTTPError) {
        let opened = try address.open(settings)
        siblings[siblingName] = .some(opened)
        return opened
      } catch {
        // A listed file exists and must be read. Without it (for example a mask), the cells would
        // have another meaning.
        if folder?.names.contains(siblingName) == true, error.code != .notFound {
          ThreadAccess.current.networkFault = "\(siblingName.printable): \(error.message)"
        } else {
          siblings[siblingName] = .some(nil)
        }
        return nil
      }
    }
  }

  /// GDAL's name of the mask file; nil if the listing does not contain one.
  var maskName: String? {
    // GDAL does not search for a mask if the address has a query.
    guard !shown.contains(where: { $0 == "?" || $0 == "#" }),
      let name = folder?.names.first(where: { $0.hasSuffix(".msk") })
    else { return nil }
    return gdalName + name.dropFirst(address.fileName.count)
  }

  /// Calls `body` with the siblings as a GDAL string list.
  func withSiblings<Result>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    folder?.withSiblings(of: shown, body) ?? body(nil)
  }

  /// Calls `body`. Files that `body` opens are opened without side files, except listed ones.
  func withQuietOpening<Result>(_ body: () -> Result) -> Result {
    folder?.withQuietOpening(body) ?? body()
  }

  /// The statistics of all requests for the TIFF and its side files.
  package var statistics: RemoteFile.Statistics {
    let beside = siblings.withLock { $0.values.compactMap { $0?.statistics } }
    let listing = folder?.statistics ?? RemoteFile.Statistics()
    return beside.reduce(file.statistics + listing, +)
  }
}
