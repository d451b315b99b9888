#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Text operations with the semantics of SQL, by code point instead of by grapheme cluster.
enum SQLText {
  /// The maximum size in bytes of a function's result. Larger text is NULL, so that no condition
  /// can fill the memory.
  static let byteLimit = 1 << 24

  /// -1, 0 or 1 by code point order, which is the order of the UTF-8 bytes.
  static func order(_ a: String, _ b: String) -> Int {
    var (a, b) = (a, b)
    return a.withUTF8 { a in
      b.withUTF8 { b in
        let shared = min(a.count, b.count)
        if shared > 0, let left = a.baseAddress, let right = b.baseAddress {
          let order = unsafe memcmp(left, right, shared)
          if order != 0 { return order < 0 ? -1 : 1 }
        }
        return a.count < b.count ? -1 : a.count > b.count ? 1 : 0
      }
    }
  }

  static func count(_ text: String) -> Int { text.unicodeScalars.count }

  /// The code points from `start`, counted from 1, up to but not including `start + length`,
  /// clamped to the text.
  static func part(of text: String, from start: Int64, length: Int64?) -> SQLValue {
    let first = max(start, 1)
    var count = Int64.max
    if let length {
      guard length >= 0 else { return .null }
      let (end, isOver) = start.addingReportingOverflow(length)
      count = isOver ? .max : max(0, end - first)
    }
    let scalars = text.unicodeScalars
    let skipped = Int(clamping: first - 1)
    guard
      let from = scalars.index(scalars.startIndex, offsetBy: skipped, limitedBy: scalars.endIndex)
    else { return .text("") }
    let to = scalars.index(from, offsetBy: Int(clamping: count), limitedBy: scalars.endIndex)
    return .text(String(scalars[from..<(to ?? scalars.endIndex)]))
  }

  /// The text without the spaces at its ends.
  static func trimmed(_ text: String, start: Bool, end: Bool) -> String {
    let bytes = text.utf8
    let space = UInt8(ascii: " ")
    var (from, to) = (bytes.startIndex, bytes.endIndex)
    if start { from = bytes.firstIndex { $0 != space } ?? to }
    if end {
      while to > from, bytes[bytes.index(before: to)] == space { to = bytes.index(before: to) }
    }
    return String(text.unicodeScalars[from..<to])
  }

  /// The text without the code points of a set at its ends.
  static func trimmed(
    _ text: String, of set: Set<Unicode.Scalar>, start: Bool, end: Bool
  ) -> String {
    var rest = text.unicodeScalars[...]
    if start { rest = rest.drop { set.contains($0) } }
    if end {
      while let last = rest.last, set.contains(last) { rest.removeLast() }
    }
    return String(rest)
  }

  /// The position in code points of the first occurrence of `needle`, from 1; 0 if it does not
  /// occur.
  static func position(of needle: String, in text: String) -> Int64 {
    guard let start = positions(of: needle, in: text, limit: 1).first else { return 0 }
    var count: Int64 = 1
    for byte in text.utf8.prefix(start) where byte & 0xC0 != 0x80 { count += 1 }
    return count
  }

  /// The text with all occurrences of `old` replaced by `new`; nil beyond the size limit.
  static func replacing(_ old: String, in text: String, with new: String) -> String? {
    let starts = old.isEmpty ? [] : positions(of: old, in: text, limit: .max)
    guard !starts.isEmpty else { return text }
    let (growth, isOver) = starts.count.multipliedReportingOverflow(by: new.utf8.count)
    guard !isOver, growth <= byteLimit,
      text.utf8.count - starts.count * old.utf8.count + growth <= byteLimit
    else { return nil }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var next = 0
    for start in starts {
      result += bytes[next..<start]
      result += new.utf8
      next = start + old.utf8.count
    }
    result += bytes[next...]
    return String(decoding: result, as: UTF8.self)
  }

  /// The byte offsets of occurrences, from left to right without overlap.
  private static func positions(of needle: String, in text: String, limit: Int) -> [Int] {
    var (needle, text) = (needle, text)
    return text.withUTF8 { text in
      needle.withUTF8 { needle in
        guard let wanted = needle.baseAddress, let base = text.baseAddress, !needle.isEmpty else {
          return needle.isEmpty ? [0] : []
        }
        var starts: [Int] = []
        var next = 0
        while next + needle.count <= text.count, starts.count < limit {
          guard unsafe base[next] == wanted[0],
            unsafe memcmp(base + next, wanted, needle.count) == 0
          else {
            next += 1
            continue
          }
          starts.append(next)
          next += needle.count
        }
        return starts
      }
    }
  }
}

extension SQLText {
  /// The UTF-8 bytes of the text in upper or lower case. Each code point is converted separately, so that the
  /// result for a letter does not depend on its neighbours.
  static func cased(_ text: String, upper: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    let (first, last) = upper ? (UInt8(ascii: "a"), UInt8(ascii: "z")) : (0x41, 0x5A)
    for scalar in text.unicodeScalars {
      if let byte = UInt8(exactly: scalar.value), byte < 0x80 {
        bytes.append(first <= byte && byte <= last ? byte ^ 0x20 : byte)
      } else {
        let properties = scalar.properties
        bytes += (upper ? properties.uppercaseMapping : properties.lowercaseMapping).utf8
      }
    }
    return bytes
  }
}
