import Plumb
import PlumbDocuments
import PlumbIO
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

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
      explains: definition.explains, reportsCrossings: definition.rules.reportsCrossings)
    do {
      let filter = try definition.filter.map { try FeedFilter($0) }
      let message = try definition.message.map { try MessageExpression($0) }
      let regions = try definition.rasterFences.map { try RasterFence($0, access: access) }
      self.regions = regions
      readsAttributes = filter != nil || message?.readsLocation == true
      let condition = try definition.condition.map { try Condition($0) }
      let files = try definition.fences.map {
        try FenceFile(
          $0, where: condition, area: definition.area, access: access,
          services: FeatureServices(access: access, signIn: signIn, isNamed: false))
      }
      var geotriggers = try files.map { file in
        FenceGeotrigger(
          name: definition.name ?? file.name,
          fences: try FenceSet(file.fences, bufferDistance: definition.buffer, workers: workers),
          fenceFields: file.fields, rules: definition.rules, messageExpression: message)
      }
      geotriggers += regions.map {
        FenceGeotrigger(
          name: definition.name ?? $0.name, fences: $0.set, rules: definition.rules,
          messageExpression: message)
      }
      let isOne = geotriggers.count == 1
      let warnings = geotriggers.flatMap { one in
        Self.warnings(one.fences).map { isOne ? $0 : one.name + ": " + $0 }
      }
      let notifiers = try geotriggers.map {
        try FenceNotifier($0, filter: filter, stayLimit: limits.stays, workers: workers)
      }
      state = Mutex(State(notifiers: FenceNotifierGroup(notifiers), warnings: warnings))
    } catch {
      throw PlumbError("\(path.printable)", error)
    }
  }

  /// More are not said.
  private static let warningLimit = 100

  static func warnings(_ fences: FenceSet) -> [String] {
    let all = fences.warnings.map(\.description) + fences.shapeWarnings().map(\.description)
    var lines = Array(all.prefix(warningLimit))
    if all.count > warningLimit { lines.append("and \(all.count - warningLimit) more fences") }
    if !fences.hasUsableFence { lines.append("there is no valid fence") }
    return lines
  }

  /// What was wrong with the fences.
  package var warnings: [String] { state.withLock { $0.warnings } }

  /// Runs `body` while no other thread uses the monitor.
  func withState<Value>(_ body: (inout sending State) throws -> sending Value) rethrows
    -> sending Value
  {
    try state.withLock(body)
  }

  /// Milliseconds since 1970.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
