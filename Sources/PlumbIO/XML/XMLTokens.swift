/// The bytes of an XML document that are available.
package struct XMLWindow {
  fileprivate let base: UnsafePointer<UInt8>
  fileprivate let start: Int
  fileprivate let end: Int
  fileprivate let isAtEnd: Bool
  fileprivate let isFull: Bool

  /// - Parameters:
  ///   - base: the first byte. Positions are relative to this byte.
  ///   - range: the bytes to read.
  ///   - isAtEnd: whether the end of the range is the end of the input.
  ///   - isFull: whether further bytes fit into the buffer only after some bytes have been
  ///     consumed.
  package init(_ base: UnsafePointer<UInt8>, _ range: Range<Int>, isAtEnd: Bool, isFull: Bool) {
    (self.base, start, end) = (base, range.lowerBound, range.upperBound)
    (self.isAtEnd, self.isFull) = (isAtEnd, isFull)
  }

  /// Whether bytes equal an ASCII string.
  package func has(_ range: Range<Int>, _ word: StaticString) -> Bool {
    UnsafeBufferPointer(start: base + range.lowerBound, count: range.count).elementsEqual(
      UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }
}

/// Finds the tags and the text of XML in a window, one after another. Comments and `<!…>`
/// declarations are skipped. Names have no namespace prefix.
///
/// XML that is not well-formed is also accepted if tags can be distinguished from text.
package enum XMLTokens {
  package enum Token {
    case start(name: Range<Int>, attributes: Range<Int>, isEmpty: Bool)
    case end(name: Range<Int>)
    /// Text in which entities are not expanded. If `isLiteral` is true, the text is from a CDATA
    /// section, which contains no entities.
    case text(Range<Int>, isLiteral: Bool)
    /// The content of `<?…?>`, which is the XML declaration or a processing instruction.
    case declaration(Range<Int>)
    case notThere
  }

  /// Returns the next token and the position after it. Positions are relative to the window's base.
  package static func next(_ window: XMLWindow) -> (token: Token, end: Int) {
    let (bytes, end) = (window.base, window.end)
    var position = window.start
    guard position < end else { return (.notThere, position) }
    guard bytes[position] == UInt8(ascii: "<") else {
      while position < end, bytes[position] != UInt8(ascii: "<") { position += 1 }
      // If the buffer is full, text is returned in parts. Otherwise, text is returned only when its
      // end is available, so that no entity is split.
      guard position < end || window.isAtEnd || window.isFull else { return (.notThere, position) }
      return (.text(window.start..<position, isLiteral: false), position)
    }
    if starts(window, position, "<!--") {
      return skip(window, after: position + 4, to: "-->")
    }
    if starts(window, position, "<![CDATA[") {
      guard let close = find(window, from: position + 9, "]]>") else { return (.notThere, end) }
      return (.text(position + 9..<close, isLiteral: true), close + 3)
    }
    if starts(window, position, "<?") {
      guard let close = find(window, from: position + 2, "?>") else { return (.notThere, end) }
      return (.declaration(position + 2..<close), close + 2)
    }
    // The bytes may be an incomplete start of one of the constructs above.
    if end - position < 9, !window.isAtEnd, position + 1 >= end || bytes[position + 1] == 0x21 {
      return (.notThere, end)
    }
    guard let close = tagEnd(window, from: position + 1) else { return (.notThere, end) }
    if bytes[position + 1] == UInt8(ascii: "!") {
      return (.text(position..<position, isLiteral: true), close + 1)
    }
    return (tag(window, position + 1..<close), close + 1)
  }

  private static func tag(_ window: XMLWindow, _ range: Range<Int>) -> Token {
    let bytes = window.base
    var (start, end) = (range.lowerBound, range.upperBound)
    let isEnd = start < end && bytes[start] == UInt8(ascii: "/")
    if isEnd { start += 1 }
    let isEmpty = !isEnd && end > start && bytes[end - 1] == UInt8(ascii: "/")
    if isEmpty { end -= 1 }
    var nameEnd = start
    var nameStart = start
    while nameEnd < end, !isBlank(bytes[nameEnd]) {
      if bytes[nameEnd] == UInt8(ascii: ":") { nameStart = nameEnd + 1 }
      nameEnd += 1
    }
    let name = nameStart..<nameEnd
    if isEnd { return .end(name: name) }
    return .start(name: name, attributes: nameEnd..<end, isEmpty: isEmpty)
  }

  /// The value of an attribute, without its quotes; nil if the attribute does not exist.
  package static func attribute(
    _ name: StaticString, in range: Range<Int>, of window: XMLWindow
  ) -> Range<Int>? {
    let (bytes, end) = (window.base, range.upperBound)
    var position = range.lowerBound
    while position < end {
      while position < end, isBlank(bytes[position]) { position += 1 }
      let start = position
      while position < end, bytes[position] != UInt8(ascii: "="), !isBlank(bytes[position]) {
        position += 1
      }
      let found = start..<position
      while position < end, isBlank(bytes[position]) { position += 1 }
      guard position < end, bytes[position] == UInt8(ascii: "=") else {
        if position == start { return nil }
        continue
      }
      position += 1
      while position < end, isBlank(bytes[position]) { position += 1 }
      guard position < end, bytes[position] == 0x22 || bytes[position] == 0x27 else { return nil }
      let quote = bytes[position]
      let value = position + 1
      position = value
      while position < end, bytes[position] != quote { position += 1 }
      if window.has(found, name) { return value..<position }
      position += 1
    }
    return nil
  }

  /// The position of the `>` that ends a tag, ignoring any `>` in quotes.
  private static func tagEnd(_ window: XMLWindow, from start: Int) -> Int? {
    let bytes = window.base
    var quote: UInt8?
    for position in start..<max(start, window.end) {
      let byte = bytes[position]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == 0x22 || byte == 0x27 {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return position
      }
    }
    return nil
  }

  private static func skip(
    _ window: XMLWindow, after start: Int, to word: StaticString
  ) -> (Token, Int) {
    guard let close = find(window, from: start, word) else { return (.notThere, window.end) }
    return (.text(start..<start, isLiteral: true), close + word.utf8CodeUnitCount)
  }

  private static func find(_ window: XMLWindow, from start: Int, _ word: StaticString) -> Int? {
    let first = word.utf8Start[0]
    var position = start
    while position + word.utf8CodeUnitCount <= window.end {
      if window.base[position] == first, starts(window, position, word) { return position }
      position += 1
    }
    return nil
  }

  private static func starts(
    _ window: XMLWindow, _ position: Int, _ word: StaticString
  ) -> Bool {
    guard position + word.utf8CodeUnitCount <= window.end else { return false }
    return window.has(position..<position + word.utf8CodeUnitCount, word)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
