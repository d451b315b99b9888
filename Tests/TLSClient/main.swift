// Sends a request to a local server by HTTPS: TLSClient PORT PATH [CSV]. With CSV, the request is a
// POST of this text. Prints the server's certificate in hexadecimal digits and, after a newline, the
// reply, as far as it arrives.
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

guard (3...4).contains(CommandLine.arguments.count), let port = Int(CommandLine.arguments[1]) else {
  fatalError("usage: TLSClient PORT PATH [CSV]")
}
let path = CommandLine.arguments[2]
let table = CommandLine.arguments.count > 3 ? CommandLine.arguments[3] : nil
var settings = TLSConfiguration.makeClientConfiguration()
// The certificates are self-signed.
settings.certificateVerification = .none
let context = try NIOSSLContext(configuration: settings)
let content = table.map { "Content-Type: text/csv\r\nContent-Length: \($0.utf8.count)\r\n" } ?? ""
let collector = Collector(
  "\(table == nil ? "GET" : "POST") \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\(content)"
    + "Connection: close\r\n\r\n\(table ?? "")")
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
