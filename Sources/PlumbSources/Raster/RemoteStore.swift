import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbIO
import PlumbRaster

/// A Zarr store at a URL or in a bucket.
///
/// If a server fails to send a chunk, GDAL treats it as a chunk without data. Plumb therefore
/// requests all files of a store itself, and GDAL reads the coordinates and the CRS from a local
/// copy without the chunks of the variable.
struct RemoteStore {
  private let files: RemoteStoreFiles
  private let store: ZarrStore

  /// The maximum size of all coordinates in bytes.
  private static let byteLimit = 256 << 20
  /// The maximum number of requests at a time, and the memory for their replies.
  private static let (ahead, aheadBytes) = (32, 64 << 20)

  /// - Returns: nil if the URL is not that of a store.
  /// - Throws: if the server cannot be reached, and for a store of version 3.
  init?(url: String, settings: HTTPSettings) throws {
    files = RemoteStoreFiles(url: url, settings: settings) { name throws(HTTPError) in
      guard let bucket = BucketName(name) else { return name }
      GDALLibrary.start()
      return try RemoteAddress(bucket).resolve(settings)
    }
    guard let store = try ZarrStore(files) else {
      guard try files.bytes(of: "zarr.json", limit: Self.byteLimit) != nil else { return nil }
      throw PlumbError(
        "\(url.printable) is a Zarr store of version 3, which is read only from local files",
        code: .unsupported, remedies: ["write version 2, such as with zarr_format=2 in xarray"])
    }
    self.store = store
  }

  /// The only variable of the store.
  ///
  /// - Throws: if there are several variables, or if they are not known.
  func onlyVariable() throws -> String {
    let names = try store.dataNames()
    guard names.count == 1 else {
      let url = files.url.printable
      guard let first = names.first else {
        throw PlumbError("\(url) does not list its variables: name one, such as \(url)#evi")
      }
      throw PlumbError(
        "\(url) has \(names.count) variables, \(names.map(\.printable).joined(separator: ", ")): name "
          + "one, such as \(url)#\(first.printable)", code: .ambiguous)
    }
    return names[0]
  }

  /// The variable as described by GDAL, and the source of its cells.
  func source(_ variable: String) throws -> (general: GDALRasterSource, cells: ZarrTileSource) {
    let shown = "\(files.url.printable)#\(variable.printable)"
    guard !variable.contains("/"), !variable.hasPrefix("."),
      let layout = try store.metadata(variable + "/.zarray")
    else {
      let names = store.arrayNames
      let rest = names.isEmpty ? "" : "; it has \(names.map(\.printable).joined(separator: ", "))"
      throw PlumbError(
        "\(files.url.printable) has no variable \(variable.printable)" + rest, code: .notFound)
    }
    guard try store.array(variable) != nil else {
      throw PlumbError(
        "\(shown) has \(ZarrArray.storage(layout)), which may be read only from local files: "
          + "download the store", code: .unsupported)
    }
    let copy = try RemoteStoreCopy()
    try write(variable, to: copy)
    let general: GDALRasterSource
    var access = GDALAccess.document(drivers: ["Zarr"]).isolated(in: copy.path)
    access.readsArrays = true
    do {
      general = try GDALRasterSource(
        path: "ZARR:\"\(copy.path)\":/\(variable)", access: access)
    } catch {
      throw PlumbError("\(shown): its coordinates cannot be read", code: error.code)
    }
    let cells = ZarrTileSource(
      store, variable: variable, path: general.path, general.profile, copy: copy
    ) { general }
    guard let cells else {
      throw PlumbError("\(shown) has a layout that is not supported", code: .unsupported)
    }
    return (general, cells)
  }

  // MARK: The copy

  private func write(_ variable: String, to copy: RemoteStoreCopy) throws {
    try copy.write(".zgroup", Array(#"{"zarr_format": 2}"#.utf8))
    if let attributes = try store.metadata(".zattrs") {
      try copy.write(".zattrs", attributes.bytes)
    }
    var budget = Self.byteLimit
    for name in try [variable] + store.coordinateNames(of: variable) {
      guard let layout = try store.metadata(name + "/.zarray") else { continue }
      try copy.makeFolder(name)
      try copy.write(name + "/.zarray", layout.bytes)
      if let attributes = try store.metadata(name + "/.zattrs") {
        try copy.write(name + "/.zattrs", attributes.bytes)
      }
      if name != variable { try writeChunks(name, layout, to: copy, &budget) }
    }
  }

  private func writeChunks(
    _ name: String, _ layout: JSONTree, to copy: RemoteStoreCopy, _ budget: inout Int
  ) throws {
    guard let chunks = ZarrArray.chunkNames(layout, limit: ZarrStore.chunkLimit),
      let largest = ZarrArray.largestPacked(layout)
    else {
      throw PlumbError(
        "\(files.url.printable)#\(name.printable) has more than \(ZarrStore.chunkLimit) chunks of coordinates",
        code: .limit)
    }
    let paths = chunks.map { "\(name)/\($0)" }
    defer { for path in paths { files.drop(path) } }
    let size = min(budget, largest)
    let ahead = max(1, min(Self.ahead, Self.aheadBytes / size))
    for (index, path) in paths.enumerated() {
      if index % ahead == 0 {
        for later in paths[index...].prefix(ahead) { files.request(later, limit: size) }
      }
      if let bytes = try files.bytes(of: path, limit: size) {
        budget -= bytes.count
        guard budget > 0 else {
          throw PlumbError(
            "the coordinates of \(files.url.printable) are larger than \(Self.byteLimit >> 20) MiB",
            code: .limit)
        }
        try copy.write(path, Array(bytes.bytes))
      } else {
        try store.checkMissing(chunk: index, called: path, of: name)
      }
      files.drop(path)
    }
  }
}

/// A folder of temporary files, which is removed when this object is deallocated.
final class RemoteStoreCopy: Sendable {
  private let folder: UnfinishedFolder
  var path: String { folder.path }

  init() throws {
    folder = try UnfinishedFolder.temporary("plumb-store-")
  }

  deinit { folder.remove() }

  func makeFolder(_ name: String) throws(SystemError) {
    let folder = "\(path)/\(name)"
    if FileKind(path: folder) != .folder { try NewFile.makeFolder(folder) }
  }

  /// - Parameter name: a path in the folder. Folders of chunks are created.
  func write(_ name: String, _ bytes: [UInt8]) throws(SystemError) {
    let parts = name.utf8.split(separator: UInt8(ascii: "/")).map {
      String(decoding: $0, as: UTF8.self)
    }
    for depth in 1..<max(1, parts.count) {
      try makeFolder(parts.prefix(depth).joined(separator: "/"))
    }
    try NewFile.write(bytes, to: "\(path)/\(name)")
  }
}
