import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension FeedWindow {
  /// A line of a feed, or why there is none.
  enum Line {
    /// The bytes without the line end, and the position behind that.
    case line(Range<Int>, next: Int)
    /// A line over the window's limit; its first bytes are given up, the rest is to be dropped.
    case tooLong
    /// It has not come whole.
    case notThere
  }

  /// The line that begins at a position. What is left at the end of the input is a line.
  func line(at position: Int) -> Line {
    if let found = newline(from: position) {
      var last = found
      if last > position, base[last - 1] == 0x0D { last -= 1 }
      return .line(position..<last, next: found + 1)
    }
    if isAtEnd, position < end { return .line(position..<end, next: end) }
    return position == start && isFull ? .tooLong : .notThere
  }

  /// The position of the next newline.
  func newline(from position: Int) -> Int? {
    guard position < end, let found = memchr(base + position, 0x0A, end - position) else {
      return nil
    }
    return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
  }

  /// Whether bytes are spaces only.
  func isBlank(_ range: Range<Int>) -> Bool {
    for index in range where base[index] != 0x20 && base[index] != 0x09 && base[index] != 0x0D {
      return false
    }
    return true
  }

  /// Whether nothing but blanks is left of bytes that are all there.
  var isBlankToEnd: Bool {
    for index in start..<end where base[index] != 0x0A && !isBlank(index..<index + 1) {
      return false
    }
    return true
  }

  /// Bytes for a message: the first few, as text.
  func sample(_ range: Range<Int>) -> String {
    let shown = UnsafeBufferPointer(start: base + range.lowerBound, count: min(40, range.count))
    let text = String(decoding: shown, as: UTF8.self).printable
    return "\"" + text + (range.count > 40 ? "…" : "") + "\""
  }

  func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
  }
}

/// Walks the lines of a window: blank ones are left out, those too long are reported and dropped.
struct FeedLineWalk {
  /// Whether the rest of a line that was too long is still to come.
  private var isDropping = false

  enum Step {
    case line(Range<Int>, next: Int)
    case tooLong
    case notThere
  }

  /// The next line that is not blank; the window starts there.
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
