import PlumbCore
import PlumbIO
import PlumbSources
import Synchronization

/// Sends requests to the services that a document may access, with the user's credentials. Many requests can
/// run concurrently.
package final class RemoteSession: Sendable {
  /// The state of token authentication.
  struct Tokens: Sendable {
    /// The origin that receives the credentials; nil until an origin requires credentials.
    var origin: NetworkOrigin?
    var token: String?
    /// The number of the current token, from 0.
    var number = 0
    var statistics = RemoteFile.Statistics()
  }

  let settings: HTTPSettings
  let signIn: SignIn?
  let tokens: Mutex<Tokens>
  private let pool: HTTPPool

  /// The maximum size in bytes of a reply with metadata (`descriptionBytes`), and of a reply with features
  /// (`dataBytes`).
  static let descriptionBytes = 16 << 20
  static let dataBytes = 256 << 20
  /// The timeout of a request in seconds (`seconds`), and the time after which a request is not retried
  /// (`timeout`).
  private static let seconds = 30.0
  private static let timeout = 60.0
  /// The maximum length of a URL; longer requests use POST.
  private static let longestAddress = 2000

  /// - Parameters:
  ///   - document: the document's own address, whose origin receives the credentials.
  ///   - named: a host that the user names, which may be accessed regardless of its IP address.
  package init(
    access: DocumentAccess, signIn: SignIn? = nil, document: String? = nil,
    named: NetworkHost? = nil, pool: HTTPPool = .shared
  ) {
    var settings = HTTPSettings.ofDocuments(access.hosts)
    if let named { settings.hosts?.named.append(named) }
    settings.seconds = Self.seconds
    self.settings = settings
    (self.signIn, self.pool) = (signIn, pool)
    var known = Tokens()
    if signIn != nil, let document { known.origin = NetworkOrigin(document) }
    if let origin = known.origin, signIn?.allows(origin) == true { known.token = signIn?.token }
    tokens = Mutex(known)
  }

  /// The number of requests and bytes so far.
  package var statistics: RemoteFile.Statistics { tokens.withLock { $0.statistics } }

  /// Whether a string is an http or https address, of a service or a file.
  package static func isAddress(_ text: String) -> Bool {
    let lower = String(decoding: text.utf8.prefix(8), as: UTF8.self).lowercasedASCII
    return lower.hasBytes(atStart: "http://") || lower.hasBytes(atStart: "https://")
  }

  /// Whether the host of a URL may be accessed.
  package func allows(_ url: String) -> Bool {
    guard let hosts = settings.hosts else { return true }
    return NetworkOrigin(url).map { hosts.allows($0) } ?? false
  }

  /// Returns the settings for fetching a remote file: the permitted hosts, and the token if it
  /// belongs to the file's origin. For a file in a bucket, only its bucket is permitted, and the token is
  /// not sent, because the requests are signed.
  ///
  /// - Parameter url: a URL, or the name of a file in a bucket.
  /// - Throws: if the file's host or bucket may not be accessed.
  func fetching(allowed url: String) throws(PlumbError) -> HTTPSettings {
    var settings = settings
    // Large parts of a file may exceed the timeout of requests.
    settings.seconds = nil
    if let file = BucketName(url) {
      if let hosts = settings.hosts {
        settings.hosts = try BucketAccess.checked(file, called: url, hosts)
      }
      return settings
    }
    try check(url)
    let token = tokens.withLock { known -> String? in
      guard let origin = NetworkOrigin(url) else { return nil }
      // A token that the user gave for this host is sent without waiting for a challenge.
      if known.origin == nil, let signIn, signIn.host?.matches(origin) == true {
        (known.origin, known.token) = (origin, signIn.token)
      }
      return known.origin == origin ? known.token : nil
    }
    if let token, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
      settings.headers = ["Authorization: Bearer \(token)"]
    }
    return settings
  }

  /// - Throws: if the host of the URL may not be accessed.
  func check(_ url: String) throws(PlumbError) {
    guard !allows(url) else { return }
    throw PlumbError(
      "\(NetworkOrigin(url)?.description ?? "its host") is not an allowed host", code: .notAllowed,
      remedies: ["this requires \(.allowHost, "HOST")"])
  }

  // MARK: Requests

  /// A request in progress.
  struct Pending {
    let address: ServiceAddress
    let parameters: [(name: String, value: String)]
    let maximumBytes: Int
    fileprivate let reply: PendingReply
    /// The number of the token in the request; nil for none.
    fileprivate let tokenNumber: Int?
  }

  /// Starts a request.
  func begin(
    _ address: ServiceAddress, _ parameters: [(name: String, value: String)] = [],
    maximumBytes: Int = descriptionBytes, accepts: String? = nil
  ) -> Pending {
    let origin = NetworkOrigin(address.text)
    let (token, number) = tokens.withLock { known in
      let isSameOrigin = origin != nil && known.origin == origin
      return (isSameOrigin ? known.token : nil, known.number)
    }
    let query = FormText.encode(address.parameters + parameters)
    let url = address.text + (query.isEmpty ? "" : "?" + query)
    let isPosted = address.acceptsPOST && (token != nil || url.utf8.count > Self.longestAddress)
    var serviceRequest = RemoteServiceRequest(form: isPosted ? query : nil)
    if let token {
      if isPosted { serviceRequest.secretForm = "&" + FormText.encode([("token", token)]) }
      if token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
        serviceRequest.secretHeaders = ["X-Esri-Authorization: Bearer \(token)"]
        if !address.acceptsPOST {
          serviceRequest.secretHeaders.append("Authorization: Bearer \(token)")
        }
      }
    }
    if let accepts { serviceRequest.accepts = accepts }
    let reply = PendingReply(
      isPosted ? address.text : url, serviceRequest, settings: settings, maximumBytes: maximumBytes,
      timeout: Self.timeout, pool: pool)
    return Pending(
      address: address, parameters: parameters, maximumBytes: maximumBytes, reply: reply,
      tokenNumber: token == nil ? nil : number)
  }

  /// Waits for a reply of any type.
  func reply(to pending: Pending) throws(PlumbError) -> HTTPReply {
    defer {
      tokens.withLock { $0.statistics = $0.statistics + pending.reply.statistics }
    }
    do throws(HTTPError) {
      return try pending.reply.reply()
    } catch {
      throw fault(error.message, at: pending.address, error.code, cause: error)
    }
  }

  /// Waits for a JSON object; repeats the request once if the token has to be renewed.
  ///
  /// - Throws: an error reported by the service, or a reply that is not JSON.
  func object(of pending: Pending) throws(PlumbError) -> (tree: JSONTree, reply: HTTPReply) {
    var pending = pending
    var hasRenewed = false
    while true {
      let reply = try reply(to: pending)
      let tree = try tree(of: reply, at: pending.address)
      guard let fault = ServiceFault(tree) else {
        guard reply.status < 400 else {
          throw self.fault(
            "the server returned status \(reply.status)", at: pending.address, .readError)
        }
        return (tree, reply)
      }
      guard fault.requiresToken, !hasRenewed,
        try renew(for: pending.address, after: pending.tokenNumber)
      else { throw self.fault(fault, at: pending.address) }
      hasRenewed = true
      pending = begin(pending.address, pending.parameters, maximumBytes: pending.maximumBytes)
    }
  }

  /// Requests a JSON object and waits for the reply.
  func object(
    at address: ServiceAddress, _ parameters: [(name: String, value: String)] = [],
    maximumBytes: Int = descriptionBytes
  ) throws(PlumbError) -> DocumentNode {
    let allParameters = [("f", "json")] + parameters
    let found = try object(of: begin(address, allParameters, maximumBytes: maximumBytes))
    return DocumentNode(found.tree, document: address.shown)
  }

  private func tree(
    of reply: HTTPReply, at address: ServiceAddress
  ) throws(PlumbError) -> JSONTree {
    let bytes = reply.body.bytes
    let start = bytes.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
    guard let start, start != UInt8(ascii: "<") else {
      let what = start == nil ? "nothing" : "a page of HTML or XML"
      let status = reply.status == 200 ? "" : ", with status \(reply.status)"
      throw fault(
        "the server returned \(what) instead of JSON\(status)", at: address, .readError)
    }
    do throws(FormatError) {
      let tree = try JSONTree(bytes)
      guard case .object = tree else {
        throw FormatError("expected an object, found \(tree.what)")
      }
      return tree
    } catch {
      let status = reply.status == 200 ? "" : " (status \(reply.status))"
      throw fault(
        "the reply cannot be read\(status): \(error.message)"
          + (error.offset.map { ", byte \($0) of \(reply.body.count)" } ?? ""), at: address,
        .readError, cause: error)
    }
  }

  // MARK: Errors

  /// Creates an error for a service, in one line without secrets.
  func fault(
    _ message: String, at address: ServiceAddress, _ code: FailureCode,
    remedies: [MessageTemplate] = [], cause: (any Error)? = nil
  ) -> PlumbError {
    var remedies = remedies
    if code == .notAllowed, remedies.isEmpty { remedies = ["this requires \(.allowHost, "HOST")"] }
    var text = "\(address.shown): \(message.printable)"
    if let signIn { text = signIn.hiding(in: text) }
    if let token = tokens.withLock({ $0.token }), token.count > 3 {
      text = text.replacing(token, with: "…")
    }
    return PlumbError(text, code: code, remedies: remedies, cause: cause)
  }

  private func fault(_ fault: ServiceFault, at address: ServiceAddress) -> PlumbError {
    var remedies: [MessageTemplate] = []
    if fault.requiresToken, signIn == nil { remedies = ["provide one with \(.token, "TOKEN")"] }
    if fault.requiresToken, remedies.isEmpty { remedies = ["the one provided is not accepted"] }
    return self.fault(
      fault.message, at: address, fault.requiresToken ? .notAllowed : .readError, remedies: remedies
    )
  }
}

extension SignIn {
  /// Whether an origin may receive the credentials.
  func allows(_ origin: NetworkOrigin) -> Bool {
    host.map { $0.matches(origin) } ?? true
  }
}

/// An error reported by a service, as in Esri's `{"error": {"code": 400, "message": "…"}}`.
struct ServiceFault {
  private let code: Int64?
  let message: String

  /// - Returns: nil for a reply that is not an error.
  init?(_ tree: JSONTree) {
    guard case .object(let members) = tree else { return nil }
    if case .text("error")? = members["status"], let lines = members["messages"]?.elements {
      (code, message) = (nil, "the service reports: " + Self.joined(lines))
      return
    }
    guard case .object(let error)? = members["error"] else { return nil }
    switch error["code"] {
    case .integer(let number)?: code = number
    case .text(let text)?: code = Int64(text)
    default: code = nil
    }
    var words: [JSONTree] = []
    if let text = error["message"] { words.append(text) }
    if let details = error["details"]?.elements { words += details }
    let detail = Self.joined(words)
    message =
      "the service reports" + (code.map { " \($0)" } ?? " an error")
      + (detail.isEmpty ? "" : ": \(detail)")
  }

  private static func joined(_ words: [JSONTree]) -> String {
    let texts = words.compactMap { word -> String? in
      if case .text(let text) = word, !text.isEmpty { text } else { nil }
    }
    return String(texts.joined(separator: "; ").prefix(500))
  }

  /// Whether a token is missing, invalid or expired.
  var requiresToken: Bool { code == 499 || code == 498 || code == 401 }
}
