import Dispatch
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Plumb
import PlumbIO
import PlumbService

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The running server with its documents, connections and signal handlers.
struct Server {
  private let command: ServerCommand
  private let logger: Logger
  private let socket: ListeningSocket?
  private let identity: ServerIdentity?
  private let access: LiveAccess
  private let service: Service
  private let manager: ServiceManager?
  private let monitors: [LiveMonitor]

  /// - Parameter socket: the socket that clients connect to.
  /// - Throws: if a document, a monitor or a certificate cannot be opened. The server does not
  ///   listen for connections yet.
  init(
    _ command: ServerCommand, _ logger: Logger, socket: ListeningSocket?, manager: ServiceManager?
  ) throws {
    (self.command, self.logger, self.socket) = (command, logger, socket)
    self.manager = manager
    identity = try command.access.identity()
    let rules = try AccessRules(command.access)
    access = LiveAccess(rules)
    let catalog = try Self.catalog(command, needsToken: rules.needsToken)
    for line in catalog.warnings { logger.warning("\(line)") }
    monitors = try command.monitorFiles().map { try Self.monitor($0, command) }
    for monitor in monitors {
      for line in monitor.warnings { logger.warning("\(monitor.name): \(line)") }
    }
    let service = Service(catalog, monitors: monitors, page: Self.page(command.leaflet, logger))
    self.service = service
    Workers.detach {
      for line in catalog.warm() { logger.warning("\(line)") }
      service.becomeReady()
      manager?.notify("READY=1\nSTATUS=ready")
    }
  }

  private static func monitor(
    _ file: (name: String, path: String), _ command: ServerCommand
  ) throws -> LiveMonitor {
    try LiveMonitor(
      name: file.name, path: file.path, command.watching.limits, Workers(),
      access: command.documents.access, signIn: SignIn(option: command.documents.token))
  }

  /// The faults of the files that the options name, one line each.
  static func faults(of command: ServerCommand, _ logger: Logger) -> [String] {
    var faults: [String] = []
    func attempt<Value>(_ body: () throws -> Value) -> Value? {
      do {
        return try body()
      } catch {
        faults.append(ServerCommand.line(of: error))
        return nil
      }
    }
    _ = attempt { try command.access.identity() }
    let needsToken = attempt { try AccessRules(command.access) }?.needsToken ?? false
    do {
      let catalog = try catalog(command, needsToken: needsToken)
      faults += catalog.warnings + catalog.warm()
    } catch {
      let known = faults.count
      for (maps, networks) in command.maps.map({ ([$0], []) })
        + command.network.map({ ([], [$0]) })
      {
        var one = command
        (one.maps, one.network) = (maps, networks)
        guard let catalog = attempt({ try catalog(one, needsToken: needsToken) }) else { continue }
        faults += catalog.warnings + catalog.warm()
      }
      // If no single document fails, their combination fails, for example because two documents have the
      // same name.
      if faults.count == known { faults.append(ServerCommand.line(of: error)) }
    }
    for file in (try? command.monitorFiles()) ?? [] {
      for line in attempt({ try monitor(file, command) })?.warnings ?? [] {
        logger.warning("\(file.name): \(line)")
      }
    }
    _ = page(command.leaflet, logger)
    return faults
  }

  /// Returns the files of the web page. The page itself reports a missing Leaflet.
  private static func page(_ leaflet: String?, _ logger: Logger) -> PageFiles {
    guard let leaflet else { return PageFiles() }
    if FileKind(path: leaflet + "/leaflet.js") != .file {
      logger.warning(
        "--leaflet \(leaflet.printable): there is no leaflet.js in it, so the page has no map")
    }
    return PageFiles(leaflet: leaflet)
  }

  private static func catalog(
    _ command: ServerCommand, needsToken: Bool
  ) throws -> ServiceCatalog {
    var settings = ServiceSettings()
    settings.maximumPoints = command.limits.maxPoints
    settings.cacheBytes = command.limits.cache.bytes
    settings.maximumBody = command.limits.maxBody.bytes
    if command.limits.memoryLimit != nil {
      // The shapes of a vector picture are in memory until the picture is sent.
      settings.vectorPicture = min(
        settings.vectorPicture, pendingMemory(command.limits) - vectorPictureMargin)
    }
    settings.needsToken = needsToken
    settings.access = command.documents.access
    settings.signIn = SignIn(option: command.documents.token)
    settings.names = ServerCommand.names
    return try ServiceCatalog(maps: command.maps, networks: command.network, settings)
  }

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    let limits = command.limits
    let pool = Self.pool(limits)
    let quickPool = WorkPool(threads: 1, limit: 256, perClient: 1, timeout: limits.timeout)
    defer {
      pool.close()
      quickPool.close()
    }
    let table = ConnectionTable(
      limit: Self.raiseFileLimit(), perClient: limits.perClient.connections, proxies: proxies)
    let responder = responder(pool, quickPool, table)
    let journal = RequestJournal(metrics: responder.metrics, logger: logger)
    let reloading = reloadOnHangUp()
    let renewing = renewPeriodically()
    let memory = ProcessMemory.trimmingTimer()
    let memoryGuard = memoryGuard(pool, table, responder.bodies.ledger)
    defer {
      memory?.cancel()
      memoryGuard?.close()
      reloading.cancel()
      renewing.cancel()
    }
    let access = command.access
    // One thread is enough for the event loop, because it handles tens of thousands of requests per
    // second. The other processors are for the engines.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var quiet = Logger(label: "plumb-server.connections")
    quiet.logLevel = .error
    let hubs = monitors.map { EventHub($0, group.any()) }
    let entrance =
      hubs.isEmpty
      ? nil : EventEntrance(hubs: hubs, access: self.access, proxies: proxies, journal: journal)
    let listener = Listener(
      ServerChannel(
        http: Self.http(responder), entrance: entrance, table: table, journal: journal,
        proxies: proxies, identity: identity,
        maximumBody: limits.maxBody.bytes), group, quiet)
    let drains = [SIGTERM, SIGINT].map { limitDraining($0, listener) }
    defer { for source in drains { source.cancel() } }
    let watching = group.any().scheduleRepeatedTask(
      initialDelay: .milliseconds(250), delay: .milliseconds(250)
    ) { _ in table.closeIfStalled(timeout: .seconds(limits.timeout)) }
    // The watchdog notifications are sent on the event loop, so that the notifications stop if the
    // event loop hangs.
    let signs = manager.flatMap { manager in
      manager.watchInterval.map { seconds in
        let interval = TimeAmount.milliseconds(Int64(max(1, seconds * 1000)))
        return group.any().scheduleRepeatedTask(initialDelay: .zero, delay: interval) { _ in
          manager.notify("WATCHDOG=1")
        }
      }
    }
    guard let socket else { preconditionFailure("a server that runs has a socket") }
    do {
      // Tasks run on the event loop of their connection, so that requests switch threads only to
      // the pool and back.
      try await withTaskExecutorPreference(EventLoopTasks(group.any())) {
        try await listener.run(on: socket.handle) {
          let host = access.bind.contains(":") ? "[\(access.bind)]" : access.bind
          let location =
            socket.address == nil
            ? "the service manager's socket" : "\(access.scheme)://\(host):\(socket.port)/"
          logger.info("listening on \(location)")
        }
      }
    } catch let error as IOError {
      throw PlumbError(
        "cannot listen on \(access.bind.printable):\(access.port): "
          + String(cString: strerror(error.errnoCode)), code: .system)
    }
    watching.cancel()
    signs?.cancel()
    logger.info("ended")
    LogQueue.shared.flush(seconds: 1)
    // `_exit` skips the exit handlers of libraries, which do not wait for threads that still read
    // data. All output has been written.
    _exit(EXIT_SUCCESS)
  }

  /// The guard of the memory limit; nil if there is no limit.
  private func memoryGuard(
    _ pool: WorkPool, _ table: ConnectionTable, _ ledger: MemoryLedger
  ) -> MemoryGuard? {
    command.limits.memoryLimit.map {
      MemoryGuard(
        limit: $0, pool: pool, table: table, ledger: ledger, service: service, logger: logger)
    }
  }

  private static func http(_ responder: RequestResponder) -> HTTP1Channel {
    HTTP1Channel(
      responder: { request, writer, channel in
        var response = try await responder.respond(to: request)
        response.headers[.date] = HTTPDate.now
        do {
          try await writer.write(response: response.head, body: response.body)
        } catch is HTTPParserError {
          // Any other error would make the HTTP library send a second reply after the reply that
          // has begun.
          throw CancellationError()
        }
      }, configuration: .init(idleTimeout: .seconds(75)))
  }

  private var proxies: TrustedProxies {
    guard let proxies = TrustedProxies(command.access.trustedProxy) else {
      preconditionFailure("the options were checked")
    }
    return proxies
  }

  private func responder(
    _ pool: WorkPool, _ quickPool: WorkPool, _ table: ConnectionTable
  ) -> RequestResponder {
    let (limits, options) = (command.limits, command.access)
    let total = Self.pendingMemory(limits)
    // The limit per client is below the total, so that no client can use all of the memory.
    let ledger = MemoryLedger(total, perClient: min(limits.perClient.bytes, total / 4 * 3))
    return RequestResponder(
      service: service, access: access, pool: pool, quickPool: quickPool, metrics: Metrics(),
      logger: logger, timeout: limits.timeout,
      bodies: BodyReader(
        ledger: ledger, limit: limits.maxBody.bytes, timeout: limits.timeout, pool: pool),
      replies: ReplySender(
        pool: pool, streams: MemoryLedger(64, perClient: limits.perClient.requests),
        streamMemory: limits.memoryLimit == nil
          ? MemoryLedger(Self.streamMemory, perClient: limits.perClient.bytes) : ledger,
        waiting: MemoryLedger(total / 4, perClient: total / 4), table: table),
      table: table, proxies: proxies, scheme: options.scheme, baseURL: options.plainBaseURL)
  }

  /// The memory in bytes for bodies and waiting replies. If there is a memory limit, this memory is also
  /// used for the values of streamed replies.
  private static func pendingMemory(_ limits: ServerLimitArguments) -> Int {
    let total = max(limits.maxBody.bytes, minimumBody) * bodies
    guard let memory = limits.memoryLimit else { return total }
    return min(total, max(limits.maxBody.bytes, memory / memoryShare, vectorPictureMargin * 2))
  }

  /// The part of the memory of replies that a vector picture leaves free, in bytes.
  private static let vectorPictureMargin = 6 << 20
  /// The number of bodies of maximum size for which memory is available. It includes the bodies of
  /// requests and of waiting replies.
  private static let bodies = 2

  /// Returns the pool of threads that handle requests.
  private static func pool(_ limits: ServerLimitArguments) -> WorkPool {
    WorkPool(
      threads: limits.workers ?? max(2, Workers().count), limit: 1024,
      perClient: limits.perClient.requests, timeout: limits.timeout,
      largeLimit: limits.memoryLimit.map { max(1, $0 / memoryOfLarge) } ?? .max)
  }

  /// The memory for the values of streamed replies on a server without a memory limit, in bytes.
  private static let streamMemory = 1 << 30
  /// The memory in bytes for each request that takes much memory.
  private static let memoryOfLarge = 512 << 20
  /// The share of the memory limit for bodies, waiting replies and the values of streamed replies, as
  /// a divisor.
  private static let memoryShare = 6
  /// The size in bytes that replaces a smaller maximum size of a request body when the memory is
  /// computed, because replies use the same memory and may be larger than any request.
  private static let minimumBody = 64 << 20

  /// Ends the process if pending requests are not answered within the time limit of a request,
  /// because a library call cannot be interrupted.
  private func limitDraining(_ number: Int32, _ listener: Listener) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let queue = DispatchQueue(label: "plumb-server.end")
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    let (logger, seconds, manager) = (logger, command.limits.timeout, manager)
    source.setEventHandler {
      logger.info("ending")
      manager?.notify("STOPPING=1")
      listener.end()
      queue.asyncAfter(deadline: .now() + seconds + 0.5) {
        logger.warning("requests were not answered in \(seconds) s and are interrupted")
        LogQueue.shared.flush(seconds: 0.2)
        _exit(EXIT_FAILURE)
      }
    }
    source.resume()
    return source
  }

  /// Reloads the documents on SIGHUP. The old documents serve requests in the meantime.
  private func reloadOnHangUp() -> any DispatchSourceSignal {
    signal(SIGHUP, SIG_IGN)
    let source = DispatchSource.makeSignalSource(
      signal: SIGHUP, queue: DispatchQueue(label: "plumb-server.reload"))
    let (command, access, service, logger) = (command, access, service, logger)
    let (manager, identity) = (manager, identity)
    source.setEventHandler {
      manager?.notifyReloading()
      defer { manager?.notify("READY=1") }
      do {
        access.replace(try AccessRules(command.access))
      } catch {
        logger.error(
          "the tokens cannot be reloaded, and the former ones stay valid: \(ServerCommand.line(of: error))"
        )
      }
      do {
        try identity?.reload()
      } catch {
        logger.error("the former certificate is kept: \(ServerCommand.line(of: error))")
      }
      let (kept, lines) = service.reload()
      for line in lines { logger.warning("\(line)") }
      logger.info("reloaded", metadata: kept == 0 ? [:] : ["kept": "\(kept)"])
    }
    source.resume()
    return source
  }

  /// Checks twice a minute whether services on other hosts that were unavailable when their maps
  /// were opened are available now.
  private func renewPeriodically() -> any DispatchSourceTimer {
    // Uses a separate queue, because an unavailable service takes a long time to fail.
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb-server.renew"))
    timer.schedule(deadline: .now() + 30, repeating: 30, leeway: .seconds(1))
    let (service, logger) = (service, logger)
    timer.setEventHandler {
      let (isRenewed, lines) = service.renew()
      for line in lines { logger.warning("\(line)") }
      if isRenewed { logger.info("a service is available again: its map is reloaded") }
    }
    timer.resume()
    return timer
  }

  /// Raises the limit of open files to the system's maximum, and returns the maximum number of
  /// connections for this limit.
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
    // The other 192 files are for rasters and the processes that read them.
    return max(16, Int(min(limit.rlim_cur, 1 << 16)) - 192)
  }
}
