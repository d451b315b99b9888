import Logging
import NIOCore
import NIOExtras
import NIOPosix
import Synchronization

/// Accepts connections until `end` is called.
final class Listener: Sendable {
  private let channel: ServerChannel
  private let group: MultiThreadedEventLoopGroup
  private let logger: Logger
  private let helper: ServerQuiescingHelper

  init(_ channel: ServerChannel, _ group: MultiThreadedEventLoopGroup, _ logger: Logger) {
    (self.channel, self.group, self.logger) = (channel, group, logger)
    helper = ServerQuiescingHelper(group: group)
  }

  /// Handles connections until `end` has been called and all requests have been answered.
  ///
  /// - Parameters:
  ///   - socket: the file descriptor of a bound socket.
  ///   - whenRunning: called once connections are accepted.
  func run(on socket: Int32, whenRunning: () -> Void) async throws {
    let (channel, logger, helper) = (channel, logger, helper)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.maxMessagesPerRead, value: 16)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { server in
        server.eventLoop.makeCompletedFuture {
          try server.pipeline.syncOperations.addHandler(
            helper.makeServerChannelHandler(channel: server))
          try server.pipeline.syncOperations.addHandler(AcceptErrorHandler())
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      // The kernel's send buffer is small, because the server counts data in it as read by the
      // client.
      .childChannelOption(.socketOption(.so_sndbuf), value: 1 << 18)
    let setUp: @Sendable (any Channel) -> EventLoopFuture<ServerChannel.Value> = {
      channel.setup(channel: $0, logger: logger)
    }
    let server = try await bootstrap.bind(
      socket, serverBackPressureStrategy: .init(lowWatermark: 64, highWatermark: 256),
      childChannelInitializer: setUp)
    ListeningSocket.lengthenQueue(of: socket)
    whenRunning()
    await withDiscardingTaskGroup { tasks in
      try? await server.executeThenClose { connections in
        for try await connection in connections {
          tasks.addTask { await channel.handle(value: connection, logger: logger) }
        }
      }
    }
  }

  /// Stops accepting connections, and closes each open connection after its requests have been
  /// answered.
  func end() { helper.initiateShutdown(promise: nil) }
}

/// Ignores errors in accepting a connection, such as too many open files, because later connections
/// may succeed.
private final class AcceptErrorHandler: ChannelInboundHandler {
  typealias InboundIn = NIOAny

  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
