import NIOCore
import Plumb
import PlumbCore
import PlumbIO
import Synchronization

/// A connection and the work that is done for its client, which ends when the client goes.
final class ClientConnection: Sendable {
  private struct State {
    var isGone = false
    var work: [ObjectIdentifier: WorkCancellation] = [:]
    /// Requests that have come and are not answered.
    var requests = 0
    /// Since when nothing is asked.
    var idleSince = ContinuousClock.now
    /// Whether a request was answered.
    var hasAsked = false
    /// Since when the head of a request comes.
    var headSince: ContinuousClock.Instant?
    /// Bytes that wait to be read, and since when none was.
    var unread = 0
    var unreadSince = ContinuousClock.now
  }

  private let state = Mutex(State())
  private let channel: any Channel
  /// Nil for one of no network.
  let address: NetworkAddress?
  /// What its limits are counted by.
  let client: String

  init(_ channel: any Channel) {
    self.channel = channel
    address = channel.remoteAddress?.ipAddress.flatMap { NetworkAddress($0) }
    client = address?.network.description ?? "local"
  }

  /// That of the request which the calling task answers.
  @TaskLocal static var current: ClientConnection?

  /// Whether nobody waits for an answer any more.
  var isGone: Bool { state.withLock { $0.isGone } }

  /// Cancels some work when the client goes; at once where it is gone.
  func begin(_ work: WorkCancellation) {
    let isGone = state.withLock { state in
      state.work[ObjectIdentifier(work)] = work
      return state.isGone
    }
    if isGone { work.cancel() }
  }

  func end(_ work: WorkCancellation) {
    state.withLock { _ = $0.work.removeValue(forKey: ObjectIdentifier(work)) }
  }

  /// Ends a reply in the middle, also where its client takes nothing of it.
  func cut() { channel.close(promise: nil) }

  /// The client is gone.
  func leave() {
    let running = state.withLock { state in
      state.isGone = true
      return Array(state.work.values)
    }
    for work in running { work.cancel() }
  }

  // MARK: What it does

  /// Some bytes have come.
  func noteBytes() {
    state.withLock { state in
      if state.requests == 0, state.headSince == nil { state.headSince = ContinuousClock.now }
    }
  }

  /// A request's head has come.
  func beginRequest() {
    state.withLock { state in
      state.requests += 1
      state.headSince = nil
    }
  }

  /// A request was answered.
  func endRequest() {
    state.withLock { state in
      state.requests -= 1
      (state.idleSince, state.hasAsked) = (ContinuousClock.now, true)
    }
  }

  /// A part of a reply was taken, so that the one before has been read.
  func noteProgress() { state.withLock { $0.unreadSince = ContinuousClock.now } }

  /// Whether it has asked before, and since when it asks nothing; nil while it does.
  var idle: (hasAsked: Bool, since: ContinuousClock.Instant)? {
    state.withLock { $0.requests == 0 ? ($0.hasAsked, $0.idleSince) : nil }
  }

  /// For how long the client has not read anything of what waits for it; nil where nothing waits.
  func stall(_ now: ContinuousClock.Instant) -> Duration? {
    state.withLock { $0.unread > 0 ? now - $0.unreadSince : nil }
  }

  /// Closes a connection whose client neither sends what it has begun nor reads what it is sent. On the
  /// event loop.
  func look(_ now: ContinuousClock.Instant, patience: Duration) {
    let unread =
      (try? channel.syncOptions?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0
    let isLate = state.withLock { state in
      if unread != state.unread { (state.unread, state.unreadSince) = (unread, now) }
      if unread > 0, now - state.unreadSince > patience { return true }
      return state.headSince.map { now - $0 > patience } ?? false
    }
    if isLate { cut() }
  }
}

/// Tells a connection what its bytes say: that they come, and that the client goes.
///
/// A client that only ends its own side looks the same as one that is gone, as long as nothing is sent.
final class DepartureHandler: ChannelInboundHandler {
  typealias InboundIn = NIOAny

  private let connection: ClientConnection
  private let table: ConnectionTable

  init(_ connection: ClientConnection, _ table: ConnectionTable) {
    (self.connection, self.table) = (connection, table)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection.noteBytes()
    context.fireChannelRead(data)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed = event { connection.leave() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    connection.leave()
    table.leave(connection)
    context.fireChannelInactive()
  }
}
