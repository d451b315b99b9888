import PlumbCore

/// The first bytes of a buffer.
package struct FetchedBytes: Sendable {
  package let buffer: TrivialBuffer<UInt8>
  package let count: Int

  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: buffer.base, count: count)
  }
}

/// Takes in an answer as it comes, and stops it as soon as it is seen not to be what was asked.
package final class HTTPReceiver {
  package private(set) var head = HTTPHead()
  /// Why the transfer was stopped.
  private(set) var fault: HTTPError?
  /// Bytes of bodies that have come.
  private(set) var byteCount = 0
  private var request: HTTPRequest?
  private var body: TrivialBuffer<UInt8>?
  private var bodyCount = 0
  private var isDecided = false

  /// What of an error's page is read, so that the connection can be kept.
  private static let mostOfOther = 1 << 16

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

  /// The body of an answer of the right status, so far.
  package var fetched: FetchedBytes? { body.map { FetchedBytes(buffer: $0, count: bodyCount) } }

  package func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    head.add(line: line)
    if head.isTooLong, fault == nil {
      fault = HTTPError("the lines before the server's answer are too many or too long")
    }
    return fault == nil
  }

  /// - Returns: false to stop the transfer.
  package func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    byteCount += bytes.count
    if !isDecided {
      isDecided = true
      decide()
    }
    if fault != nil { return false }
    guard body != nil else { return byteCount <= Self.mostOfOther }
    guard makeRoom(for: bytes.count), let body, let from = bytes.baseAddress else {
      fault = head.status == 206 && request?.service == nil ? Self.tooMuch : tooLarge
      return false
    }
    UnsafeMutableRawPointer(body.base + bodyCount).copyMemory(from: from, byteCount: bytes.count)
    bodyCount += bytes.count
    return true
  }

  /// Sees by the head whether a body is wanted.
  private func decide() {
    guard let request else { return }
    if request.service != nil {
      // A service says in the body what is wrong, whatever the status; redirects have nothing to say.
      if HTTPConnection.isRedirect(head.status) { return }
      body = TrivialBuffer(count: min(request.mostBytes, max(head.length ?? 0, 1 << 14)))
      return
    }
    guard head.status == 200 || head.status == 206 else { return }
    if head.isEncoded {
      fault = HTTPError(
        "the server packs the file (Content-Encoding), so that parts of it are lost")
      return
    }
    if head.status == 206 {
      fault = partFault(request)
      if fault == nil { body = TrivialBuffer(count: request.range?.count ?? 0) }
      return
    }
    let length = head.length ?? 1 << 16
    if length > request.mostBytes {
      fault = tooLarge
    } else {
      body = TrivialBuffer(count: length)
    }
  }

  static let tooMuch = HTTPError("the server sends more than it was asked for")

  private var tooLarge: HTTPError {
    let limit = "larger than \((request?.mostBytes ?? 0) >> 20) MB"
    return HTTPError(
      request?.service != nil
        ? "the reply is \(limit)"
        : request?.range == nil
          ? "the file is \(limit)"
          : "the server gives no parts of files, and this one is \(limit)", code: .limit)
  }

  /// Why a part is not the one that was asked.
  func partFault(_ request: HTTPRequest) -> HTTPError? {
    guard let range = request.range else {
      return HTTPError("the server sends a part of the file without being asked for one")
    }
    guard let part = head.part else {
      return HTTPError(
        head.saysPart
          ? "the server says of a part in words of its own where it belongs (Content-Range)"
          : "the server does not say of a part where it belongs (Content-Range)")
    }
    let isAsked =
      if request.asksLastByte {
        part.range.count == 1 && part.range.upperBound == part.total ?? part.range.upperBound
      } else if let total = part.total {
        part.range == range.lowerBound..<max(min(range.upperBound, total), range.lowerBound)
      } else {
        // Where the file ends is seen later.
        part.range.lowerBound == range.lowerBound && part.range.upperBound <= range.upperBound
      }
    if isAsked { return nil }
    return HTTPError(
      "the server sends bytes \(part.range.lowerBound) to \(part.range.upperBound - 1), asked for "
        + (request.asksLastByte
          ? "the last one" : "\(range.lowerBound) to \(range.upperBound - 1)"))
  }

  /// - Returns: false when the body is longer than it may be.
  private func makeRoom(for count: Int) -> Bool {
    guard let body, let request else { return false }
    let (wanted, overflow) = bodyCount.addingReportingOverflow(count)
    if overflow { return false }
    if wanted <= body.count { return true }
    guard head.status != 206 || request.service != nil, wanted <= request.mostBytes else {
      return false
    }
    let larger = TrivialBuffer<UInt8>(
      count: min(request.mostBytes, max(wanted, 2 * body.count)))
    UnsafeMutableRawPointer(larger.base).copyMemory(from: body.base, byteCount: bodyCount)
    self.body = larger
    return true
  }
}
