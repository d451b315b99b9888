// Sends a request to a local server by HTTPS: TLSClient PORT PATH. Prints the server's certificate
// in hexadecimal digits and, after a newline, the whole reply.
//
// A separate program, because NIO's sockets make the whole process ignore SIGPIPE.
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

final class Collector: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let reply = Mutex((certificate: "", text: ""))
  private let request: String

  init(_ request: String) { self.request = request }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let handler = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
    let bytes = try? handler?.peerCertificate?.toDERBytes()
    reply.withLock { reply in
      reply.text += String(buffer: unwrapInboundIn(data))
      guard let bytes else { return }
      reply.certificate = bytes.map { String($0, radix: 16) }.joined(separator: " ")
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}

guard CommandLine.arguments.count == 3, let port = Int(CommandLine.arguments[1]) else {
  fatalError("usage: TLSClient PORT PATH")
}
let path = CommandLine.arguments[2]
var settings = TLSConfiguration.makeClientConfiguration()
// The certificates are self-signed.
settings.certificateVerification = .none
let context = try NIOSSLContext(configuration: settings)
let collector = Collector(
  "GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n\r\n")
let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
  .channelInitializer { channel in
    channel.eventLoop.makeCompletedFuture {
      let handler = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
      try channel.pipeline.syncOperations.addHandler(handler)
      try channel.pipeline.syncOperations.addHandler(collector)
    }
  }
  .connect(host: "127.0.0.1", port: port).get()
try await channel.closeFuture.get()
let reply = collector.reply.withLock { $0 }
print(reply.certificate)
print(reply.text, terminator: "")
