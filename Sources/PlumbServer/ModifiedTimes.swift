import PlumbCore
import Synchronization

/// The times since which the replies at URLs have had their current content.
///
/// The times are derived from the content of replies, so that they are correct for data of any kind.
/// No time is before the start of the server.
final class ModifiedTimes: Sendable {
  private struct Entry {
    var tag: String
    var seconds: Int
  }

  private let entries = Mutex<[String: Entry]>([:])
  /// The maximum number of URLs.
  private static let limit = 4096
  /// The maximum length of a URL in bytes. Longer URLs have no time.
  private static let longest = 1024

  /// Returns the time of a reply, in seconds since 1970; nil if it is not known.
  ///
  /// - Parameter tag: a hash of the content.
  func seconds(of url: String, _ tag: String) -> Int? {
    guard url.utf8.count <= Self.longest else { return nil }
    let now = WallClock.seconds
    return entries.withLock { entries in
      if let known = entries[url] {
        if known.tag.hasSameBytes(as: tag) { return known.seconds <= now ? known.seconds : nil }
        // The times are in whole seconds, and the content may change twice within a second.
        let seconds = max(now, known.seconds + 1)
        entries[url] = Entry(tag: tag, seconds: seconds)
        // A time must not be later than the reply.
        return seconds <= now ? seconds : nil
      }
      if entries.count >= Self.limit { entries.removeAll(keepingCapacity: true) }
      entries[url] = Entry(tag: tag, seconds: now)
      return now
    }
  }
}
