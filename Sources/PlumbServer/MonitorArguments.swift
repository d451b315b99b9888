import ArgumentParser
import Plumb
import PlumbService

struct MonitorLimitArguments: ParsableArguments {
  @Option(help: "The maximum number of entities of a monitor.")
  var maxEntities = 100_000
  @Option(help: "The maximum number of clients subscribed to one monitor.")
  var maxSubscribers = 2_000
  @Option(help: "The number of events a monitor keeps for clients that reconnect.")
  var keepEvents = 10_000
  @Option(
    help: ArgumentHelp(
      "The maximum size of a client's backlog of events; a client beyond it is disconnected.",
      valueName: "4MB"))
  var maxQueue = ByteSize(bytes: 4 << 20)

  func validate() throws {
    for (name, value) in [
      ("--max-entities", maxEntities), ("--max-subscribers", maxSubscribers),
      ("--keep-events", keepEvents),
    ] where value < 1 || value > 100_000_000 {
      throw ValidationError("\(name) takes a number from 1 to 100000000")
    }
    guard maxQueue.bytes >= 4096, maxQueue.bytes <= 1 << 30 else {
      throw ValidationError("--max-queue takes 4kB to 1GB")
    }
  }

  var limits: MonitorLimits {
    var limits = MonitorLimits()
    (limits.entities, limits.subscribers) = (maxEntities, maxSubscribers)
    (limits.events, limits.queueBytes) = (keepEvents, maxQueue.bytes)
    return limits
  }
}

extension ServerCommand {
  /// Returns the monitors' names and files.
  func monitorFiles() throws -> [(name: String, path: String)] {
    var seen: Set<String> = []
    return try monitor.map { text in
      let name = String(text.prefix { $0 != "=" })
      let path = String(text.dropFirst(name.count + 1))
      let isName =
        !name.isEmpty && name.utf8.count <= 100 && name != "." && name != ".."
        && name.utf8.allSatisfy { byte in
          byte &- 48 <= 9 || (byte | 0x20) &- 97 < 26 || "-_.".utf8.contains(byte)
        }
      guard isName, !path.isEmpty else {
        throw ValidationError(
          "--monitor \(text.printable): expected NAME=FILE.json, with only letters, digits, -, _ "
            + "and dots in the name")
      }
      guard seen.insert(name).inserted else {
        throw ValidationError("--monitor \(name) is given twice")
      }
      return (name, path)
    }
  }
}
