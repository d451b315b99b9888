import ArgumentParser
import Plumb

/// What `--allow-outside` does, in every verb.
private let allowOutsideHelp: ArgumentHelp = """
  Let documents name files outside their folder and any host, all files lead to a network, and SQL in \
  them (views of a GeoPackage) do anything; no wall stands then.
  """

/// What documents and the other files that the user names may lead to.
struct AccessArguments: ParsableArguments {
  @Flag(help: allowOutsideHelp) var allowOutside = false

  var access: DocumentAccess { allowOutside ? .anywhere : .folder }

  /// What asks services of which the user gives the addresses.
  func services(_ signing: SignInArguments) -> FeatureServices {
    FeatureServices(access: access, signIn: signing.signIn)
  }
}

/// As whom services are asked.
struct SignInArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Ask services with this token; HOST=TOKEN says whose it is, else it goes to the host of the \
      address that is given, or to the first that asks for one. Without it PLUMB_TOKEN, or PLUMB_USER \
      and PLUMB_PASSWORD for the token service.
      """, valueName: "token"))
  var token: String?

  func validate() throws {
    if token?.isEmpty == true { throw ValidationError("--token is empty") }
  }

  /// Nil for nobody.
  var signIn: SignIn? { SignIn(option: token) }
}

/// What documents may lead to, the services that they name among it.
struct DocumentAccessArguments: ParsableArguments {
  @Flag(help: allowOutsideHelp) var allowOutside = false

  @Option(
    help: ArgumentHelp(
      """
      Let documents name services of this host, at this port or at all of them; one option for each \
      host. An address of this machine or of a private network needs an entry of its own.
      """, valueName: "host[:port]"))
  var allowHost: [NetworkHost] = []

  @OptionGroup var signing: SignInArguments

  var access: DocumentAccess {
    allowOutside ? .anywhere : allowHost.isEmpty ? .folder : .hosts(allowHost)
  }

  /// Whether a document may reach a network.
  var reachesHosts: Bool { allowOutside || !allowHost.isEmpty }

  /// As whom services are asked; nil for nobody.
  var signIn: SignIn? { signing.signIn }
}

extension NetworkHost: ExpressibleByArgument {
  /// `HOST` or `HOST:PORT`.
  public init?(argument: String) { self.init(argument) }
}
