import Dispatch
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Plumb
import PlumbIO
import PlumbService

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The running server: documents, connections and signals.
struct Server {
  private let command: ServerCommand
  private let logger: Logger
  private let rules: AccessRules
  private let service: Service
  private let monitors: [LiveMonitor]

  /// - Throws: what does not open, before anything listens.
  init(_ command: ServerCommand, _ logger: Logger) throws {
    (self.command, self.logger) = (command, logger)
    rules = try AccessRules(command.access)
    let catalog = try Self.catalog(command, rules)
    for line in catalog.warnings { logger.warning("\(line)") }
    monitors = try command.monitorFiles().map { name, path in
      try LiveMonitor(
        name: name, path: path, command.watching.limits, Workers(),
        access: command.documents.access, signIn: SignIn(option: command.documents.token))
    }
    for monitor in monitors {
      for line in monitor.warnings { logger.warning("\(monitor.name): \(line)") }
    }
    service = Service(catalog, monitors: monitors, page: Self.page(command.leaflet, logger))
    Workers.detach { for line in catalog.warm() { logger.warning("\(line)") } }
  }

  /// The page; without Leaflet it says so itself.
  private static func page(_ leaflet: String?, _ logger: Logger) -> PageFiles {
    guard let leaflet else { return PageFiles() }
    if FileKind(path: leaflet + "/leaflet.js") != .file {
      logger.warning(
        "--leaflet \(leaflet.printable): there is no leaflet.js in it, so the page has no map")
    }
    return PageFiles(leaflet: leaflet)
  }

  private static func catalog(
    _ command: ServerCommand, _ rules: AccessRules
  ) throws -> ServiceCatalog {
    var settings = ServiceSettings()
    settings.maximumPoints = command.limits.maxPoints
    settings.cacheBytes = command.limits.cache.bytes
    settings.maximumBody = command.limits.maxBody.bytes
    settings.needsToken = rules.needsToken
    settings.access = command.documents.access
    settings.signIn = SignIn(option: command.documents.token)
    settings.names = ServerCommand.names
    return try ServiceCatalog(maps: command.maps, networks: command.network, settings)
  }

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    let processors = Workers().count
    let pool = WorkPool(
      threads: max(2, processors), limit: 1024, timeout: command.limits.timeout)
    defer { pool.close() }
    let responder = RequestResponder(
      service: service, rules: rules, pool: pool, metrics: Metrics(), logger: logger,
      maximumBody: command.limits.maxBody.bytes, patience: command.limits.timeout,
      bodies: Budget(command.limits.maxBody.bytes * 4), streams: Budget(64))
    let reloading = reloadOnHangUp()
    let renewing = renewPeriodically()
    let limits = [SIGTERM, SIGINT].map(limitDraining)
    defer {
      for source in limits + [reloading] { source.cancel() }
      renewing.cancel()
    }
    let access = command.access
    // One thread takes tens of thousands of requests a second; the others are the engines'.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var quiet = Logger(label: "plumb-server.connections")
    quiet.logLevel = .error
    let connections = Self.raiseFileLimit()
    let hubs = monitors.map { EventHub($0, group.any()) }
    let entrance =
      hubs.isEmpty ? nil : EventEntrance(hubs: hubs, rules: rules, logger: logger)
    let application = Application(
      responder: responder,
      server: HTTPServerBuilder { responder in
        ServerChannel(
          http: HTTP1Channel(
            responder: responder, configuration: .init(idleTimeout: .seconds(75))),
          entrance: entrance)
      },
      configuration: ApplicationConfiguration(
        address: .hostname(access.bind, port: Int(access.port)), serverName: nil,
        availableConnectionsDelegate: .maximum(connections, logger: quiet)),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? Int(access.port)
        let host = access.bind.contains(":") ? "[\(access.bind)]" : access.bind
        logger.info("listening on http://\(host):\(port)/")
      },
      eventLoopGroupProvider: .shared(group), logger: quiet)
    do {
      // Tasks run where their connection is, so that no request goes from thread to thread but to
      // the pool and back.
      try await withTaskExecutorPreference(EventLoopTasks(group.any())) {
        try await application.runService(gracefulShutdownSignals: [.sigterm, .sigint])
      }
    } catch let error as IOError {
      throw PlumbError(
        "\(access.bind.printable):\(access.port) cannot be listened at: "
          + String(cString: strerror(error.errnoCode)), code: .system)
    }
    logger.info("ended")
    // Libraries' own ends do not wait for threads that still read ahead; nothing is left to be written.
    _exit(EXIT_SUCCESS)
  }

  /// Ends the process where what was asked is not answered in the time that a request may take: a
  /// library's call cannot be interrupted.
  private func limitDraining(_ number: Int32) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(
      signal: number, queue: DispatchQueue(label: "plumb-server.end"))
    let (logger, seconds) = (logger, command.limits.timeout)
    source.setEventHandler {
      logger.info("ending")
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds + 1) {
        logger.warning("requests were not answered in \(seconds) s and are cut off")
        _exit(EXIT_FAILURE)
      }
    }
    source.resume()
    return source
  }

  /// Reads the documents anew on SIGHUP, while the old ones answer.
  private func reloadOnHangUp() -> any DispatchSourceSignal {
    signal(SIGHUP, SIG_IGN)
    let source = DispatchSource.makeSignalSource(
      signal: SIGHUP, queue: DispatchQueue(label: "plumb-server.reload"))
    let (command, rules, service, logger) = (command, rules, service, logger)
    source.setEventHandler {
      do {
        let catalog = try Self.catalog(command, rules)
        for line in catalog.warnings + catalog.warm() { logger.warning("\(line)") }
        service.replace(catalog)
        logger.info("the documents were read anew")
      } catch {
        logger.error(
          "the documents cannot be read anew, the old ones answer on: \(ServerCommand.line(of: error))"
        )
      }
    }
    source.resume()
    return source
  }

  /// Looks twice a minute whether services of other machines are there that were not when their maps were
  /// opened.
  private func renewPeriodically() -> any DispatchSourceTimer {
    // One that does not answer takes its time.
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb-server.renew"))
    timer.schedule(deadline: .now() + 30, repeating: 30, leeway: .seconds(1))
    let (service, logger) = (service, logger)
    timer.setEventHandler {
      let (isRenewed, lines) = service.renew()
      for line in lines { logger.warning("\(line)") }
      if isRenewed { logger.info("a service is there that was not: its map was read anew") }
    }
    timer.resume()
    return timer
  }

  /// Lets the process have as many files as the system allows, and says how many connections fit.
  private static func raiseFileLimit() -> Int {
    var limit = rlimit()
    #if canImport(Darwin)
      let files = RLIMIT_NOFILE
    #else
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    guard getrlimit(files, &limit) == 0 else { return 256 }
    var raised = limit
    raised.rlim_cur = min(limit.rlim_max, 1 << 16)
    if raised.rlim_cur > limit.rlim_cur, setrlimit(files, &raised) == 0 { limit = raised }
    // Rasters and their readers take the rest.
    return max(16, Int(min(limit.rlim_cur, 1 << 16)) - 192)
  }
}
