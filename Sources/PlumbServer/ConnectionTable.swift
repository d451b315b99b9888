import NIOCore
import PlumbIO
import Synchronization

/// The open connections, limited in total and per client.
///
/// At a limit, the connection that has been idle for the longest time is closed. If no connection is
/// idle, a few more connections at the total limit, or one more connection of a client at its limit, are
/// accepted for health checks.
final class ConnectionTable: Sendable {
  enum Entrance {
    case open
    /// Only `/health` and `/ready` are allowed.
    case healthOnly
    /// Only `/health` and `/ready` are allowed, because the client has too many connections.
    case healthOnlyOfClient
    /// The client has too many connections.
    case refused
    case full
  }

  private struct State {
    var all: [ObjectIdentifier: ClientConnection] = [:]
    var counts: [String: Int] = [:]
  }

  private let state = Mutex(State())
  /// The number of refused connections that may remain open briefly, so that the client can read the
  /// reason.
  let farewells = Budget(32)
  /// The number of connections whose clients have sent further requests before the first request
  /// was answered.
  let pipelined = Atomic<Int>(0)
  private let limit: Int
  private let perClient: Int
  private let proxies: TrustedProxies
  /// The number of connections beyond the limit, which may request only `/health` and `/ready`.
  private static let reserve = 4

  init(limit: Int, perClient: Int, proxies: TrustedProxies) {
    (self.limit, self.perClient, self.proxies) = (limit, perClient, proxies)
  }

  /// The number of connections.
  var count: Int { state.withLock { $0.all.count } }

  func enter(_ connection: ClientConnection) -> Entrance {
    // A proxy's connections belong to many clients.
    let isProxy = connection.address.map { proxies.contain($0) } ?? false
    let (entrance, idle) = state.withLock { state -> (Entrance, ClientConnection?) in
      let clientCount = isProxy ? 0 : state.counts[connection.client, default: 0]
      var entrance = Entrance.open
      var idle: ClientConnection?
      if clientCount >= perClient {
        idle = Self.longestIdle(state.all.values.filter { $0.client == connection.client })
        if idle == nil {
          guard clientCount == perClient, state.all.count < limit else { return (.refused, nil) }
          entrance = .healthOnlyOfClient
        }
      } else if state.all.count >= limit {
        idle = Self.longestIdle(Array(state.all.values))
        if idle == nil {
          guard state.all.count < limit + Self.reserve else { return (.full, nil) }
          entrance = .healthOnly
        }
      }
      if let idle { Self.remove(idle, &state) }
      state.all[ObjectIdentifier(connection)] = connection
      state.counts[connection.client, default: 0] += 1
      return (entrance, idle)
    }
    idle?.close()
    return entrance
  }

  func leave(_ connection: ClientConnection) {
    state.withLock { Self.remove(connection, &$0) }
  }

  private static func remove(_ connection: ClientConnection, _ state: inout State) {
    guard state.all.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    let left = state.counts[connection.client, default: 1] - 1
    state.counts[connection.client] = left == 0 ? nil : left
  }

  private static func longestIdle(_ some: [ClientConnection]) -> ClientConnection? {
    // Connections without any request are closed first.
    some.compactMap { connection in connection.idle.map { (connection, $0) } }
      .min { ($0.1.hasRequested ? 1 : 0, $0.1.since) < ($1.1.hasRequested ? 1 : 0, $1.1.since) }?.0
  }

  /// Closes the connection whose client has not read from its reply for the longest time, if this
  /// time is more than a second.
  ///
  /// - Returns: whether a connection was closed.
  func closeLongestStalled() -> Bool {
    let now = ContinuousClock.now
    let all = state.withLock { Array($0.all.values) }
    let longest =
      all.compactMap { connection in connection.stall(now).map { (connection, $0) } }
      .max { $0.1 < $1.1 }
    guard let (connection, stall) = longest, stall > .seconds(1) else { return false }
    connection.close()
    return true
  }

  /// Closes connections whose clients are too slow to send a request or to read a reply. Call this
  /// method on the event loop of the connections.
  func closeIfStalled(timeout: Duration) {
    let now = ContinuousClock.now
    for connection in state.withLock({ Array($0.all.values) }) {
      connection.closeIfStalled(now, timeout: timeout)
    }
  }
}

/// Proxies that are trusted to name the client and the host.
struct TrustedProxies: Sendable {
  private let networks: [(address: NetworkAddress, bits: Int)]

  /// - Parameter texts: IP addresses, or networks such as `10.0.0.0/8`.
  /// - Returns: nil if an address or a network is invalid.
  init?(_ texts: [String]) {
    var networks: [(NetworkAddress, Int)] = []
    for text in texts {
      let parts = text.utf8.split(
        separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false
      ).map { String(decoding: $0, as: UTF8.self) }
      guard let address = NetworkAddress(parts[0]) else { return nil }
      let width = address.isVersion4 ? 32 : 128
      guard let bits = parts.count == 1 ? width : Int(parts[1]), (0...width).contains(bits) else {
        return nil
      }
      networks.append((address, bits + 128 - width))
    }
    self.networks = networks
  }

  func contain(_ address: NetworkAddress) -> Bool {
    networks.contains { address.begins(with: $0.address, bits: $0.bits) }
  }
}
