import HTTPTypes
import HummingbirdCore
import PlumbCore
import PlumbIO
import PlumbService

/// Conditional requests (RFC 9110, 13).
enum Conditional {
  private static let times = ModifiedTimes()

  /// Adds an entity tag and the time of the content to a reply, and removes the reply's body if the
  /// request contains the same tag, or a time since which the content has not changed.
  ///
  /// - Returns: whether the body was removed.
  static func apply(
    to packed: inout ReplySender.Packed, _ reply: ServiceReply, _ request: Request
  ) -> Bool {
    guard packed.status.code == 200, request.method == .get || request.method == .head,
      let content = reply.contentTag ?? ContentTag.text(of: reply)
    else { return false }
    // The tag is weak, because compressed and uncompressed content have the same tag. Replies that differ
    // only in their time also have the same tag.
    let tag = "W/\"\(content)\""
    packed.headers[.eTag] = tag
    if packed.headers[.cacheControl] == nil { packed.headers[.cacheControl] = "no-cache" }
    let time = times.seconds(of: request.uri.string, tag)
    if let time { packed.headers[.lastModified] = HTTPDate.text(time) }
    let tags = request.headers[values: .ifNoneMatch]
    // A tag takes precedence, because it is exact.
    let isKnown =
      tags.isEmpty
      ? isUnmodified(since: request.headers[.ifModifiedSince], time) : hasTag(tag, in: tags)
    guard isKnown else { return false }
    packed.status = .notModified
    packed.headers[.contentType] = nil
    packed.body = .bytes([])
    return true
  }

  /// - Parameter time: the time of the content; nil if it is not known.
  private static func isUnmodified(since text: String?, _ time: Int?) -> Bool {
    guard let time, let since = text.flatMap({ HTTPDate.seconds(of: $0) }) else { return false }
    return time <= since
  }

  private static func hasTag(_ tag: String, in fields: [String]) -> Bool {
    fields.contains { field in
      field.utf8.split(separator: UInt8(ascii: ",")).contains { item in
        let known = String(decoding: item, as: UTF8.self).trimmingASCIISpace()
        if known.hasSameBytes(as: "*") { return true }
        return known.hasSameBytes(as: tag) || known.hasSameBytes(as: String(tag.dropFirst(2)))
      }
    }
  }
}

/// A short hash of a reply's content, without the bytes that state the time of the reply. It does
/// not resist deliberate collisions.
enum ContentTag {
  /// Returns the hash; nil for a streamed reply.
  static func text(of reply: ServiceReply) -> String? {
    guard case .bytes(let bytes) = reply.body else { return nil }
    var a: UInt64 = 0x9E37_79B9_7F4A_7C15
    var b: UInt64 = 0xD1B5_4A32_D192_ED03
    let time = reply.timeRange ?? bytes.count..<bytes.count
    bytes.withUnsafeBytes { bytes in
      for part in [0..<time.lowerBound, time.upperBound..<bytes.count] {
        mix(&a, &b, bytes[part])
      }
    }
    mix(&a, &b, 0)
    return String(a, radix: 16) + String(b, radix: 16)
  }

  private static func mix(
    _ a: inout UInt64, _ b: inout UInt64, _ part: Slice<UnsafeRawBufferPointer>
  ) {
    let bytes = UnsafeRawBufferPointer(rebasing: part)
    mix(&a, &b, UInt64(bytes.count))
    var index = 0
    while index + 8 <= bytes.count {
      mix(&a, &b, bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
      index += 8
    }
    var last: UInt64 = 0
    for byte in bytes[index...] { last = last << 8 | UInt64(byte) }
    mix(&a, &b, last)
  }

  private static func mix(_ a: inout UInt64, _ b: inout UInt64, _ word: UInt64) {
    let (high, low) = (a ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    let (top, rest) = (b &+ word ^ 0xE703_7ED1_A0B4_28DB).multipliedFullWidth(
      by: 0x8EBC_6AF0_9C88_C6E3)
    a = high ^ low &+ b
    b = top ^ rest &+ (a << 23 | a >> 41)
  }
}

/// The `Accept-Encoding` header (RFC 9110, 12.5.3).
enum AcceptedCoding {
  static func acceptsGzip(_ fields: [String]) -> Bool {
    var any: Bool?
    for item in fields.flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }) {
      let words = item.split(separator: UInt8(ascii: ";")).map {
        String(decoding: $0, as: UTF8.self).trimmingASCIISpace().lowercasedASCII
      }
      guard let coding = words.first else { continue }
      let weight = words.dropFirst().first { $0.hasBytes(atStart: "q=") }.map {
        Double(String(decoding: $0.utf8.dropFirst(2), as: UTF8.self)) ?? 0
      }
      let isWanted = weight.map { $0 > 0 } ?? true
      if coding.hasSameBytes(as: "gzip") || coding.hasSameBytes(as: "x-gzip") { return isWanted }
      if coding.hasSameBytes(as: "*") { any = isWanted }
    }
    return any ?? false
  }
}
