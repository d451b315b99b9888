import PlumbCore

/// The names of the files in a folder on a web server, which are the links in the folder's index
/// page.
package struct RemoteListing: Sendable {
  package var names: [String] = []
  /// The cost of the requests.
  package var statistics = RemoteFile.Statistics()

  /// The maximum size of the page in bytes.
  private static let maximumBytes = 4 << 20
  /// The time limit for the request in seconds.
  private static let timeout = 10.0

  /// Requests the index page of the folder that contains a file. If there is no such page, `names`
  /// is empty.
  ///
  /// - Parameter url: the URL of the file.
  package init(besides url: String, settings: HTTPSettings, pool: HTTPPool = .shared) {
    guard let folder = Self.folder(of: url) else { return }
    let counters = WaitableState(RemoteFile.Statistics())
    let request = HTTPRequest(
      url: folder, range: nil, settings: settings, maximumBytes: Self.maximumBytes,
      seconds: Self.timeout)
    let download = Download(size: 0) { connection in
      let response = connection.get(request)
      counters.withLock { $0.requests += response.requests }
      counters.withLock { $0.bytes += response.bytes }
      if let error = response.error { return .failure(error) }
      guard let body = response.body else { return .failure(HTTPError("the page is empty")) }
      return .success(body)
    }
    defer { pool.drop([download]) }
    let page = try? download.bytes(from: pool)
    statistics = counters.withLock { $0 }
    if let page { names = Self.names(in: page.bytes, of: folder) }
  }

  /// The URL up to its last slash, without a query; nil for a URL without a path.
  package static func folder(of url: String) -> String? {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    guard let scheme = path.firstRange(of: "://"), let slash = path.lastIndex(of: "/"),
      slash >= scheme.upperBound
    else { return nil }
    return String(path[...slash])
  }

  /// The files in the folder to which a page links, with their names as in the page.
  package static func names(in page: UnsafeRawBufferPointer, of folder: String) -> [String] {
    let mark = Array("href=".utf8)
    let path = folder.firstRange(of: "://").flatMap { scheme in
      folder[scheme.upperBound...].firstIndex(of: "/").map { String(folder[$0...]) }
    }
    var names: [String] = []
    var position = 0
    while position + mark.count < page.count {
      guard mark.indices.allSatisfy({ page[position + $0] | 0x20 == mark[$0] | 0x20 }) else {
        position += 1
        continue
      }
      position += mark.count
      let quote = page[position]
      guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { continue }
      let start = position + 1
      guard let end = page[start...].firstIndex(of: quote) else { break }
      position = end
      var text = String(decoding: page[start..<end], as: UTF8.self)
        .replacing("&amp;", with: "&").prefix { $0 != "?" && $0 != "#" }
      for prefix in [folder, path, "./"].compactMap(\.self) where text.hasPrefix(prefix) {
        text = text.dropFirst(prefix.count)
        break
      }
      if !text.isEmpty, !text.contains("/") { names.append(String(text)) }
    }
    return names
  }
}
