import Plumb
import Synchronization

/// What was answered, for Prometheus.
final class Metrics: Sendable {
  private struct State {
    var requests: [Key: Int] = [:]
    var buckets = [Int](repeating: 0, count: Metrics.bounds.count + 1)
    var seconds = 0.0
    var bytes = 0
    var running = 0
  }

  private struct Key: Hashable {
    var operation: String
    var status: Int
  }

  private let state = Mutex(State())
  /// Upper bounds of the buckets of durations, in seconds.
  private static let bounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30]

  func begin() { state.withLock { $0.running += 1 } }

  func end(_ operation: String, status: Int, seconds: Double, bytes: Int) {
    state.withLock { state in
      state.running -= 1
      state.requests[Key(operation: operation, status: status), default: 0] += 1
      let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
      state.buckets[bucket] += 1
      state.seconds += seconds
      state.bytes += bytes
    }
  }

  /// The metrics as text.
  var text: String {
    let state = state.withLock { $0 }
    var lines = ["# TYPE plumb_requests_total counter"]
    let requests = state.requests.sorted {
      ($0.key.operation, $0.key.status) < ($1.key.operation, $1.key.status)
    }
    for (key, count) in requests {
      lines.append(
        "plumb_requests_total{operation=\"\(key.operation)\",status=\"\(key.status)\"} \(count)")
    }
    lines.append("# TYPE plumb_request_seconds histogram")
    var sum = 0
    for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], state.buckets) {
      sum += count
      lines.append("plumb_request_seconds_bucket{le=\"\(bound)\"} \(sum)")
    }
    lines.append("plumb_request_seconds_sum \(state.seconds)")
    lines.append("plumb_request_seconds_count \(sum)")
    lines.append("# TYPE plumb_response_bytes_total counter")
    lines.append("plumb_response_bytes_total \(state.bytes)")
    lines.append("# TYPE plumb_requests_running gauge")
    lines.append("plumb_requests_running \(state.running)")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The name that an address counts under: few, whatever clients ask.
  static func operation(_ path: String) -> String {
    let parts = path.split(separator: "/").map { $0.lowercased() }
    switch parts.first {
    case nil: return "root"
    case "health", "metrics": return parts[0]
    case "api":
      return ["identify", "sample", "buffer", "trace"].contains(parts.last)
        ? "api_" + parts[parts.count - 1] : "other"
    case "monitor":
      let known = ["locations", "fences", "replay", "events"]
      return parts.count > 2 && known.contains(parts[2]) ? "monitor_" + parts[2] : "monitor"
    case "arcgis":
      let known = [
        "identify", "export", "legend", "layers", "query", "getsamples", "exportimage", "trace",
        "buffer", "project", "services", "info", "mapserver", "featureserver", "imageserver",
        "querydataelements", "associations",
      ]
      guard let last = parts.last else { return "other" }
      return known.contains(last) ? "rest_" + last : Int(last) != nil ? "rest_layer" : "rest_other"
    default: return "other"
    }
  }
}
