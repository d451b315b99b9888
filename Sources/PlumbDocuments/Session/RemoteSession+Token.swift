import PlumbCore
import PlumbIO

extension RemoteSession {
  /// Gets a token for a service that requires one.
  ///
  /// - Parameter number: the number of the rejected token; nil if none was sent.
  /// - Returns: false if no other token is available.
  /// - Throws: if the token service does not return a token.
  func renew(for address: ServiceAddress, after number: Int?) throws(PlumbError) -> Bool {
    guard let signIn, let origin = NetworkOrigin(address.text), signIn.allows(origin) else {
      return false
    }
    let (isSameOrigin, isNewer) = tokens.withLock { known in
      // Only the first origin that requires a token receives the token.
      known.origin = known.origin ?? origin
      let isSameOrigin = known.origin == origin
      if isSameOrigin, known.token == nil { known.token = signIn.token }
      return (isSameOrigin, known.token != nil && number.map { $0 != known.number } ?? true)
    }
    guard isSameOrigin else { return false }
    if isNewer { return true }
    guard let user = signIn.user, let password = signIn.password else { return false }
    let token = try generate(user, password, for: address)
    tokens.withLock { known in
      known.token = token
      known.number += 1
    }
    return true
  }

  /// Gets a token from the token service that the server's metadata names.
  private func generate(
    _ user: String, _ password: String, for address: ServiceAddress
  ) throws(PlumbError) -> String {
    guard let source = address.info else {
      throw fault("its token service has no known address", at: address, .notAllowed, remedies: [])
    }
    let service = try tokenService(source)
    let origins = (NetworkOrigin(address.text), NetworkOrigin(service.text))
    guard let firstOrigin = origins.0, let other = origins.1, firstOrigin == other || other.isSecure
    else {
      throw fault(
        "it names \(service.shown) as its token service, to which no password is sent without TLS",
        at: address, .notAllowed, remedies: ["ask the service's operator"])
    }
    var serviceRequest = RemoteServiceRequest(
      form: FormText.encode([("f", "json"), ("client", "requestip"), ("expiration", "60")]))
    serviceRequest.secretForm = "&" + FormText.encode([("username", user), ("password", password)])
    let pending = PendingReply(
      service.text, serviceRequest, settings: settings, maximumBytes: 1 << 20, timeout: 30)
    defer { tokens.withLock { $0.statistics = $0.statistics + pending.statistics } }
    do {
      let reply = try pending.reply()
      let tree = try JSONTree(reply.body.bytes)
      if let refusal = ServiceFault(tree) {
        throw fault(refusal.message, at: service, .notAllowed, remedies: ["check the password"])
      }
      guard case .object(let members) = tree, case .text(let token)? = members["token"],
        !token.isEmpty, token.utf8.count < 1 << 16
      else { throw PlumbError("its reply has no token") }
      return token
    } catch let error as PlumbError where error.code == .notAllowed {
      throw error
    } catch {
      throw fault(PlumbError.message(of: error), at: service, .readError)
    }
  }

  private func tokenService(_ source: ServiceAddress) throws(PlumbError) -> ServiceAddress {
    let info = try object(at: source)
    do throws(DocumentFault) {
      let named = try info.member("authInfo")?.text("tokenServicesUrl")
      let portal = try info.text("owningSystemUrl")
      let text = named ?? portal.flatMap { $0.isEmpty ? nil : $0 + "/sharing/rest/generateToken" }
      if let text, let address = ServiceAddress(text) { return address }
    } catch {
      throw PlumbError(error)
    }
    throw fault("it names no token service", at: source, .notAllowed, remedies: [])
  }
}
