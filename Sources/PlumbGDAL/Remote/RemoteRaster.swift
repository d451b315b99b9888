import CGDAL
import PlumbCore
import PlumbIO
import Synchronization

/// A TIFF behind a URL that GDAL, libtiff and Plumb read through the same requests, and the files
/// beside it that a listing names.
package final class RemoteRaster: Sendable {
  /// The TIFF's own bytes.
  package let file: RemoteFile
  /// What messages call it.
  let shown: String
  /// What GDAL opens.
  let gdalName: String
  private let address: RemoteAddress
  let settings: HTTPSettings
  /// Nil where the user has settings of their own for folders.
  private let folder: RemoteFolder?
  /// Files beside it by name; nil for one that is not there.
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

  /// Opens what a name stands for; one that is open already is the same.
  ///
  /// - Returns: nil for what GDAL opens by itself.
  /// - Throws: when the server does not give it.
  static func open(_ path: String, _ access: GDALAccess) throws(GDALError) -> RemoteRaster? {
    guard access.allowsNetwork || access.fetching != nil, let address = RemoteAddress(path),
      access.fetching == nil || address.url != nil,
      let settings = access.fetching ?? HTTPSettings(gdalPath: path)
    else { return nil }
    if let known = RemoteFileSystem.raster(called: address.shown, settings) { return known }
    // While the folder is looked at, the file is opened.
    let isWalled = access.fetching != nil
    let folder =
      RemoteFolder.isAsked || isWalled
      ? BackgroundValue {
        var folder = RemoteFolder(besides: address, settings)
        if isWalled { folder.keepPlainNames(of: address.fileName) }
        return folder
      } : nil
    let file: RemoteFile
    do throws(HTTPError) {
      file = try RemoteFile.open(settings: settings) { () throws(HTTPError) in
        try address.resolve()
      }
    } catch {
      // GDAL may know another way into a bucket.
      guard address.url != nil else { return nil }
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

  /// The file itself or one beside it, by the name behind the number in GDAL's.
  func file(named name: String) -> RemoteFile? {
    if name == shown { return file }
    let end = shown.firstIndex { $0 == "?" || $0 == "#" } ?? shown.endIndex
    guard let slash = shown[..<end].lastIndex(of: "/"), name.hasPrefix(shown[...slash]) else {
      return nil
    }
    let own = String(name.dropFirst(shown[...slash].count))
    guard !own.contains("/"), folder?.names.contains(own) ?? true else { return nil }
    return siblings.withLock { siblings in
      if let known = siblings[own] { return known }
      guard let address = address.sibling(own) else { return nil }
      do throws(HTTPError) {
        let opened = try RemoteFile.open(settings: settings) { () throws(HTTPError) in
          try address.resolve()
        }
        siblings[own] = .some(opened)
        return opened
      } catch {
        // One that a listing names is there: without it (a mask) cells would mean something else.
        if folder?.names.contains(own) == true, error.code != .notFound {
          ThreadAccess.current.networkFault = "\(own.printable): \(error.message)"
        } else {
          siblings[own] = .some(nil)
        }
        return nil
      }
    }
  }

  /// What GDAL calls the file of its mask; nil where a listing names none.
  var maskName: String? {
    // Behind a query GDAL looks for none.
    guard !shown.contains(where: { $0 == "?" || $0 == "#" }),
      let name = folder?.names.first(where: { $0.hasSuffix(".msk") })
    else { return nil }
    return gdalName + name.dropFirst(address.fileName.count)
  }

  /// Calls `body` with the files beside it as the list that GDAL takes.
  func withSiblings<Result>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    folder?.withSiblings(of: shown, body) ?? body(nil)
  }

  /// Calls `body`, in which files are opened that have none beside them unless a listing names them.
  func withQuietOpening<Result>(_ body: () -> Result) -> Result {
    folder?.withQuietOpening(body) ?? body()
  }

  /// What has been asked for it and for what belongs to it.
  package var statistics: RemoteFile.Statistics {
    let beside = siblings.withLock { $0.values.compactMap { $0?.statistics } }
    let listing = folder?.statistics ?? RemoteFile.Statistics()
    return beside.reduce(file.statistics + listing, +)
  }
}
