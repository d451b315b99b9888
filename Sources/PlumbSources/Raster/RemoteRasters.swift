import PlumbCore
import PlumbIO

/// Settings for downloads of rasters at URLs, for the whole process.
public enum RemoteRasters {
  /// The largest number of concurrent requests; 8 by default.
  public static var connections: Int {
    get { HTTPPool.shared.connections }
    set { HTTPPool.shared.connections = newValue }
  }

  /// There are more workers than processors, because opening a file at a URL consists mostly of
  /// waiting.
  static func openers(_ workers: Workers) -> Workers {
    Workers(count: max(workers.count, connections))
  }
}
