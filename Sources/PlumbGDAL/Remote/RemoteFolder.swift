import CGDAL
import PlumbCore
import PlumbIO
import Synchronization

/// The listing of the folder of a remote file. With the listing, missing side files are not
/// requested from the server one by one.
struct RemoteFolder {
  /// The names in the folder. They are empty if the server provides no listing, so that no side
  /// files are used.
  private(set) var names: [String]
  /// Whether the server provided a listing.
  let isListed: Bool
  /// The statistics of Plumb's requests for the listing. They are zero if the listing was requested
  /// for another file in the folder.
  let statistics: RemoteFile.Statistics

  /// A listing that is shared by all files of a folder.
  private struct Listing: Sendable {
    var names: [String]?
    var statistics = RemoteFile.Statistics()
    let time = ContinuousClock.now

    /// Whether the listing is still valid. A missing listing expires, because the server may have
    /// been unavailable.
    var isKept: Bool {
      names?.isEmpty == false || ContinuousClock.now - time < RemoteFolder.retryInterval
    }
  }

  /// The time for which a missing listing is cached.
  private static let retryInterval = Duration.seconds(5)

  private static let handlers = [
    "/vsicurl", "/vsis3", "/vsigs", "/vsiaz", "/vsiadls", "/vsioss", "/vsiswift", "/vsiwebhdfs",
    "/vsihdfs",
  ]

  /// Whether a path refers to a file on a network through one of GDAL's file systems.
  static func isRemote(_ path: String) -> Bool {
    path.hasPrefix("/vsi")
      && handlers.contains { path.contains($0 + "/") || path.contains($0 + "?") }
  }

  /// Whether folders are listed. True unless the user has set GDAL's option that disables listings.
  static var isEnabled: Bool { CPLGetConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", nil) == nil }

  /// The folder of a file that Plumb downloads.
  init(besides address: RemoteAddress, _ settings: HTTPSettings) {
    guard let url = address.url else {
      // GDAL requests the listing of a bucket's folder from the server that the user has set.
      self = Self.of(BucketName.gdalPath(of: address.shown)) ?? RemoteFolder(Listing())
      return
    }
    let file = url.prefix { $0 != "?" && $0 != "#" }
    let slash = file.lastIndex(of: "/") ?? file.startIndex
    // A server may reply differently to requests with other settings.
    let key = "\(settings.hashValue) " + file[..<slash]
    var (listing, isNew) = Self.listing(of: key) {
      let listing = RemoteListing(besides: url, settings: settings)
      return Listing(names: listing.names, statistics: listing.statistics)
    }
    if !isNew { listing.statistics = RemoteFile.Statistics() }
    // A page that is not a listing may also contain links, but no link to the file.
    let baseName = String(file[file.index(after: slash)...])
    if listing.names?.contains(baseName) != true { listing.names = nil }
    self.init(listing)
  }

  /// Keeps only the names of side files that do not refer to other files. Overviews are removed,
  /// because their own overviews may have any format.
  mutating func keepPlainNames(of name: Substring) {
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
    let plain = Set(
      ["", ".aux.xml", ".msk", ".vat.dbf"].map { String(name) + $0 }
        + [".aux.xml", ".tfw", ".tifw", ".wld"].map { String(stem) + $0 })
    names = names.filter { plain.contains($0) }
  }

  private init(_ listing: Listing) {
    (names, isListed) = (listing.names ?? [], listing.names != nil)
    statistics = listing.statistics
  }

  /// - Returns: nil for a local path, and if the user has set GDAL's option that disables listings.
  static func of(_ path: String) -> RemoteFolder? {
    guard isRemote(path), isEnabled else { return nil }
    // Bytes are compared, because a combining mark after a slash would hide the slash.
    let file = path.utf8.prefix { $0 != UInt8(ascii: "?") }
    guard let slash = file.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    let folder = String(decoding: file[..<slash], as: UTF8.self)
    return RemoteFolder(
      listing(of: folder) {
        let list = VSIReadDir(folder)
        defer { CSLDestroy(list) }
        CPLErrorReset()
        return Listing(names: list.map { strings($0) })
      }.listing)
  }

  /// Returns the listing of a folder. All callers share the listing, because a mosaic may have
  /// thousands of files in one folder.
  ///
  /// - Returns: the listing; `isNew` is true only for the caller that requested it from the server.
  private static func listing(
    of folder: String, _ load: @escaping @Sendable () -> Listing
  ) -> (listing: Listing, isNew: Bool) {
    let (value, isNew) = known.withLock { known -> (LazyValue<Listing>, Bool) in
      if let found = known.values[folder] { return (found, false) }
      let value = LazyValue<Listing> { load() }
      known.insert(value, for: folder)
      return (value, true)
    }
    let listing = value.value
    guard !isNew, !listing.isKept else { return (listing, isNew) }
    let next = LazyValue<Listing> { load() }
    known.withLock { $0.insert(next, for: folder) }
    return (next.value, true)
  }

  private static let known = Mutex(NewestValues<LazyValue<Listing>>(limit: 256))

  /// Calls `body` with the siblings of a file as a GDAL string list. For other files that `body`
  /// opens, side files are used only if the server provided a listing.
  func withSiblings<Result>(
    of path: String, _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    let file = path.prefix { $0 != "?" }
    let baseName = String(file[file.index(after: file.lastIndex(of: "/") ?? file.startIndex)...])
    // In a large folder, only the names that side files may have are passed.
    let stem = String(baseName.prefix { $0 != "." })
    var siblings = names.filter { $0.hasPrefix(stem) }
    if !siblings.contains(baseName) { siblings.append(baseName) }
    return withQuietOpening { withNames(siblings, body) }
  }

  /// Calls `body`. If the server provided no listing, files that `body` opens are opened without
  /// side files.
  func withQuietOpening<Result>(_ body: () -> Result) -> Result {
    guard !isListed else { return body() }
    CPLSetThreadLocalConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", "EMPTY_DIR")
    defer { CPLSetThreadLocalConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", nil) }
    return body()
  }
}

/// The newest values by name, up to a limit.
struct NewestValues<Value> {
  private(set) var values: [String: Value] = [:]
  /// The names, with the oldest first.
  private var names: [String] = []
  private let limit: Int

  /// - Parameter limit: at least 1.
  init(limit: Int) { self.limit = limit }

  /// Adds a value, and removes the oldest value if there are too many.
  mutating func insert(_ value: Value, for name: String) {
    if values.updateValue(value, forKey: name) != nil { return }
    names.append(name)
    if names.count > limit { values[names.removeFirst()] = nil }
  }
}
