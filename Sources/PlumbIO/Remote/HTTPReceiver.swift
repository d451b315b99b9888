import PlumbCore

/// The bytes that were fetched, which are the first `count` bytes of a buffer.
package struct FetchedBytes: Sendable {
  package let buffer: TrivialBuffer<UInt8>
  package let count: Int

  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: buffer.base, count: count)
  }
}

/// Receives a response, and stops the transfer as soon as the response does not match the request.
package final class HTTPReceiver {
  package private(set) var head = HTTPHead()
  /// The reason why the transfer was stopped; nil if it was not stopped.
  private(set) var fault: HTTPError?
  /// The number of bytes received in all bodies.
  private(set) var byteCount = 0
  private var request: HTTPRequest?
  private var body: TrivialBuffer<UInt8>?
  private var bodyCount = 0
  private var isDecided = false

  /// The maximum number of bytes of an error page that are read. The connection can be reused only
  /// if the whole page is read.
  private static let maximumOfOther = 1 << 16

  package init() {}

  package func begin(_ request: HTTPRequest) {
    self.request = request
    (head, fault, byteCount) = (HTTPHead(), nil, 0)
    (body, bodyCount, isDecided) = (nil, 0, false)
  }

  func end() {
    request = nil
    body = nil
  }

  /// The part of the body that has been received so far; nil if the status or the header fields do
  /// not match the request.
  package var fetched: FetchedBytes? { body.map { FetchedBytes(buffer: $0, count: bodyCount) } }

  package func appendHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    head.add(line: line)
    if head.isTooLong, fault == nil {
      fault = HTTPError("the header of the server's response is too large")
    }
    return fault == nil
  }

  /// - Returns: false if the transfer must be stopped.
  package func appendBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    byteCount += bytes.count
    if !isDecided {
      isDecided = true
      decide()
    }
    if fault != nil { return false }
    guard body != nil else { return byteCount <= Self.maximumOfOther }
    guard reserve(for: bytes.count), let body, let from = bytes.baseAddress else {
      fault = head.status == 206 && request?.service == nil ? Self.tooMuch : tooLarge
      return false
    }
    UnsafeMutableRawPointer(body.base + bodyCount).copyMemory(from: from, byteCount: bytes.count)
    bodyCount += bytes.count
    return true
  }

  /// Determines from the status and the header fields whether the body is needed.
  private func decide() {
    guard let request else { return }
    if request.service != nil {
      // A service sends its error message in the body, regardless of the status. The body of a
      // redirect is ignored.
      if HTTPConnection.isRedirect(head.status) { return }
      body = TrivialBuffer(count: min(request.maximumBytes, max(head.length ?? 0, 1 << 14)))
      return
    }
    guard head.status == 200 || head.status == 206 else { return }
    if head.isEncoded {
      fault = HTTPError(
        "the server compresses the file (Content-Encoding), so that parts of it cannot be read")
      return
    }
    if head.status == 206 {
      fault = partFault(request)
      if fault == nil { body = TrivialBuffer(count: request.range?.count ?? 0) }
      return
    }
    let length = head.length ?? 1 << 16
    if length > request.maximumBytes {
      fault = tooLarge
    } else {
      body = TrivialBuffer(count: length)
    }
  }

  static let tooMuch = HTTPError("the server sends more than requested")

  private var tooLarge: HTTPError {
    let limit = "larger than \((request?.maximumBytes ?? 0) >> 20) MB"
    return HTTPError(
      request?.service != nil
        ? "the reply is \(limit)"
        : request?.range == nil
          ? "the file is \(limit)"
          : "the server does not support range requests, and the file is \(limit)", code: .limit)
  }

  /// The error for a partial response that does not match the request; nil if it matches.
  func partFault(_ request: HTTPRequest) -> HTTPError? {
    guard let range = request.range else {
      return HTTPError("the server sends only a part of the file, although no range was requested")
    }
    guard let part = head.part else {
      return HTTPError(
        head.hasContentRange
          ? "the range in the server's partial response is invalid (Content-Range)"
          : "the range in the server's partial response is missing (Content-Range)")
    }
    let isRequested =
      if request.isForLastByte {
        part.range.count == 1 && part.range.upperBound == part.total ?? part.range.upperBound
      } else if let total = part.total {
        part.range == range.lowerBound..<max(min(range.upperBound, total), range.lowerBound)
      } else {
        // The part may end before the end of the range, at the end of the file. `RemoteVersion`
        // checks this.
        part.range.lowerBound == range.lowerBound && part.range.upperBound <= range.upperBound
      }
    if isRequested { return nil }
    return HTTPError(
      "the server sends bytes \(part.range.lowerBound) to \(part.range.upperBound - 1), requested "
        + (request.isForLastByte
          ? "the last one" : "\(range.lowerBound) to \(range.upperBound - 1)"))
  }

  /// - Returns: false if the body exceeds its limit.
  private func reserve(for count: Int) -> Bool {
    guard let body, let request else { return false }
    let (needed, overflow) = bodyCount.addingReportingOverflow(count)
    if overflow { return false }
    if needed <= body.count { return true }
    guard head.status != 206 || request.service != nil, needed <= request.maximumBytes else {
      return false
    }
    let larger = TrivialBuffer<UInt8>(
      count: min(request.maximumBytes, max(needed, 2 * body.count)))
    UnsafeMutableRawPointer(larger.base).copyMemory(from: body.base, byteCount: bodyCount)
    self.body = larger
    return true
  }
}
