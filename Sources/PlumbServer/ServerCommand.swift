import ArgumentParser
import Dispatch
import Logging
import Plumb
import PlumbCore
import PlumbIO
import PlumbService
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  @preconcurrency import Glibc
#endif

@main
struct ServerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plumb-server",
    abstract: "Serves maps and networks over ArcGIS REST and plain JSON.",
    usage: """
      plumb-server MAP ... [--network NETWORK ...] [--monitor NAME=FILE.json] [OPTIONS]
      """,
    discussion: """
      Services are below /arcgis/rest/services, where NAME is a file's name without its extension. A \
      map is served as NAME/MapServer and NAME/FeatureServer, and each of its rasters as \
      NAME_LAYER/ImageServer. A network is served as NAME/UtilityNetworkServer and NAME/FeatureServer. \
      /api offers plumb's verbs as JSON. A monitor NAME receives locations at /monitor/NAME/locations and \
      sends events from /monitor/NAME/events.
      On SIGHUP, the server reloads the documents; monitors keep running. On SIGTERM, it answers pending \
      requests and exits.
      plumb-server rasters/cape.json --network rasters/gas.json
      plumb-server --network town.inp,valves=valves.csv,crs=EPSG:32634
      """,
    version: plumbVersion.description)

  @Argument(help: "Maps: map documents, rasters or feature files.")
  var maps: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Networks. After an EPANET file, ,valves=FILE names a table of its isolation valves, and ,crs=REF \
      sets the CRS of a network that has none.
      """, valueName: "network[,valves=file][,crs=ref]"))
  var network: [String] = []

  @Option(
    help: ArgumentHelp(
      "A monitor: a file with the options of plumb monitor. May be repeated.",
      valueName: "name=file.json"))
  var monitor: [String] = []

  @Option(
    help: ArgumentHelp(
      "The folder of Leaflet, which draws the map on the page. Default: Debian's package.",
      valueName: "folder"))
  var leaflet: String?

  @OptionGroup(title: "Access") var access: ServerAccessArguments
  @OptionGroup(title: "Documents") var documents: ServerDocumentArguments
  @OptionGroup(title: "Limits") var limits: ServerLimitArguments
  @OptionGroup(title: "Limits of monitors") var watching: MonitorLimitArguments

  @Option(help: "The format of the log on standard error: text or json.")
  var log: LogForm = .text

  @Option(
    help: ArgumentHelp(
      """
      A JSON file with an object of options, by names without leading hyphens; the member "maps" lists the \
      maps. Options of the command line take precedence, and lists are combined.
      """, valueName: "file"))
  var config: String?

  @Flag(help: "Open everything, report problems, and exit without listening.")
  var checkConfig = false

  static func main() {
    ReadingHelpers.runOrOffer(CommandLine.arguments)
    ReadingHelpers.isolateAll()
    let given = Array(CommandLine.arguments.dropFirst())
    do {
      var faults: [PlumbError] = []
      var arguments = try ConfigurationFile.expanded(given, names: optionNames, &faults)
      guard given.contains("--check-config") else {
        if let first = faults.first { throw first }
        return main(arguments)
      }
      let usage = OptionCheck.faults(of: &arguments)
      let lines = faults.map { line(of: $0) } + usage
      for line in lines { LineLogger(form: .text).write(.error, line, [:]) }
      let status = usage.isEmpty ? lines.isEmpty ? .success : .failure : ExitCode.validationFailure
      optionStatus.store(status.rawValue, ordering: .relaxed)
      // The documents are checked, too, unless options contradict each other.
      if usage.isEmpty || (try? parse(arguments)) != nil { return main(arguments) }
      LogQueue.shared.flush(seconds: 1)
      exit(withError: status)
    } catch {
      LineLogger(form: .text).write(.error, line(of: error), [:])
      LogQueue.shared.flush(seconds: 1)
      exit(withError: ExitCode.failure)
    }
  }

  /// The exit status of `--check-config` for the options alone.
  private static let optionStatus = Atomic(ExitCode.success.rawValue)

  /// All options, including their hyphens.
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
    try access.checkExposure("--bind \(access.bind.printable)")
  }

  /// Enters the sandbox before any thread is started, then runs the server.
  func run() throws {
    LoggingSystem.bootstrap { _ in LineLogger(form: log) }
    let logger = Logger(label: "plumb-server")
    if let limit = limits.memoryLimit {
      ProcessMemory.limitHeaps()
      MemoryGuard.limitHelpers(limit)
    }
    let (socket, manager): (ListeningSocket?, ServiceManager?)
    let account: String?
    var command = self
    var addressFault: PlumbError?
    do {
      if checkConfig {
        (socket, manager) = (nil, nil)
        addressFault = ListeningSocket.fault(of: access.bind, port: access.port)
      } else {
        (socket, manager) = (
          try ListeningSocket(access.bind, port: access.port), ServiceManager()
        )
      }
      if let socket, socket.isHanded {
        // The address of the service manager's socket overrides the options.
        command.access.bind = socket.address ?? "localhost"
        try command.access.checkExposure(
          "the service manager's socket at \(command.access.bind.printable)")
      }
      // The number of processors cannot be read in the sandbox.
      _ = Workers()
      account = try sandbox().enter()
    } catch {
      throw Self.end(of: error, logger)
    }
    Task { [command, addressFault] in
      do {
        if checkConfig {
          try check(addressFault, logger)
        } else {
          let server = try Server(command, logger, socket: socket, manager: manager)
          if let account { logger.info("\(account)") }
          try await server.run()
        }
        _exit(EXIT_SUCCESS)
      } catch {
        let end = Self.end(of: error, logger)
        if !(end is ExitCode) { fputs(Self.fullMessage(for: end) + "\n", stderr) }
        // `_exit` skips exit handlers, which would unload data of libraries that other threads may
        // still use.
        _exit(Self.exitCode(for: end).rawValue)
      }
    }
    dispatchMain()
  }

  /// Logs all faults of the files that the options name, one line each.
  ///
  /// - Throws: the exit status if there are faults of options or files.
  private func check(_ addressFault: PlumbError?, _ logger: Logger) throws {
    let faults = addressFault.map { [Self.line(of: $0)] } ?? []
    let lines = faults + Server.faults(of: self, logger)
    for line in lines { logger.error("\(line)") }
    var status = ExitCode(Self.optionStatus.load(ordering: .relaxed))
    if status == .success, !lines.isEmpty { status = .failure }
    if status == .success { logger.info("the configuration is valid") }
    LogQueue.shared.flush(seconds: 1)
    if status != .success { throw status }
  }

  /// Logs an error unless it is a usage error, and returns the error with which to exit.
  private static func end(of error: any Error, _ logger: Logger) -> any Error {
    defer { LogQueue.shared.flush(seconds: 1) }
    if error is ExitCode || error is ValidationError { return error }
    logger.error("\(line(of: error))")
    return ExitCode.failure
  }

  /// The names of settings in the command line.
  static let names: [Setting: String] = [
    .allowOutside: "--allow-outside", .allowHost: "--allow-host", .token: "--token",
  ]

  /// Returns the line that the command prints for an error.
  static func line(of error: any Error) -> String { PlumbError.line(of: error).text(names) }
}

struct ServerAccessArguments: ParsableArguments {
  @Option(help: "The port; 0 selects a free one.")
  var port: UInt16 = 8080
  @Option(help: "The address to listen on.")
  var bind = "127.0.0.1"
  @Flag(help: "Serve all clients without a token on an address that other hosts can reach.")
  var open = false
  @Option(help: "A file of tokens, one per line; requests need one of them.")
  var tokenFile: String?
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Allowed origins of pages on other hosts, such as https://maps.example.org, or *.",
      valueName: "origin"))
  var cors: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Proxies whose headers Forwarded and X-Forwarded-For, -Host, -Proto and -Prefix are trusted: \
      addresses, or networks such as 10.0.0.0/8.
      """, valueName: "address"))
  var trustedProxy: [String] = []
  @Option(
    help: ArgumentHelp(
      """
      A PEM file with a certificate, followed by its chain; enables HTTPS. SIGHUP reloads the file.
      """, valueName: "file"))
  var cert: String?
  @Option(help: ArgumentHelp("A PEM file with the certificate's key.", valueName: "file"))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "The start of addresses in replies, such as https://maps.example.org/plumb.",
      valueName: "url"))
  var baseURL: String?

  func validate() throws {
    guard (cert == nil) == (key == nil) else {
      throw ValidationError("--cert and --key must be given together")
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

  /// - Parameter option: the option or the socket that sets the server's address, for the error
  ///   message.
  /// - Throws: if other hosts can reach the server, and neither a token file nor `--open` is given.
  func checkExposure(_ option: String) throws(ValidationError) {
    guard isLoopback || tokenFile != nil || open else {
      throw ValidationError(
        "\(option) can be reached from other hosts: give --token-file, or --open to serve all "
          + "clients")
    }
  }

  var scheme: String { cert == nil ? "http" : "https" }

  /// The certificate and key; nil if there is no encryption.
  func identity() throws(PlumbError) -> ServerIdentity? {
    guard let cert, let key else { return nil }
    return try ServerIdentity(certificate: cert, key: key)
  }

  /// The base URL without its trailing slash.
  var plainBaseURL: String? {
    baseURL.map { $0.hasBytes(atEnd: "/") ? String($0.dropLast()) : $0 }
  }

  var isLoopback: Bool {
    // The whole string is parsed, because a host name may begin like a loopback address.
    bind == "localhost" || NetworkAddress(bind)?.isLoopback == true
  }
}

struct ServerDocumentArguments: ParsableArguments {
  @Flag(help: "Allow documents to name files outside their folder, and any host.")
  var allowOutside = false
  @Option(
    help: ArgumentHelp(
      """
      Allow documents to name services of this host, at this port or at any port, or the files in a \
      bucket, such as s3://maps; may be repeated. An address of this machine or of a private network \
      needs a separate entry, and so does a bucket.
      """, valueName: "host[:port]|s3://bucket"), transform: { try AllowedHost.entry($0) })
  var allowHost: [AllowedHost] = []
  @Option(
    help: ArgumentHelp(
      """
      The token for the services that documents name, or HOST=TOKEN for the services of one host. Default: \
      PLUMB_TOKEN, or PLUMB_USER and PLUMB_PASSWORD.
      """, valueName: "token"))
  var token: String?

  var access: DocumentAccess { DocumentAccess(isUnlimited: allowOutside, allowing: allowHost) }
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

struct ServerLimitArguments: ParsableArguments {
  @Option(help: "The maximum number of points in one request.")
  var maxPoints = 1_000_000
  @Option(
    help: ArgumentHelp("The maximum size of a decompressed request body.", valueName: "64MB"))
  var maxBody = ByteSize(bytes: 64 << 20)
  @Option(
    help: ArgumentHelp(
      """
      The limits of one client, identified by its address: connections, requests handled at once, and \
      bytes of bodies and of unread replies.
      """, valueName: "connections=64,requests=8,bytes=256MB"))
  var perClient = ClientLimits()
  @Option(help: "The time limit of a request in seconds.")
  var timeout = 30.0
  @Option(help: "The number of requests handled at once. Default: one per processor, at least 2.")
  var workers: Int?
  @Option(help: ArgumentHelp("Memory for decoded tiles.", valueName: "512MB"))
  var cache = ByteSize(bytes: 512 << 20)

  @Option(
    help: ArgumentHelp(
      """
      The memory limit: when memory is low, requests run one at a time, and when it is almost exhausted, \
      the longest-running request is cancelled. Default: the limit of the control group, if any.
      """, valueName: "size"))
  var memory: ByteSize?

  /// The memory limit in bytes; nil if there is no limit.
  var memoryLimit: Int? { memory?.bytes ?? MemoryGuard.systemLimit }

  func validate() throws {
    guard memory.map({ $0.bytes >= 64 << 20 }) ?? true else {
      throw ValidationError("--memory takes 64MB or more")
    }
    guard workers.map({ (1...1024).contains($0) }) ?? true else {
      throw ValidationError("--workers takes a number from 1 to 1024")
    }
    guard maxPoints >= 1 else { throw ValidationError("--max-points takes a number of 1 or more") }
    guard timeout > 0, timeout <= 86_400 else {
      throw ValidationError("--timeout takes a number of seconds above 0, at most 86400")
    }
    guard maxBody.bytes <= 4 << 30 else { throw ValidationError("--max-body takes at most 4GB") }
  }
}

enum LogForm: String, ExpressibleByArgument, CaseIterable {
  case text, json
}

/// A number of bytes, such as `64MB`.
struct ByteSize: ExpressibleByArgument {
  var bytes: Int

  init(bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    guard let bytes = ByteCount.read(argument) else { return nil }
    self.bytes = bytes
  }

  var defaultValueDescription: String { "\(bytes >> 20)MB" }
}
