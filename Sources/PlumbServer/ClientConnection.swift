import NIOCore
import Plumb
import PlumbCore
import PlumbIO
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A connection and the work for its client, which is cancelled when the client disconnects.
final class ClientConnection: Sendable {
  private struct State {
    var isGone = false
    var work: [ObjectIdentifier: WorkCancellation] = [:]
    /// The number of requests that have been received but not answered.
    var requests = 0
    /// The time at which the connection became idle.
    var idleSince = ContinuousClock.now
    /// Whether at least one request has been answered.
    var hasRequested = false
    /// The time at which the header of a request started to arrive; nil if no header is arriving.
    var headSince: ContinuousClock.Instant?
    /// The number of bytes that the client has not received, and the time at which this number last
    /// changed.
    var unread = 0
    var unreadSince = ContinuousClock.now
  }

  private let state = Mutex(State())
  private let channel: any Channel
  /// The client's address; nil for a non-network connection.
  let address: NetworkAddress?
  /// The client's address as text; empty for a non-network connection.
  let addressText: String
  /// The key under which the client's limits are counted.
  let client: String

  init(_ channel: any Channel) {
    self.channel = channel
    address = channel.remoteAddress?.ipAddress.flatMap { NetworkAddress($0) }
    addressText = address?.description ?? ""
    client = address?.network.description ?? "local"
  }

  /// The connection of the request that the current task handles.
  @TaskLocal static var current: ClientConnection?

  /// Whether the client has disconnected.
  var isGone: Bool { state.withLock { $0.isGone } }

  /// Registers work to be cancelled when the client disconnects. If the client has already
  /// disconnected, the work is cancelled immediately.
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

  /// Closes the connection in the middle of a reply, even if the client does not read.
  func close() { channel.close(promise: nil) }

  /// Marks the client as disconnected and cancels its work.
  func leave() {
    let running = state.withLock { state in
      state.isGone = true
      return Array(state.work.values)
    }
    for work in running { work.cancel() }
  }

  // MARK: Activity

  /// Records that bytes arrived.
  func noteBytes() {
    state.withLock { state in
      if state.requests == 0, state.headSince == nil { state.headSince = ContinuousClock.now }
    }
  }

  /// Records that a request's header arrived.
  func beginRequest() {
    state.withLock { state in
      state.requests += 1
      state.headSince = nil
    }
  }

  /// Records that a request was answered.
  func endRequest() {
    state.withLock { state in
      state.requests -= 1
      (state.idleSince, state.hasRequested) = (ContinuousClock.now, true)
    }
  }

  /// Records that the connection accepted a chunk, which means that the client has read the
  /// previous chunk.
  func noteProgress() { state.withLock { $0.unreadSince = ContinuousClock.now } }

  /// Whether a request of the client has been answered, and the time at which the connection became
  /// idle; nil while a request is being handled.
  var idle: (hasRequested: Bool, since: ContinuousClock.Instant)? {
    state.withLock { $0.requests == 0 ? ($0.hasRequested, $0.idleSince) : nil }
  }

  /// Returns the time since the client last read some of the waiting bytes; nil if no bytes are
  /// waiting.
  func stall(_ now: ContinuousClock.Instant) -> Duration? {
    state.withLock { $0.unread > 0 ? now - $0.unreadSince : nil }
  }

  /// Closes the connection if its client has not completed the header of a request, or has not read
  /// from its reply, for longer than `timeout`. Call this method on the event loop.
  func closeIfStalled(_ now: ContinuousClock.Instant, timeout: Duration) {
    let unread = unreadBytes
    let isLate = state.withLock { state in
      if unread != state.unread { (state.unread, state.unreadSince) = (unread, now) }
      if unread > 0, now - state.unreadSince > timeout { return true }
      return state.headSince.map { now - $0 > timeout } ?? false
    }
    if isLate { close() }
  }

  /// The number of bytes that the client has not received: bytes that the system has not accepted,
  /// and bytes in the system's send buffer. The system accepts more bytes only when about half of
  /// its buffer is free, so the progress of a slow client is visible only in the buffer.
  private var unreadBytes: Int {
    var count = (try? channel.syncOptions?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0
    try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { handle in
      var queued: CInt = 0
      #if os(Linux)
        guard ioctl(handle, UInt(TIOCOUTQ), &queued) == 0 else { return }
      #else
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(handle, SOL_SOCKET, SO_NWRITE, &queued, &size) == 0 else { return }
      #endif
      count += Int(queued)
    }
    return count
  }
}

/// Notifies a connection of received bytes and of the client's disconnection.
///
/// A client that closes only its sending side also counts as disconnected.
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
