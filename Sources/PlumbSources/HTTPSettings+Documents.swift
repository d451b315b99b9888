import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension HTTPSettings {
  /// The settings of requests for documents and services, and for files that documents name.
  ///
  /// - Parameter hosts: the allowed hosts; nil for all.
  package static func ofDocuments(_ hosts: HostAccess?) -> HTTPSettings {
    var settings = HTTPSettings()
    settings.hosts = hosts
    settings.retries = 3
    settings.usesNetrc = false
    for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] where settings.certificates == nil {
      settings.certificates = getenv(name).map { String(cString: $0) }
    }
    return settings
  }
}
