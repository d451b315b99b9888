/// A LIKE pattern, in which % matches any text, _ matches one code point, and other characters
/// match themselves.
struct LikePattern: Sendable, Hashable {
  /// The UTF-8 bytes of the pattern, with the two wildcards as values above 255.
  private var items: [UInt16] = []
  private let ignoresCase: Bool

  private static let one: UInt16 = 256
  private static let many: UInt16 = 257

  /// - Returns: nil if the escape character is not followed by %, _ or itself, as SQL requires.
  init?(_ text: String, escape: Unicode.Scalar?, ignoresCase: Bool) {
    self.ignoresCase = ignoresCase
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        guard scalar == "%" || scalar == "_" || scalar == escape else { return nil }
        isEscaped = false
        append(scalar)
      } else if scalar == escape {
        isEscaped = true
      } else if scalar == "%" {
        if items.last != Self.many { items.append(Self.many) }
      } else if scalar == "_" {
        items.append(Self.one)
      } else {
        append(scalar)
      }
    }
    if isEscaped { return nil }
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    let text = String(scalar)
    items += (ignoresCase ? SQLText.cased(text, upper: false) : Array(text.utf8)).map(UInt16.init)
  }

  /// - Complexity: O(text × pattern), because only the last % is retried.
  func matches(_ text: String) -> Bool {
    var text = text
    return unsafe items.withUnsafeBufferPointer { items in
      guard ignoresCase else { return text.withUTF8 { unsafe Self.match($0, items) } }
      return unsafe SQLText.cased(text, upper: false).withUnsafeBufferPointer {
        unsafe Self.match($0, items)
      }
    }
  }

  private static func match(
    _ text: UnsafeBufferPointer<UInt8>, _ items: UnsafeBufferPointer<UInt16>
  ) -> Bool {
    var (at, item) = (0, 0)
    // The item after the last %, and the byte at which this item was last tried.
    var (retryItem, retryAt) = (-1, 0)
    while at < text.count {
      let wanted = unsafe item < items.count ? items[item] : UInt16.max
      if wanted == many {
        item += 1
        (retryItem, retryAt) = (item, at)
      } else if unsafe wanted == UInt16(text[at]) {
        at += 1
        item += 1
      } else if wanted == one {
        unsafe at += scalarLength(text[at])
        item += 1
      } else if retryItem >= 0 {
        if retryItem == items.count { return true }
        unsafe retryAt += scalarLength(text[retryAt])
        (at, item) = (retryAt, retryItem)
      } else {
        return false
      }
    }
    while item < items.count, unsafe items[item] == many { item += 1 }
    return item == items.count
  }

  private static func scalarLength(_ first: UInt8) -> Int {
    first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
  }
}
