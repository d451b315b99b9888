import Plumb
import PlumbDocuments
import PlumbIO
import PlumbVerbs
import Synchronization

/// A monitor whose locations come from clients. A monitor is thread-safe. Only one thread at a time
/// updates its state.
package final class LiveMonitor: Sendable {
  /// The state, used by one thread at a time.
  struct State {
    let notifiers: FenceNotifierGroup
    var entities = EntityNames()
    var entityCount = 0
    /// The number of rows received, including invalid rows. The `index` of an event is the
    /// position of its row among these rows, from 0.
    var rows = 0
    var counts = Counts()
    var warnings: [String]
    /// The number of attempts to add an entity beyond the limit since the last search for silent
    /// entities.
    var unsearched = 0
  }

  /// Counts since the start.
  struct Counts {
    var requests = 0
    var accepted = 0
    var refused = 0
    var events = 0
  }

  /// The monitor's name in URLs.
  package let name: String
  /// The capacity limits.
  package let limits: MonitorLimits
  /// The event log.
  package let log: EventLog
  let definition: MonitorDefinition
  let readsAttributes: Bool
  let regions: [RasterFence]
  let replay = Replay()
  private let state: Mutex<State>
  /// The number of subscribers, maintained by the server.
  package let subscribers = Atomic<Int>(0)
  let json: NotificationJSON

  /// Opens a monitor definition file.
  ///
  /// - Parameters:
  ///   - name: the monitor's name, which consists of letters, digits, `-`, `_` and dots.
  ///   - path: the path of the definition file.
  ///   - access: the files and hosts to which the definition may refer.
  ///   - signIn: the credentials for requests to services; nil for none.
  package init(
    name: String, path: String, _ limits: MonitorLimits, _ workers: Workers,
    access: DocumentAccess = .folder, signIn: SignIn? = nil
  ) throws {
    (self.name, self.limits) = (name, limits)
    let definition = try MonitorDefinition(path: path, access: access)
    self.definition = definition
    log = EventLog(limits)
    json = NotificationJSON(
      explains: definition.request.explains,
      reportsCrossings: definition.plan.rules.reportsCrossings)
    do {
      var plan = definition.plan
      (plan.stayLimit, plan.warningLimit) = (limits.stays, Self.warningLimit)
      var warnings: [String] = []
      let watched = try WatchedFences(
        plan, access: access,
        services: FeatureServices(access: access, signIn: signIn, isNamed: false),
        workers: workers
      ) { warnings.append($0.description) }
      (regions, readsAttributes) = (watched.regions, watched.readsAttributes)
      state = Mutex(State(notifiers: watched.notifiers, warnings: warnings))
    } catch {
      throw PlumbError("\(path.printable)", error)
    }
  }

  /// The maximum number of warnings.
  private static let warningLimit = 100

  static func warnings(_ fences: FenceSet) -> [String] {
    WatchedFences.warnings(of: fences, limit: warningLimit)
  }

  /// Warnings about the fences.
  package var warnings: [String] { state.withLock { $0.warnings } }

  /// Runs `body` while no other thread uses the monitor.
  func withState<Value>(_ body: (inout sending State) throws -> sending Value) rethrows
    -> sending Value
  {
    try state.withLock(body)
  }
}
