import Plumb
import PlumbCore
import PlumbService
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Request metrics in Prometheus format.
final class Metrics: Sendable {
  private struct State {
    var requests: [Key: Int] = [:]
    var failures: [FailureKey: Int] = [:]
    var times: [String: Times] = [:]
    var bytes = 0
    var running = 0
  }

  private struct Key: Hashable, Comparable {
    var operation: String
    var status: Int

    static func < (a: Key, b: Key) -> Bool { (a.operation, a.status) < (b.operation, b.status) }
  }

  private struct FailureKey: Hashable, Comparable {
    var operation: String
    var kind: String

    static func < (a: FailureKey, b: FailureKey) -> Bool {
      (a.operation, a.kind) < (b.operation, b.kind)
    }
  }

  private struct Times {
    var buckets = [Int](repeating: 0, count: Metrics.bounds.count + 1)
    var seconds = 0.0
    var workerSeconds = 0.0
  }

  /// The outcome of one request.
  struct Outcome: Sendable {
    var operation: String
    var status: Int
    /// The kind of failure; nil if there is no failure.
    var kind: String?
    var seconds: Double
    var workerSeconds: Double
    var bytes: Int
  }

  private let state = Mutex(State())
  private let start = WallClock.seconds
  /// The upper bounds of the duration buckets in seconds.
  private static let bounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30]

  func begin() { state.withLock { $0.running += 1 } }

  func end(_ outcome: Outcome) {
    state.withLock { state in
      state.running -= 1
      let operation = outcome.operation
      state.requests[Key(operation: operation, status: outcome.status), default: 0] += 1
      if let kind = outcome.kind {
        state.failures[FailureKey(operation: operation, kind: kind), default: 0] += 1
      }
      let bucket = Self.bounds.firstIndex { outcome.seconds <= $0 } ?? Self.bounds.count
      state.times[operation, default: Times()].buckets[bucket] += 1
      state.times[operation, default: Times()].seconds += outcome.seconds
      state.times[operation, default: Times()].workerSeconds += outcome.workerSeconds
      state.bytes += outcome.bytes
    }
  }

  /// Current values of the server that do not depend on single requests.
  struct Gauges {
    var connections: Int
    var waiting: Int
    var abandonedThreads: Int
    var droppedLines: Int
  }

  /// Returns the metrics as text.
  func text(_ gauges: Gauges) -> String {
    let state = state.withLock { $0 }
    var text = MetricText()
    text.start("plumb_build_info", .gauge, "The version of plumb-server.")
    text.add(["version": plumbVersion.description], "1")
    text.start("plumb_requests_total", .counter, "Requests that were answered.")
    for (key, count) in state.requests.sorted(by: { $0.key < $1.key }) {
      text.add(["operation": key.operation, "status": "\(key.status)"], "\(count)")
    }
    text.start(
      "plumb_request_failures_total", .counter,
      "Requests answered with an error, including those with the status 200.")
    for (key, count) in state.failures.sorted(by: { $0.key < $1.key }) {
      text.add(["operation": key.operation, "kind": key.kind], "\(count)")
    }
    text.start(
      "plumb_request_seconds", .histogram, "Time from a request's head to the end of its reply.")
    for (operation, times) in state.times.sorted(by: { $0.key < $1.key }) {
      var sum = 0
      for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], times.buckets) {
        sum += count
        text.add(["operation": operation, "le": bound], "\(sum)", suffix: "_bucket")
      }
      text.add(["operation": operation], "\(times.seconds)", suffix: "_sum")
      text.add(["operation": operation], "\(sum)", suffix: "_count")
    }
    text.start("plumb_worker_seconds_total", .counter, "Working time of the pool's threads.")
    for (operation, times) in state.times.sorted(by: { $0.key < $1.key }) {
      text.add(["operation": operation], "\(times.workerSeconds)")
    }
    text.start("plumb_response_bytes_total", .counter, "Bytes of sent bodies.")
    text.add([:], "\(state.bytes)")
    text.start("plumb_requests_running", .gauge, "Unanswered requests, and open event streams.")
    text.add([:], "\(state.running)")
    text.start("plumb_requests_waiting", .gauge, "Requests waiting for a thread of the pool.")
    text.add([:], "\(gauges.waiting)")
    text.start("plumb_connections", .gauge, "Open connections.")
    text.add([:], "\(gauges.connections)")
    text.start(
      "plumb_abandoned_threads_total", .counter,
      "Threads replaced because their work did not end at its time limit.")
    text.add([:], "\(gauges.abandonedThreads)")
    text.start(
      "plumb_log_lines_dropped_total", .counter, "Log lines dropped because of a slow reader.")
    text.add([:], "\(gauges.droppedLines)")
    addProcess(&text)
    return text.text
  }

  // MARK: Process

  private func addProcess(_ text: inout MetricText) {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
    text.start("process_cpu_seconds_total", .counter, "Processor time of the process.")
    text.add([:], "\(seconds(usage.ru_utime) + seconds(usage.ru_stime))")
    text.start("process_start_time_seconds", .gauge, "Start of the process, since 1970.")
    text.add([:], "\(start)")
    guard let memory = ProcessMemory.sizes else { return }
    text.start("process_resident_memory_bytes", .gauge, "Resident memory size.")
    text.add([:], "\(memory.resident)")
    text.start("process_virtual_memory_bytes", .gauge, "Virtual memory size.")
    text.add([:], "\(memory.mapped)")
    text.start("process_open_fds", .gauge, "Open files and connections.")
    text.add([:], "\(Self.openFiles)")
    var limit = rlimit()
    #if canImport(Darwin)
      getrlimit(RLIMIT_NOFILE, &limit)
    #else
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #endif
    text.start("process_max_fds", .gauge, "The maximum number of open files and connections.")
    text.add([:], "\(limit.rlim_cur)")
  }

  private static var openFiles: Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Excludes `.`, `..` and the descriptor of the folder itself.
    return max(0, count - 3)
  }

  // MARK: Names

  /// Returns the operation name for a path. The set of names is small and fixed, so that clients
  /// cannot add metrics by requesting unknown paths.
  static func operation(_ path: String) -> String {
    let parts = path.utf8.split(separator: UInt8(ascii: "/")).map {
      String(decoding: $0, as: UTF8.self).lowercasedASCII
    }
    switch parts.first {
    case nil: return "root"
    case "health", "ready", "metrics": return parts[0]
    case "page", "leaflet": return "page"
    case "api":
      return ["identify", "sample", "buffer", "zonal", "trace", "locate", "page", "reference"]
        .contains(
          parts.last)
        ? "api_" + parts[parts.count - 1] : "other"
    case "monitor":
      let known = ["locations", "fences", "replay", "events", "entities"]
      return parts.count > 2 && known.contains(parts[2]) ? "monitor_" + parts[2] : "monitor"
    case "ogc": return ogcOperation(Array(parts.dropFirst()))
    case "arcgis":
      guard let last = parts.last else { return "other" }
      return restOperations.contains(last)
        ? "rest_" + last : Int(last) != nil ? "rest_layer" : "rest_other"
    default: return "other"
    }
  }

  /// The operations of ArcGIS REST that are counted separately.
  private static let restOperations: Set = [
    "identify", "export", "legend", "layers", "query", "getsamples", "exportimage", "trace",
    "buffer", "project", "services", "info", "mapserver", "featureserver", "imageserver",
    "querydataelements", "associations", "simplify", "union", "intersect", "difference",
    "distance", "lengths", "areasandlengths", "relation", "densify", "generalize", "convexhull",
    "labelpoints", "computestatisticshistograms", "computehistograms", "rasterattributetable",
  ]

  /// - Parameter parts: the path below `/ogc`.
  private static func ogcOperation(_ parts: [String]) -> String {
    guard parts.first == "collections" else {
      return ["api", "conformance"].contains(parts.first)
        ? "ogc_" + parts[0] : parts.isEmpty ? "ogc" : "ogc_other"
    }
    switch parts.count {
    case 1: return "ogc_collections"
    case 2: return "ogc_collection"
    default:
      let known = [
        "items", "queryables", "position", "area", "cube", "radius", "trajectory", "corridor",
        "locations", "schema", "instances",
      ]
      guard known.contains(parts[2]) else { return "ogc_other" }
      return parts[2] == "items" && parts.count > 3 ? "ogc_item" : "ogc_" + parts[2]
    }
  }
}

/// A builder for Prometheus text.
private struct MetricText {
  enum Kind: String { case counter, gauge, histogram }

  private(set) var text = ""
  private var name = ""

  mutating func start(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  mutating func add(_ labels: KeyValuePairs<String, String>, _ value: String, suffix: String = "") {
    let list = labels.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
    text += name + suffix + (list.isEmpty ? "" : "{\(list)}") + " \(value)\n"
  }
}
