import NIOSSL
import Plumb
import PlumbCore
import PlumbIO
import Synchronization

/// The server's HTTPS certificate and its key. Both are reloaded on SIGHUP.
final class ServerIdentity: Sendable {
  private let certificate: String
  private let key: String
  private let context: Mutex<NIOSSLContext>

  /// The maximum size of the files in bytes.
  private static let maximumBytes = 1 << 20

  /// - Parameters:
  ///   - certificate: a PEM file of the certificate, followed by its chain.
  ///   - key: a PEM file of its key, without a passphrase.
  init(certificate: String, key: String) throws(PlumbError) {
    (self.certificate, self.key) = (certificate, key)
    context = Mutex(try Self.context(certificate, key))
  }

  /// Reloads the files. Open connections keep the old certificate.
  ///
  /// - Throws: if the files are invalid. In this case, the old certificate remains in use.
  func reload() throws(PlumbError) {
    let fresh = try Self.context(certificate, key)
    context.withLock { $0 = fresh }
  }

  /// Returns the TLS handler of one connection.
  func handler() -> NIOSSLServerHandler { NIOSSLServerHandler(context: context.withLock { $0 }) }

  private static func context(
    _ certificate: String, _ key: String
  ) throws(PlumbError) -> NIOSSLContext {
    let chain = try read(certificate, "--cert", "a PEM file of certificates") {
      try NIOSSLCertificate.fromPEMBytes($0)
    }
    let secret = try read(key, "--key", "a PEM file of a key without a passphrase") {
      try NIOSSLPrivateKey(bytes: $0, format: .pem)
    }
    var settings = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(secret))
    settings.minimumTLSVersion = .tlsv12
    settings.applicationProtocols = ["http/1.1"]
    // Closing a connection does not wait for the client's acknowledgement.
    settings.shutdownTimeout = .milliseconds(200)
    do {
      return try NIOSSLContext(configuration: settings)
    } catch {
      throw PlumbError(
        "--key \(key.printable) is not the key of --cert \(certificate.printable)", code: .badInput)
    }
  }

  private static func read<Value>(
    _ path: String, _ option: String, _ kind: String, _ parse: ([UInt8]) throws -> Value
  ) throws(PlumbError) -> Value {
    let bytes: [UInt8]?
    do {
      bytes = try SmallFile.bytes(of: path, limit: maximumBytes)
    } catch {
      throw PlumbError("\(option)", error)
    }
    guard let bytes, let value = try? parse(bytes) else {
      throw PlumbError("\(option) \(path.printable) is not \(kind)", code: .badInput)
    }
    return value
  }
}
