import CGDAL
import PlumbCore
import Synchronization

/// What is known of the folder of a remote file: the files beside it, so that nobody asks the server
/// for side files one by one that are not there.
struct RemoteFolder {
  /// The names in the folder; none where the server gives no listing: the file stands alone then.
  let names: [String]
  /// Whether the server gave a listing.
  let isListed: Bool

  private static let handlers = [
    "/vsicurl", "/vsis3", "/vsigs", "/vsiaz", "/vsiadls", "/vsioss", "/vsiswift", "/vsiwebhdfs",
    "/vsihdfs",
  ]

  /// Whether a path leads to a network through one of GDAL's file systems.
  static func isRemote(_ path: String) -> Bool {
    path.hasPrefix("/vsi")
      && handlers.contains { path.contains($0 + "/") || path.contains($0 + "?") }
  }

  /// - Returns: nil for a local path, and when the user has settings of their own for folders.
  static func of(_ path: String) -> RemoteFolder? {
    guard isRemote(path), CPLGetConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", nil) == nil else {
      return nil
    }
    let file = path.prefix { $0 != "?" }
    guard let slash = file.lastIndex(of: "/") else { return nil }
    let folder = String(file[..<slash])
    // One listing a folder, whoever asks: a mosaic has thousands of files in one.
    return known.withLock { known in
      if let found = known.values[folder] { return found }
      let list = VSIReadDir(folder)
      defer { CSLDestroy(list) }
      var names: [String] = []
      var next = list
      while let name = next?.pointee {
        names.append(String(cString: name))
        next = next?.advanced(by: 1)
      }
      CPLErrorReset()
      let result = RemoteFolder(names: names, isListed: list != nil)
      known.insert(result, for: folder)
      return result
    }
  }

  private static let known = Mutex(NewestValues<RemoteFolder>(limit: 256))

  /// Calls `body` with the files beside a file as the list that GDAL takes. Whatever `body` opens
  /// beside looks for side files only where there are listings.
  func withSiblings<Result>(
    of path: String, _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    let file = path.prefix { $0 != "?" }
    let own = String(file[file.index(after: file.lastIndex(of: "/") ?? file.startIndex)...])
    // Of a large folder, the names that side files have.
    let stem = String(own.prefix { $0 != "." })
    var siblings = names.filter { $0.hasPrefix(stem) }
    if !siblings.contains(own) { siblings.append(own) }
    return withQuietOpening { withNames(siblings, body) }
  }

  /// Calls `body`, in which files that are opened have no side files where there is no listing.
  func withQuietOpening<Result>(_ body: () -> Result) -> Result {
    guard !isListed else { return body() }
    CPLSetThreadLocalConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", "EMPTY_DIR")
    defer { CPLSetThreadLocalConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", nil) }
    return body()
  }
}

/// Values by name, the newest so many of them.
struct NewestValues<Value> {
  private(set) var values: [String: Value] = [:]
  /// The oldest first.
  private var names: [String] = []
  private let limit: Int

  /// - Parameter limit: at least 1.
  init(limit: Int) { self.limit = limit }

  /// Adds a value, in place of the oldest where there are too many.
  mutating func insert(_ value: Value, for name: String) {
    if values.updateValue(value, forKey: name) != nil { return }
    names.append(name)
    if names.count > limit { values[names.removeFirst()] = nil }
  }
}
