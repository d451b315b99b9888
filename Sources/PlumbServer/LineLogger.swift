import Logging
import Plumb
import PlumbCore
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Logs each message to standard error as one line of text or as one JSON object.
struct LineLogger: LogHandler {
  let form: LogForm
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]

  init(form: LogForm) { self.form = form }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let added = event.metadata ?? [:]
    let facts = metadata.isEmpty ? added : metadata.merging(added) { _, eventValue in eventValue }
    write(event.level, event.message.description, facts)
  }

  func write(_ level: Logger.Level, _ message: String, _ facts: Logger.Metadata) {
    let facts = facts.sorted { $0.key < $1.key }
    var text: String
    switch form {
    case .json:
      var object = JSONObject()
      object.add("time", Self.time)
      object.add("level", level.rawValue)
      object.add("message", message.printable)
      for (name, value) in facts {
        switch value {
        case .stringConvertible(let number as Int): object.add(name, number)
        case .stringConvertible(let number as Double): object.add(name, number)
        default: object.add(name, "\(value)")
        }
      }
      text = object.text
    case .text:
      text = "plumb-server: "
      if level >= .warning { text += "\(level.rawValue): " }
      text += message.printable
      for (name, value) in facts { text += " \(name)=\("\(value)".printable)" }
    }
    LogQueue.shared.put(Array((text + "\n").utf8))
  }

  /// The current time in UTC.
  private static var time: String {
    let now = WallClock.milliseconds
    var parts = tm()
    var seconds = Int(now / 1000)
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let milliseconds = (now % 1000 + 1000) % 1000
    let fraction = String(repeating: "0", count: 3 - "\(milliseconds)".count) + "\(milliseconds)"
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T"
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(fraction)Z"
  }
}
