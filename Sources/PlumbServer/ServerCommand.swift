import ArgumentParser
import Dispatch
import Logging
import Plumb
import PlumbCore
import PlumbIO
import PlumbService

#if canImport(Darwin)
  import Darwin
#else
  @preconcurrency import Glibc
#endif

@main
struct ServerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plumb-server",
    abstract: "Answers clients of ArcGIS REST, and plain JSON, from maps and networks.",
    usage: """
      plumb-server MAP ... [--network NETWORK ...] [--monitor NAME=FILE.json] [OPTIONS]
      """,
    discussion: """
      Each map is the services NAME/MapServer and NAME/FeatureServer below /arcgis/rest/services, each \
      of its rasters NAME_LAYER/ImageServer, each network NAME/UtilityNetworkServer and \
      NAME/FeatureServer, where NAME is the file's without its ending. /api has plumb's verbs as JSON. \
      A monitor NAME takes locations at /monitor/NAME/locations and sends events from \
      /monitor/NAME/events.
      SIGHUP reloads the documents; monitors keep running. SIGTERM answers what was asked and ends.
      plumb-server rasters/cape.json --network rasters/gas.json
      plumb-server --network town.inp,valves=valves.csv,crs=EPSG:32634
      """,
    version: plumbVersion.description)

  @Argument(help: "Maps: documents, or rasters and files of features.")
  var maps: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Networks. Behind an EPANET file ,valves=FILE names a table of its isolation valves, and ,crs=REF \
      says what coordinates without a reference are in.
      """, valueName: "network[,valves=file][,crs=ref]"))
  var network: [String] = []

  @Option(
    help: ArgumentHelp(
      "A monitor: a file with the options of plumb monitor. May be given again.",
      valueName: "name=file.json"))
  var monitor: [String] = []

  @Option(
    help: ArgumentHelp(
      "The folder of Leaflet, which the page draws its map with. Default: Debian's.",
      valueName: "folder"))
  var leaflet: String?

  @OptionGroup(title: "Access") var access: ServerAccessArguments
  @OptionGroup(title: "Documents") var documents: ServerDocumentArguments
  @OptionGroup(title: "Limits") var limits: ServerLimitArguments
  @OptionGroup(title: "Limits of monitors") var watching: MonitorLimitArguments

  @Option(help: "How requests are logged on standard error: text or json.")
  var log: LogForm = .text

  @Option(
    help: ArgumentHelp(
      """
      A JSON object of options by their names without hyphens before them, maps among them; those of the \
      command line count before it.
      """, valueName: "file"))
  var config: String?

  @Flag(help: "Open everything, say what is wrong, and end: nothing listens.")
  var checkConfig = false

  static func main() {
    ReadingHelpers.runOrOffer(CommandLine.arguments)
    ReadingHelpers.isolateAll()
    do {
      main(
        try ConfigurationFile.expanded(Array(CommandLine.arguments.dropFirst()), names: optionNames)
      )
    } catch {
      LineLogger(form: .text).write(.error, line(of: error), [:])
      LogQueue.shared.flush(seconds: 1)
      exit(withError: ExitCode.failure)
    }
  }

  /// All options, with their hyphens.
  private static var optionNames: Set<String> {
    let isOfName: (UInt8) -> Bool = { $0 == UInt8(ascii: "-") || (0x61...0x7A).contains($0) }
    let words = helpMessage().utf8.split { !isOfName($0) }
    return Set(
      words.map { String(decoding: $0, as: UTF8.self) }.filter { $0.hasBytes(atStart: "--") })
  }

  func validate() throws {
    if maps.isEmpty, network.isEmpty, monitor.isEmpty {
      throw ValidationError("name a map, a network or a monitor")
    }
    _ = try monitorFiles()
    try access.checkReach("--bind \(access.bind.printable)")
  }

  /// Has the kernel hold the process to what it was given, before it starts a thread, and serves.
  func run() throws {
    LoggingSystem.bootstrap { _ in LineLogger(form: log) }
    let logger = Logger(label: "plumb-server")
    if limits.wholeMemory != nil { ProcessMemory.limitHeaps() }
    let (socket, manager): (ListeningSocket?, ServiceManager?)
    let account: String?
    var command = self
    do {
      (socket, manager) =
        checkConfig
        ? (nil, nil) : (try ListeningSocket(access.bind, port: access.port), ServiceManager())
      if let socket, socket.isHanded {
        // It listens there, whatever the options say.
        command.access.bind = socket.address ?? "localhost"
        try command.access.checkReach(
          "the service manager's socket at \(command.access.bind.printable)")
      }
      // How many processors there are cannot be read behind the walls.
      _ = Workers()
      account = try walls().raise()
    } catch {
      throw Self.end(of: error, logger)
    }
    Task { [command] in
      do {
        let server = try Server(command, logger, socket: socket, manager: manager)
        if let account, !checkConfig { logger.info("\(account)") }
        if checkConfig { try check(server, logger) } else { try await server.run() }
        _exit(EXIT_SUCCESS)
      } catch {
        let end = Self.end(of: error, logger)
        if !(end is ExitCode) { fputs(Self.fullMessage(for: end) + "\n", stderr) }
        // Threads still open documents: they do not outlive what libraries free at an exit.
        _exit(Self.exitCode(for: end).rawValue)
      }
    }
    dispatchMain()
  }

  private func check(_ server: Server, _ logger: Logger) throws {
    for line in server.faults { logger.error("\(line)") }
    if server.faults.isEmpty { logger.info("the configuration is right") }
    LogQueue.shared.flush(seconds: 1)
    if !server.faults.isEmpty { throw ExitCode.failure }
  }

  /// Logs an error that is not one of usage, and says how the process ends.
  private static func end(of error: any Error, _ logger: Logger) -> any Error {
    defer { LogQueue.shared.flush(seconds: 1) }
    if error is ExitCode || error is ValidationError { return error }
    logger.error("\(line(of: error))")
    return ExitCode.failure
  }

  /// What the command calls settings.
  static let names: [Setting: String] = [
    .allowOutside: "--allow-outside", .allowHost: "--allow-host", .token: "--token",
  ]

  /// An error as the command says it.
  static func line(of error: any Error) -> String { PlumbError.line(of: error).text(names) }
}

struct ServerAccessArguments: ParsableArguments {
  @Option(help: "The port; 0 takes a free one.")
  var port: UInt16 = 8080
  @Option(help: "The address to listen at.")
  var bind = "127.0.0.1"
  @Flag(help: "Serve anyone, at an address that others reach, without a token.")
  var open = false
  @Option(help: "A file of tokens, a line each, one of which requests have to have.")
  var tokenFile: String?
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Pages that may ask from other hosts, as https://maps.example.org, or *.",
      valueName: "origin"))
  var cors: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Proxies whose X-Forwarded-For, -Host, -Proto and -Prefix, and Forwarded, count: addresses, or \
      networks such as 10.0.0.0/8.
      """, valueName: "address"))
  var trustedProxy: [String] = []
  @Option(
    help: ArgumentHelp(
      """
      A PEM file of a certificate, followed by those that certify it: clients then use HTTPS. SIGHUP reads \
      it again.
      """, valueName: "file"))
  var cert: String?
  @Option(help: ArgumentHelp("A PEM file of the certificate's key.", valueName: "file"))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "What addresses in answers begin with, such as https://maps.example.org/plumb.",
      valueName: "url"))
  var baseURL: String?

  func validate() throws {
    guard (cert == nil) == (key == nil) else {
      throw ValidationError("--cert and --key go together")
    }
    guard TrustedProxies(trustedProxy) != nil else {
      throw ValidationError(
        "--trusted-proxy takes addresses, or networks such as 10.0.0.0/8")
    }
    if let baseURL, AccessRules.host(ofOrigin: baseURL) == nil || !baseURL.hasBytes(atStart: "http")
    {
      throw ValidationError(
        "--base-url \(baseURL.printable): expected an address such as https://maps.example.org/plumb"
      )
    }
  }

  /// - Parameter place: what the server listens at.
  /// - Throws: when others reach it, and neither a token nor `--open` is given.
  func checkReach(_ place: String) throws(ValidationError) {
    guard isLoopback || tokenFile != nil || open else {
      throw ValidationError(
        "\(place) lets others in: give --token-file, or --open to serve anyone")
    }
  }

  var scheme: String { cert == nil ? "http" : "https" }

  /// Nil where nothing is encrypted.
  func identity() throws(PlumbError) -> ServerIdentity? {
    guard let cert, let key else { return nil }
    return try ServerIdentity(certificate: cert, key: key)
  }

  /// Without the slash at its end.
  var plainBaseURL: String? {
    baseURL.map { $0.hasBytes(atEnd: "/") ? String($0.dropLast()) : $0 }
  }

  var isLoopback: Bool {
    // A name may begin like an address.
    bind == "localhost" || NetworkAddress(bind)?.isLoopback == true
  }
}

struct ServerDocumentArguments: ParsableArguments {
  @Flag(help: "Let documents name files outside their folder and any host.")
  var allowOutside = false
  @Option(
    help: ArgumentHelp(
      """
      Let documents name services of this host, at this port or at all of them; one option for each \
      host. An address of this machine or of a private network needs an entry of its own.
      """, valueName: "host[:port]"))
  var allowHost: [NetworkHost] = []
  @Option(
    help: ArgumentHelp(
      """
      Ask those services with this token, of HOST=TOKEN those of the host alone; without it \
      PLUMB_TOKEN, or PLUMB_USER and PLUMB_PASSWORD.
      """, valueName: "token"))
  var token: String?

  var access: DocumentAccess {
    allowOutside ? .anywhere : allowHost.isEmpty ? .folder : .hosts(allowHost)
  }
}

extension NetworkHost: ExpressibleByArgument {
  /// `HOST` or `HOST:PORT`.
  public init?(argument: String) { self.init(argument) }
}

struct ServerLimitArguments: ParsableArguments {
  @Option(help: "Points in one request, at most.")
  var maxPoints = 1_000_000
  @Option(help: ArgumentHelp("A request's body, unpacked, at most.", valueName: "64MB"))
  var maxBody = ByteSize(bytes: 64 << 20)
  @Option(
    help: ArgumentHelp(
      """
      What one client may have at once, told by its address: connections, requests that are answered, \
      and bytes of bodies and of answers that it has not read.
      """, valueName: "connections=64,requests=8,bytes=256MB"))
  var perClient = ClientLimits()
  @Option(help: "Seconds that a request may take.")
  var timeout = 30.0
  @Option(help: "Requests that are answered at once. Default: one for each processor, 2 at least.")
  var workers: Int?
  @Option(help: ArgumentHelp("Memory for decoded tiles.", valueName: "512MB"))
  var cache = ByteSize(bytes: 512 << 20)

  @Option(
    help: ArgumentHelp(
      """
      Memory that the server may have: requests wait for each other where little is left, and the longest is \
      ended where almost none is. Default: the limit of its control group, else none.
      """, valueName: "size"))
  var memory: ByteSize?

  /// Bytes that the server may have; nil without a limit.
  var wholeMemory: Int? { memory?.bytes ?? MemoryGuard.systemLimit }

  func validate() throws {
    guard memory.map({ $0.bytes >= 64 << 20 }) ?? true else {
      throw ValidationError("--memory takes 64MB or more")
    }
    guard workers.map({ (1...1024).contains($0) }) ?? true else {
      throw ValidationError("--workers takes a number from 1 to 1024")
    }
    guard maxPoints >= 1 else { throw ValidationError("--max-points takes a number from 1") }
    guard timeout > 0, timeout <= 86_400 else {
      throw ValidationError("--timeout takes seconds above 0, to 86400")
    }
    guard maxBody.bytes <= 4 << 30 else { throw ValidationError("--max-body takes at most 4GB") }
  }
}

enum LogForm: String, ExpressibleByArgument, CaseIterable {
  case text, json
}

/// A number of bytes, as `64MB`.
struct ByteSize: ExpressibleByArgument {
  var bytes: Int

  init(bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    guard let bytes = ByteCount.read(argument) else { return nil }
    self.bytes = bytes
  }

  var defaultValueDescription: String { "\(bytes >> 20)MB" }
}
