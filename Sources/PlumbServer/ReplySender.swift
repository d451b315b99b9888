import HTTPTypes
import HummingbirdCore
import NIOCore
import Plumb
import PlumbIO
import PlumbService

/// Sends replies at the speed at which the client reads, compressed if the client accepts gzip.
struct ReplySender: Sendable {
  let pool: WorkPool
  /// The ledger for the number of streamed replies. The number is limited because each streamed
  /// reply has a separate thread.
  let streams: MemoryLedger
  /// The ledger for the bytes of the values from which streamed replies are written.
  let streamMemory: MemoryLedger
  /// The ledger for the bytes of replies that wait for memory.
  let waiting: MemoryLedger
  let table: ConnectionTable

  /// A reply ready to send.
  struct Packed {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: ServiceReply.Body
    /// Whether the body is sent as gzip.
    var isPacked = false

    var isStreamed: Bool {
      if case .stream = body { return true }
      return false
    }
  }

  /// The chunk size in bytes. Smaller bodies are sent in one step.
  private static let part = 1 << 16

  // MARK: Packing

  func packed(_ reply: ServiceReply, _ request: Request, _ turn: WorkPool.Turn) async -> Packed {
    var headers = HTTPFields()
    headers[.contentType] = reply.contentType
    headers[.xContentTypeOptions] = "nosniff"
    if reply.contentType.hasPrefix("text/html") {
      headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'"
    }
    for (name, value) in reply.headers {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    if !reply.warnings.isEmpty, let name = HTTPField.Name("Plumb-Warning") {
      for warning in reply.warnings.prefix(20) {
        headers.append(HTTPField(name: name, value: HeaderText.encoded(warning.printable)))
      }
    }
    var packed = Packed(
      status: HTTPResponse.Status(code: reply.status), headers: headers, body: reply.body)
    let isText = !reply.contentType.hasPrefix("image/png")
    let acceptsGzip = isText && AcceptedCoding.acceptsGzip(request.headers[values: .acceptEncoding])
    switch reply.body {
    case .bytes(let bytes):
      let isLong = bytes.count > 1400 && isText
      if isLong { packed.headers[.vary] = "Accept-Encoding" }
      if Conditional.apply(to: &packed, reply, request) {
        return packed
      }
      guard isLong else { return packed }
      // If compression fails, the reply is sent uncompressed.
      if acceptsGzip, let small = try? await gzip(bytes, turn) {
        packed.headers[.contentEncoding] = "gzip"
        packed.body = .bytes(small)
      }
    case .stream:
      if isText { packed.headers[.vary] = "Accept-Encoding" }
      if acceptsGzip {
        packed.headers[.contentEncoding] = "gzip"
        packed.isPacked = true
      }
    }
    return packed
  }

  private func gzip(_ bytes: [UInt8], _ turn: WorkPool.Turn) async throws -> [UInt8] {
    if bytes.count < 1 << 14 { return try GzipWriter.packed(bytes) }
    return try await pool.run(for: turn) { Result { try GzipWriter.packed(bytes) } }.get()
  }

  // MARK: Whole replies

  /// Returns a body that is sent in chunks. The reserved bytes are released when the whole body has
  /// been sent, because its memory is released then.
  ///
  /// - Parameter reservation: the bytes reserved by `reserve`.
  func body(
    _ bytes: [UInt8], _ reservation: PendingBytes, _ account: RequestAccount, workerSeconds: Double
  ) -> ResponseBody {
    if bytes.count <= Self.part {
      account.end(bytes: bytes.count, workerSeconds: workerSeconds)
      return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    }
    return ResponseBody(contentLength: bytes.count) { writer in
      let connection = ClientConnection.current
      var sent = 0
      do {
        while sent < bytes.count {
          let end = min(sent + Self.part, bytes.count)
          try await writer.write(ByteBuffer(bytes: bytes[sent..<end]))
          connection?.noteProgress()
          sent = end
        }
      } catch {
        account.end(
          bytes: sent, workerSeconds: workerSeconds, failure: "the reply was cut off")
        throw error
      }
      reservation.releaseAll()
      account.end(bytes: sent, workerSeconds: workerSeconds)
      try await writer.finish(nil)
    }
  }

  /// Reserves the memory of a reply, closing stalled connections if there is not enough. Only few
  /// replies may wait, because a waiting reply is already in memory.
  ///
  /// - Returns: whether memory was available in time.
  func reserve(_ count: Int, _ reservation: PendingBytes) async -> Bool {
    if count <= Self.part { return true }
    let slot = PendingBytes(waiting, of: "")
    for _ in 0..<40 {
      do {
        try reservation.reserve(count)
        return true
      } catch {
        // Other connections are closed only if the server's limit is reached. A client that has
        // reached the limit per client first has to read its other replies.
        if error == .server { _ = table.closeLongestStalled() }
        if ClientConnection.current?.isGone == true { return false }
      }
      if slot.isEmpty, (try? slot.reserve(count)) == nil { return false }
      try? await Task.sleep(for: .milliseconds(50))
    }
    return false
  }

  // MARK: Streams

  /// Returns a body that a separate thread writes in chunks, at the speed at which the chunks are
  /// sent.
  func stream(
    _ write: @escaping @Sendable (_ send: ([UInt8]) throws -> Void) throws -> Void, isPacked: Bool,
    _ shares: [PendingBytes], _ account: RequestAccount, workerSeconds: Double
  ) -> ResponseBody {
    let pool = pool
    return ResponseBody { writer in
      let pipe = StreamPipe()
      let cancellation = WorkCancellation()
      let connection = ClientConnection.current
      connection?.begin(cancellation)
      let work: @Sendable () -> Void = {
        let result = Result {
          guard isPacked else {
            return try pool.write(cancellation, write) { try pipe.put($0) }
          }
          let packer = try GzipWriter()
          try pool.write(cancellation, write) {
            try pipe.put(packer.pack($0, isLast: false))
          }
          try pipe.put(packer.pack([], isLast: true))
        }
        pipe.finish(result)
        // The task that sends a chunk may wait indefinitely for a client that does not read.
        if case .failure = result { connection?.close() }
      }
      if !Workers.detach(work) { throw Refusal(503, "cannot start a thread") }
      var sent = 0
      defer {
        cancellation.cancel()
        connection?.end(cancellation)
        pipe.close()
        account.end(bytes: sent, workerSeconds: workerSeconds + pipe.workSeconds)
        for share in shares { share.releaseAll() }
      }
      do {
        while let part = try await pipe.next() {
          sent += part.count
          try await writer.write(ByteBuffer(bytes: part))
          connection?.noteProgress()
        }
      } catch {
        // Throwing closes the connection, so that the client does not mistake a partial reply for a
        // complete reply.
        account.end(
          bytes: sent, workerSeconds: workerSeconds + pipe.workSeconds,
          failure: "the reply was cut off")
        throw error
      }
      try await writer.finish(nil)
    }
  }
}
