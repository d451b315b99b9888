import Logging
import NIOCore
import NIOExtras
import NIOPosix
import Synchronization

/// Takes connections, until it is told to end.
final class Listener: Sendable {
  private let channel: ServerChannel
  private let group: MultiThreadedEventLoopGroup
  private let logger: Logger
  private let helper: ServerQuiescingHelper

  init(_ channel: ServerChannel, _ group: MultiThreadedEventLoopGroup, _ logger: Logger) {
    (self.channel, self.group, self.logger) = (channel, group, logger)
    helper = ServerQuiescingHelper(group: group)
  }

  /// Answers what comes until `end` was called and all was answered.
  ///
  /// - Parameters:
  ///   - socket: a bound socket: the file's number.
  ///   - whenRunning: called once connections are taken.
  func run(on socket: Int32, whenRunning: () -> Void) async throws {
    let (channel, logger, helper) = (channel, logger, helper)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { server in
        server.eventLoop.makeCompletedFuture {
          try server.pipeline.syncOperations.addHandler(
            helper.makeServerChannelHandler(channel: server))
          try server.pipeline.syncOperations.addHandler(AcceptErrorHandler())
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      // What the system keeps for a client is not seen to be read: it is not to be much.
      .childChannelOption(.socketOption(.so_sndbuf), value: 1 << 18)
    let setUp: @Sendable (any Channel) -> EventLoopFuture<ServerChannel.Value> = {
      channel.setup(channel: $0, logger: logger)
    }
    let server = try await bootstrap.bind(socket, childChannelInitializer: setUp)
    whenRunning()
    await withDiscardingTaskGroup { tasks in
      try? await server.executeThenClose { connections in
        for try await connection in connections {
          tasks.addTask { await channel.handle(value: connection, logger: logger) }
        }
      }
    }
  }

  /// Takes no further connections, and closes those that are open once they have their answers.
  func end() { helper.initiateShutdown(promise: nil) }
}

/// Drops errors of accepting a connection, such as too many open files: others can be accepted later.
private final class AcceptErrorHandler: ChannelInboundHandler {
  typealias InboundIn = NIOAny

  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
