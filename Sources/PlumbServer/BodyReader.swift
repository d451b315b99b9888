import HTTPTypes
import HummingbirdCore
import NIOCore
import Plumb
import PlumbIO

/// Reads request bodies and accounts for their memory as they arrive.
struct BodyReader: Sendable {
  /// The ledger for the memory of all requests.
  let ledger: MemoryLedger
  /// The maximum size of a decompressed body in bytes.
  let limit: Int
  /// The time limit for the arrival of a body, in seconds.
  let timeout: Double
  /// The pool for decompression.
  let pool: WorkPool

  /// - Parameters:
  ///   - limit: the maximum size of this body in bytes.
  ///   - reservation: the reservation of the body's bytes, which lasts until the reply is sent.
  /// - Throws: a `Refusal`, or an error of the connection.
  func body(
    of request: Request, limit: Int, _ turn: WorkPool.Turn, _ reservation: PendingBytes
  ) async throws -> [UInt8] {
    let length = request.headers[.contentLength].flatMap { Int($0) }
    guard length.map({ $0 <= limit }) ?? true else { throw Self.tooLarge }
    let seconds = timeout
    let bytes = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
      group.addTask { try await Self.gathered(request.body, length, limit: limit, reservation) }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let body = first else {
        throw Refusal(408, "the body did not arrive in time")
      }
      return body
    }
    switch request.headers[.contentEncoding]?.lowercased() {
    case nil, "identity": return bytes
    case "gzip", "x-gzip": return try await unpacked(bytes, limit: limit, turn, reservation)
    default: throw Refusal(415, "the only supported Content-Encoding is gzip")
    }
  }

  private static var tooLarge: Refusal { Refusal(413, "the body is larger than --max-body") }

  private static func gathered(
    _ body: RequestBody, _ length: Int?, limit: Int, _ reservation: PendingBytes
  ) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await part in body {
      let count = part.readableBytes
      guard bytes.count + count <= limit else { throw tooLarge }
      try reserve(count, reservation)
      // Memory is reserved as bytes arrive, because the declared length may be wrong.
      if let length, bytes.count + count > bytes.capacity {
        bytes.reserveCapacity(min(length, max(bytes.count + count, 2 * bytes.count)))
      }
      bytes.append(contentsOf: part.readableBytesView)
    }
    return bytes
  }

  private static func reserve(_ count: Int, _ reservation: PendingBytes) throws {
    do {
      try reservation.reserve(count)
    } catch .client {
      throw Refusal(429, "too many bytes of one client at once; try again")
    } catch .server {
      throw Refusal(503, "too many requests at once; try again")
    }
  }

  private func unpacked(
    _ bytes: [UInt8], limit: Int, _ turn: WorkPool.Turn, _ reservation: PendingBytes
  ) async throws -> [UInt8] {
    // The decompressed size is unknown before decompression. The compression ratio of gzip is at
    // most about 1000:1.
    let maximum = min(limit, bytes.count * 1100)
    try Self.reserve(maximum, reservation)
    let result: Result<[UInt8]?, any Error>
    do {
      result = try await pool.run(for: turn) {
        Result { try GzipReader.unpacked(bytes, limit: limit) }
      }
    } catch is WorkPool.Full {
      throw Refusal(503, "too many requests at once; try again")
    } catch is WorkPool.Cancelled {
      throw RequestResponder.departure
        ?? Refusal(408, "decompressing the body exceeded the time limit")
    }
    switch result {
    case .success(let body?):
      reservation.release(bytes.count + maximum - body.count)
      return body
    case .success: throw Self.tooLarge
    case .failure: throw Refusal(400, "the body is not gzip")
    }
  }
}
