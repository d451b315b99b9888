import ArgumentParser
import PlumbCore
import PlumbIO
import Synchronization

/// The limits of one client, such as `connections=64,requests=8,bytes=256MB`. A client is
/// identified by its address.
struct ClientLimits: Sendable, ExpressibleByArgument {
  var connections = 64
  /// The maximum number of requests handled at the same time. The client's other requests wait.
  var requests = 8
  /// The maximum size of received bodies and unread replies, in bytes.
  var bytes = 256 << 20

  init() {}

  init?(argument: String) {
    for part in argument.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    {
      let words = part.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
      ).map { String(decoding: $0, as: UTF8.self) }
      guard words.count == 2 else { return nil }
      switch words[0] {
      case "connections":
        guard let number = Int(words[1]), number >= 1 else { return nil }
        connections = number
      case "requests":
        guard let number = Int(words[1]), number >= 1 else { return nil }
        requests = number
      case "bytes":
        guard let number = ByteCount.read(words[1]), number >= 1 else { return nil }
        bytes = number
      default: return nil
      }
    }
  }

  var defaultValueDescription: String {
    "connections=\(connections),requests=\(requests),bytes=\(bytes >> 20)MB"
  }
}

/// Accounts for the memory of requests, in total and per client. The memory consists of request
/// bodies, counted as they arrive, and of replies, counted until the client has read them.
final class MemoryLedger: Sendable {
  /// The reason why a reservation failed.
  enum Refusal: Error { case client, server }

  private struct State {
    var left: Int
    var clients: [String: Int] = [:]
  }

  private let state: Mutex<State>
  private let total: Int
  private let perClient: Int

  /// The number of reserved bytes.
  var used: Int { total - state.withLock { $0.left } }

  /// - Parameters:
  ///   - total: the maximum number of bytes of all clients together.
  ///   - perClient: the maximum number of bytes of one client.
  init(_ total: Int, perClient: Int) {
    state = Mutex(State(left: total))
    self.total = total
    self.perClient = perClient
  }

  fileprivate func reserve(_ count: Int, for client: String) throws(Refusal) {
    guard count > 0 else { return }
    let refusal: Refusal? = state.withLock { state in
      let used = state.clients[client, default: 0]
      // A client without other reservations may exceed its limit, because a single reply may be
      // larger than the limit.
      guard used == 0 || used + count <= perClient else { return .client }
      guard state.left >= count else { return .server }
      state.left -= count
      state.clients[client, default: 0] += count
      return nil
    }
    if let refusal { throw refusal }
  }

  fileprivate func release(_ count: Int, of client: String) {
    state.withLock { state in
      state.left += count
      let used = state.clients[client, default: count] - count
      state.clients[client] = used == 0 ? nil : used
    }
  }
}

/// The bytes reserved by a request. They are released explicitly or when the instance is
/// deallocated.
final class PendingBytes: Sendable {
  private let ledger: MemoryLedger
  private let client: String
  private let count = Atomic<Int>(0)

  init(_ ledger: MemoryLedger, of client: String) { (self.ledger, self.client) = (ledger, client) }

  deinit { releaseAll() }

  /// Reserves more bytes.
  ///
  /// - Throws: if a limit is exceeded.
  func reserve(_ more: Int) throws(MemoryLedger.Refusal) {
    try ledger.reserve(more, for: client)
    count.wrappingAdd(more, ordering: .relaxed)
  }

  /// Whether no bytes are reserved.
  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Releases some of the bytes.
  func release(_ some: Int) {
    count.wrappingSubtract(some, ordering: .relaxed)
    ledger.release(some, of: client)
  }

  func releaseAll() {
    let all = count.exchange(0, ordering: .relaxed)
    if all > 0 { ledger.release(all, of: client) }
  }
}
