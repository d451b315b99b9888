import NIOCore
import Plumb
import PlumbCore
import Synchronization

/// A connection and the work that is done for its client, which ends when the client goes.
final class ClientConnection: Sendable {
  private struct State {
    var isGone = false
    var work: [ObjectIdentifier: WorkCancellation] = [:]
  }

  private let state = Mutex(State())
  private let channel: any Channel

  init(_ channel: any Channel) { self.channel = channel }

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

  fileprivate func leave() {
    let running = state.withLock { state in
      state.isGone = true
      return Array(state.work.values)
    }
    for work in running { work.cancel() }
  }
}

/// Sees that the client of a connection goes, while its request is answered.
///
/// A client that only ends its own side looks the same as one that is gone, as long as nothing is sent.
final class DepartureHandler: ChannelInboundHandler {
  typealias InboundIn = NIOAny

  private let connection: ClientConnection

  init(_ connection: ClientConnection) { self.connection = connection }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed = event { connection.leave() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    connection.leave()
    context.fireChannelInactive()
  }
}
