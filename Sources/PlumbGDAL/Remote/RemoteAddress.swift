import CGDAL
import PlumbCore
import PlumbIO

/// The network address of a file that Plumb itself downloads, parsed from a GDAL dataset name.
package struct RemoteAddress: Sendable {
  private enum Kind: Sendable {
    case url(String)
    /// A file in a bucket. GDAL signs the requests for it.
    case bucket(String)
  }

  private let kind: Kind
  /// The name in messages and results.
  let shown: String

  private static let prefix = "/vsicurl/"
  private static let buckets = ["/vsis3/", "/vsigs/", "/vsiaz/"]
  private static let schemes = ["http://", "https://"]
  private static let endings: Set<String> = ["tif", "tiff", "gtiff", "gtif", "btf", "tf8", "cog"]

  /// - Parameter path: a URL, or a path in one of GDAL's file systems.
  /// - Returns: nil for names that GDAL opens itself: files other than TIFFs, and other file
  ///   systems.
  package init?(_ path: String) {
    self.init(ofFile: path)
    let ending = ending
    guard ending.isEmpty || Self.endings.contains(ending) else { return nil }
  }

  /// The address of a file of any format.
  ///
  /// - Parameter path: a URL, or a path in one of GDAL's file systems.
  /// - Returns: nil for services, and for other file systems.
  package init?(ofFile path: String) {
    if let bucket = BucketName(path) ?? BucketName(gdalPath: path) {
      kind = .bucket(bucket.gdalPath)
      shown = path
    } else {
      let isNamed = path.hasBytes(atStart: Self.prefix)
      let count = isNamed ? Self.prefix.utf8.count : 0
      let url = String(decoding: path.utf8.dropFirst(count), as: UTF8.self)
      let lower = url.lowercasedASCII
      guard Self.schemes.contains(where: { lower.hasBytes(atStart: $0) }),
        !lower.hasBytes(of: "service=")
      else {
        return nil
      }
      kind = .url(url)
      shown = url
    }
  }

  /// The address of a file of any format in a bucket.
  package init(_ bucket: BucketName) {
    kind = .bucket(bucket.gdalPath)
    shown = bucket.gdalPath
  }

  /// The part of the name after the last slash, without a query.
  package var fileName: Substring {
    let path = shown.prefix { $0 != "?" && $0 != "#" }
    return path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path
  }

  /// The extension of the file's name in lower case, without the dot; empty if there is none.
  package var ending: String {
    let name = fileName
    return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
  }

  /// The URL; nil for a file in a bucket.
  package var url: String? { if case .url(let url) = kind { url } else { nil } }

  /// The name in GDAL's file systems.
  package var gdalPath: String {
    switch kind {
    case .url(let url): Self.prefix + url
    case .bucket(let path): path
    }
  }

  /// The address of another file in the same folder; nil if the address has no folder.
  package func sibling(_ name: String) -> RemoteAddress? {
    let end = shown.firstIndex { $0 == "?" || $0 == "#" } ?? shown.endIndex
    guard let slash = shown[..<end].lastIndex(of: "/") else { return nil }
    return RemoteAddress(kind, shown: shown[...slash] + name)
  }

  private init(_ kind: Kind, shown: String) {
    self.shown = shown
    self.kind =
      switch kind {
      case .url: .url(shown)
      case .bucket: .bucket(BucketName.gdalPath(of: shown))
      }
  }

  /// Opens the file.
  ///
  /// - Parameter settings: the settings of requests. If the settings restrict hosts, a file in a bucket can
  ///   be opened only if they allow its bucket. The server of the bucket is then also allowed for this file.
  package func open(_ settings: HTTPSettings) throws(HTTPError) -> RemoteFile {
    try RemoteFile.open(settings: settings, isInBucket: url == nil) { () throws(HTTPError) in
      try resolve(settings)
    }
  }

  /// - Throws: if the file is in a bucket, and the settings restrict hosts but do not allow this
  ///   bucket.
  func check(_ settings: HTTPSettings) throws(HTTPError) {
    guard case .bucket(let path) = kind, let hosts = settings.hosts else { return }
    guard let file = BucketName(gdalPath: path), hosts.allows(file) else {
      throw HTTPError("a file of this name in a bucket is not allowed", code: .notAllowed)
    }
  }

  /// The URL for requests. For a file in a bucket, the URL is signed for one hour.
  ///
  /// - Throws: if the settings do not allow the file, or requests for it cannot be signed.
  package func resolve(_ settings: HTTPSettings) throws(HTTPError) -> String {
    switch kind {
    case .url(let url): return url
    case .bucket(let path):
      try check(settings)
      CPLErrorReset()
      if Self.isOpen(path), let url = VSIGetActualURL(path) { return String(cString: url) }
      guard let signed = VSIGetSignedURL(path, nil) else {
        let reason = CPLGetLastErrorMsg().map { String(cString: $0).printable } ?? ""
        throw HTTPError("requests for it cannot be signed: " + (reason.isEmpty ? "no key" : reason))
      }
      defer { VSIFree(signed) }
      return String(cString: signed)
    }
  }

  /// Whether the user has configured requests without a signature.
  private static func isOpen(_ path: String) -> Bool {
    zip(buckets, ["AWS_NO_SIGN_REQUEST", "GS_NO_SIGN_REQUEST", "AZURE_NO_SIGN_REQUEST"]).contains {
      guard path.hasPrefix($0), let text = plumb_gdal_option(path, $1) else { return false }
      return CPLTestBool(text)
    }
  }
}
