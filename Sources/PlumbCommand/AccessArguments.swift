import ArgumentParser
import Plumb

/// The help text of `--allow-outside`, for all verbs.
private let allowOutsideHelp: ArgumentHelp = """
  Allow documents to name files outside their folder and any host, all files to use a network, and \
  SQL in files (views of a GeoPackage) to do anything. Disables the sandbox.
  """

/// The files and hosts that documents and other files of the user may access.
struct AccessArguments: ParsableArguments {
  @Flag(help: allowOutsideHelp) var allowOutside = false

  var access: DocumentAccess { allowOutside ? .anywhere : .folder }

  /// The client for services whose URLs the user gives.
  func services(_ signing: SignInArguments) -> FeatureServices {
    FeatureServices(access: access, signIn: signing.signIn)
  }
}

/// The credentials for services.
struct SignInArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The token for services, or HOST=TOKEN for the services of one host. Without a host, it is sent to \
      the host of the given address, or to the first host that requires a token. Default: PLUMB_TOKEN, or \
      PLUMB_USER and PLUMB_PASSWORD for the token service.
      """, valueName: "token"))
  var token: String?

  func validate() throws {
    if token?.isEmpty == true { throw ValidationError("--token is empty") }
  }

  /// The credentials; nil if no credentials are given.
  var signIn: SignIn? { SignIn(option: token) }
}

/// The files, hosts and services that documents may access.
struct DocumentAccessArguments: ParsableArguments {
  @Flag(help: allowOutsideHelp) var allowOutside = false

  @Option(
    help: ArgumentHelp(
      """
      Allow documents to name services of this host, at this port or at any port, or the files in a \
      bucket, such as s3://maps; may be repeated. An address of this machine or of a private network \
      needs a separate entry, and so does a bucket.
      """, valueName: "host[:port]|s3://bucket"), transform: { try AllowedHost.entry($0) })
  var allowHost: [AllowedHost] = []

  @OptionGroup var signing: SignInArguments

  var access: DocumentAccess { DocumentAccess(isUnlimited: allowOutside, allowing: allowHost) }

  /// Whether a document may access a network.
  var allowsHosts: Bool { allowOutside || !allowHost.isEmpty }

  /// The credentials for services; nil for none.
  var signIn: SignIn? { signing.signIn }

  /// The client for services whose URLs the user gives.
  var services: FeatureServices { FeatureServices(access: access, signIn: signIn) }
}

extension AllowedHost {
  /// Parses a value of `--allow-host`.
  ///
  /// - Throws: for another form.
  static func entry(_ text: String) throws -> AllowedHost {
    guard let entry = AllowedHost(text) else {
      throw ValidationError("expected \(AllowedHost.forms)")
    }
    return entry
  }
}
