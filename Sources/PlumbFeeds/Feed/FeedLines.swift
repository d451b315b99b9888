import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension FeedWindow {
  /// A line of a feed, or the reason why no line is available.
  enum Line {
    /// The range of the line's bytes without the line end, and the position of the next line.
    case line(Range<Int>, next: Int)
    /// A line that is longer than the window's limit. The caller has to drop the bytes in the
    /// window and the rest of the line.
    case tooLong
    /// The line has not arrived completely.
    case notThere
  }

  /// Returns the line that begins at a position. The last line of the input need not end with a
  /// line break.
  func line(at position: Int) -> Line {
    if let found = newline(from: position) {
      var last = found
      if last > position, base[last - 1] == 0x0D { last -= 1 }
      return .line(position..<last, next: found + 1)
    }
    if isAtEnd, position < end { return .line(position..<end, next: end) }
    return position == start && isFull ? .tooLong : .notThere
  }

  /// Returns the position of the next newline; nil if it has not arrived.
  func newline(from position: Int) -> Int? {
    guard position < end, let found = memchr(base + position, 0x0A, end - position) else {
      return nil
    }
    return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
  }

  /// Whether a range contains only spaces, tabs and carriage returns.
  func isBlank(_ range: Range<Int>) -> Bool {
    for index in range where base[index] != 0x20 && base[index] != 0x09 && base[index] != 0x0D {
      return false
    }
    return true
  }

  /// Whether all bytes have arrived and all remaining bytes are blank.
  var isBlankToEnd: Bool {
    for index in start..<end where base[index] != 0x0A && !isBlank(index..<index + 1) {
      return false
    }
    return true
  }

  /// Returns the first few bytes as text, for a message.
  func sample(_ range: Range<Int>) -> String {
    let shown = UnsafeBufferPointer(start: base + range.lowerBound, count: min(40, range.count))
    let text = String(decoding: shown, as: UTF8.self).printable
    return "\"" + text + (range.count > 40 ? "…" : "") + "\""
  }

  func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
  }
}

/// Iterates over the lines of a window. The iteration skips blank lines, and reports and drops
/// lines that are too long.
struct FeedLineWalk {
  /// Whether the rest of a line that was too long has not arrived yet.
  private var isDropping = false

  enum Step {
    case line(Range<Int>, next: Int)
    case tooLong
    case notThere
  }

  /// Returns the next line that is not blank, and advances the window to its start.
  mutating func next(_ window: FeedWindow) -> Step {
    while true {
      if isDropping {
        guard let found = window.newline(from: window.start) else {
          window.advance(to: window.end)
          return .notThere
        }
        window.advancePastLine(to: found + 1)
        isDropping = false
      }
      switch window.line(at: window.start) {
      case .notThere: return .notThere
      case .tooLong:
        window.advance(to: window.end)
        isDropping = true
        return .tooLong
      case .line(let range, let next):
        if window.isBlank(range) {
          window.advance(to: next)
          continue
        }
        return .line(range, next: next)
      }
    }
  }
}
