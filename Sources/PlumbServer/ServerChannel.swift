import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Connections for HTTP requests and event streams. Requests and event streams end when their client
/// disconnects.
struct ServerChannel: ServerChildChannel {
  struct Value: ServerChildChannelValue {
    let http: HTTP1Channel.Value
    let connection: ClientConnection
    var channel: any Channel { http.channel }
  }

  let http: HTTP1Channel
  /// Access to event streams; nil if there are no monitors.
  let entrance: EventEntrance?
  let table: ConnectionTable
  let journal: RequestJournal
  let proxies: TrustedProxies
  /// The certificate; nil if there is no encryption.
  let identity: ServerIdentity?
  /// The maximum size of a body in bytes.
  let maximumBody: Int

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let connection = ClientConnection(channel)
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      if let entrance {
        try pipeline.addHandler(EventGate(entrance), position: .after(decoder))
      }
      let guardian = RequestGuard(
        connection, table, journal, proxies, maximumBody: maximumBody)
      try pipeline.addHandler(guardian, position: .after(decoder))
      try pipeline.addHandler(DepartureHandler(connection, table), position: .first)
      if let identity { try pipeline.addHandler(identity.handler(), position: .first) }
      return Value(http: value, connection: connection)
    }
  }

  func handle(value: Value, logger: Logger) async {
    await ClientConnection.$current.withValue(value.connection) {
      await http.handle(value: value.http, logger: logger)
    }
  }
}
