import Plumb
import PlumbDocuments
import PlumbIO
import PlumbVerbs
import Synchronization

/// A monitor whose locations come from clients. Threads may share it: its updates are made one after
/// the other.
package final class LiveMonitor: Sendable {
  /// What one thread at a time uses.
  struct State {
    let notifiers: FenceNotifierGroup
    var entities = EntityNames()
    var entityCount = 0
    /// Rows that came, bad ones too: an event's `index` counts them.
    var rows = 0
    var counts = Counts()
    var warnings: [String]
    /// Entities for whom there was no room since silent ones were looked for.
    var unsearched = 0
  }

  /// What has happened since the start.
  struct Counts {
    var requests = 0
    var accepted = 0
    var refused = 0
    var events = 0
  }

  /// What it is called in addresses.
  package let name: String
  /// How much it holds.
  package let limits: MonitorLimits
  /// What has happened.
  package let log: EventLog
  let definition: MonitorDefinition
  let readsAttributes: Bool
  let regions: [RasterFence]
  let replay = Replay()
  private let state: Mutex<State>
  /// How many listen, as the server counts them.
  package let subscribers = Atomic<Int>(0)
  let json: NotificationJSON

  /// Opens what a file names.
  ///
  /// - Parameters:
  ///   - name: letters, digits, `-`, `_` and dots.
  ///   - path: the file.
  ///   - access: which files and hosts it may name.
  ///   - signIn: as whom services are asked; nil for nobody.
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

  /// More are not said.
  private static let warningLimit = 100

  static func warnings(_ fences: FenceSet) -> [String] {
    WatchedFences.warnings(of: fences, limit: warningLimit)
  }

  /// What was wrong with the fences.
  package var warnings: [String] { state.withLock { $0.warnings } }

  /// Runs `body` while no other thread uses the monitor.
  func withState<Value>(_ body: (inout sending State) throws -> sending Value) rethrows
    -> sending Value
  {
    try state.withLock(body)
  }
}
