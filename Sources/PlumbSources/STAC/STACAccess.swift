import PlumbCore
import PlumbGDAL
import PlumbIO

/// The hosts to which STAC documents may refer.
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

  /// - Throws: if the host of a URL may not be accessed.
  func check(_ url: String) throws(PlumbError) {
    guard let hosts = settings.hosts else { return }
    let origin = NetworkOrigin(url)
    guard origin.map({ hosts.allows($0) }) ?? false else {
      throw PlumbError(
        "\(origin?.description ?? url.printable) is not an allowed host", code: .notAllowed,
        remedies: ["this requires \(.allowHost, "HOST")"])
    }
  }

  /// The resources that GDAL may use for a raster at a URL.
  ///
  /// - Throws: if the host of the URL may not be accessed.
  func raster(_ url: String) throws(PlumbError) -> GDALAccess {
    guard !isUnlimited else { return .anywhere }
    try check(url)
    return .document(fetching: settings)
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
