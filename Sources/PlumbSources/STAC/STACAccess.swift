import PlumbCore
import PlumbGDAL
import PlumbIO

/// The hosts and buckets to which STAC documents may refer.
struct STACAccess: Sendable {
  private let settings: HTTPSettings
  private let isUnlimited: Bool

  /// - Parameter documents: the documents that the user names, whose hosts are allowed.
  init(_ documents: [STACSelection.Place], _ access: DocumentAccess) {
    var settings = HTTPSettings.ofDocuments(access.hosts)
    for case .address(let url) in documents {
      guard let origin = NetworkOrigin(url) else { continue }
      settings.hosts?.named.append(NetworkHost(name: origin.host, port: origin.port))
    }
    (self.settings, isUnlimited) = (settings, access.isUnlimited)
  }

  /// - Parameter url: a URL, or the name of a file in a bucket.
  /// - Throws: if the host or the bucket may not be accessed.
  func check(_ url: String) throws(PlumbError) { _ = try checked(url) }

  /// The settings of requests for a URL, or for a file in a bucket.
  private func checked(_ url: String) throws(PlumbError) -> HTTPSettings {
    guard let hosts = settings.hosts else { return settings }
    if let file = BucketName(url) {
      try BucketAccess.checkIsNotLocal(url)
      var settings = settings
      settings.hosts = try BucketAccess.checked(file, called: url, hosts)
      return settings
    }
    let origin = NetworkOrigin(url)
    guard origin.map({ hosts.allows($0) }) ?? false else {
      throw PlumbError(
        "\(origin?.description ?? url.printable) is not an allowed host", code: .notAllowed,
        remedies: ["this requires \(.allowHost, "HOST")"])
    }
    return settings
  }

  /// The resources that GDAL may use for a raster at a URL or in a bucket.
  ///
  /// - Throws: if the host or the bucket may not be accessed.
  func raster(_ url: String) throws(PlumbError) -> GDALAccess {
    guard !isUnlimited else { return .anywhere }
    return .document(fetching: try checked(url))
  }

  /// The timeout of a request in seconds.
  private static let seconds = 120.0

  /// The document at a URL.
  ///
  /// - Parameter limit: the largest number of bytes.
  func document(_ url: String, limit: Int) throws(PlumbError) -> FetchedBytes {
    try check(url)
    var settings = settings
    settings.seconds = Self.seconds
    do throws(HTTPError) {
      let reply = try PendingReply(
        url, RemoteServiceRequest(), settings: settings, maximumBytes: limit, timeout: Self.seconds
      ).reply()
      guard reply.status < 400 else {
        throw HTTPError("the server returned status \(reply.status)")
      }
      return reply.body
    } catch {
      throw PlumbError(error)
    }
  }
}
