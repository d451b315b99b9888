/// Reads JSON (RFC 8259) as bytes, without building a tree.
///
/// Each call skips the whitespace before its token. Containers are read with `beginObject` and
/// `nextKey`, or with `beginArray` and `nextElement`. Each value in a container must be read or
/// skipped before the next step. The scanner does not recurse, and the nesting depth is limited to
/// `nestingLimit`. The bytes of strings are not checked as UTF-8, because decoding repairs them.
///
/// The bytes must outlive the scanner. A copy of a scanner is independent.
public struct JSONScanner {
  /// The maximum nesting depth of containers. Deeper nesting is an error.
  public static let nestingLimit = 512

  package let bytes: UnsafeBufferPointer<UInt8>
  /// The index of the next byte to read.
  public private(set) var position: Int
  /// The offset of `bytes[0]` in the whole input, added to positions in errors.
  public let baseOffset: Int
  /// Whether a call reached the end of the bytes at a position where more text could follow. In
  /// this case, the text may be truncated; even a number at the end may be incomplete.
  public private(set) var reachedEnd = false

  private var depth = 0
  private var isFresh = false

  /// Starts at a position. `baseOffset` is the offset of the bytes in the whole input.
  public init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int = 0, baseOffset: Int = 0) {
    self.bytes = bytes
    self.position = position
    self.baseOffset = baseOffset
  }

  /// Starts at a position. `baseOffset` is the offset of the bytes in the whole input.
  public init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0, baseOffset: Int = 0) {
    self.init(bytes.bindMemory(to: UInt8.self), at: position, baseOffset: baseOffset)
  }

  /// Whether the bytes are one JSON value with only whitespace around it.
  public static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var scanner = JSONScanner(bytes)
    guard (try? scanner.skipValue()) != nil else { return false }
    return scanner.isAtEnd()
  }

  // MARK: Tokens

  /// Moves to the next byte that is not whitespace, or to the end.
  public mutating func skipWhitespace() {
    // Loops store the position in a local variable, so that it stays in a register.
    var next = position
    while next < bytes.count, Self.isBlank(bytes[next]) { next += 1 }
    position = next
  }

  @inline(__always)
  private static func isBlank(_ byte: UInt8) -> Bool {
    byte <= 0x20 && (byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09)
  }

  /// The first byte of the next token; nil at the end.
  public mutating func peek() -> UInt8? {
    skipWhitespace()
    return position < bytes.count ? bytes[position] : nil
  }

  /// Whether only whitespace is left.
  public mutating func isAtEnd() -> Bool { peek() == nil }

  /// Reads `NaN`, `Infinity` or `-Infinity`, which are not JSON, but which Python writes; nil for other values.
  package mutating func readNonFinite() -> Double? {
    skipWhitespace()
    for (word, value) in [
      ("NaN", .nan), ("Infinity", .infinity), ("-Infinity", -.infinity),
    ] as [(StaticString, Double)] {
      let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
      let end = position + letters.count
      if end <= bytes.count, bytes[position..<end].elementsEqual(letters) {
        position = end
        return value
      }
    }
    return nil
  }

  /// Continues at another position of the same bytes.
  package mutating func move(to position: Int) { self.position = position }

  /// Sets the state of the scanner as if a value inside an object had just been read.
  package mutating func resumeInsideObject() {
    depth = 1
    isFresh = false
  }

  // MARK: Containers

  /// Enters an object.
  public mutating func beginObject() throws(FormatError) {
    try begin(UInt8(ascii: "{"), "an object")
  }

  /// Enters an array.
  public mutating func beginArray() throws(FormatError) {
    try begin(UInt8(ascii: "["), "an array")
  }

  private mutating func begin(_ opener: UInt8, _ what: String) throws(FormatError) {
    guard let byte = peek() else { throw endFailure() }
    guard byte == opener else { throw fault("\(what) was expected") }
    guard depth < Self.nestingLimit else { throw tooDeep() }
    position += 1
    depth += 1
    isFresh = true
  }

  /// Moves to the next member's value.
  ///
  /// - Returns: the key's bytes with quotes; nil after the object's end.
  public mutating func nextKey() throws(FormatError) -> Range<Int>? {
    guard try step(closer: UInt8(ascii: "}")) else { return nil }
    return try skipKey()
  }

  /// Moves to the next element. Returns false after the array's end.
  public mutating func nextElement() throws(FormatError) -> Bool {
    try step(closer: UInt8(ascii: "]"))
  }

  private mutating func step(closer: UInt8) throws(FormatError) -> Bool {
    guard let byte = peek() else { throw endFailure() }
    if byte == closer {
      position += 1
      depth -= 1
      isFresh = false
      return false
    }
    if isFresh {
      isFresh = false
      return true
    }
    guard byte == UInt8(ascii: ",") else {
      throw fault("a comma or \(Character(Unicode.Scalar(closer))) was expected")
    }
    position += 1
    return true
  }

  private mutating func skipKey() throws(FormatError) -> Range<Int> {
    guard let quote = peek() else { throw endFailure() }
    guard quote == UInt8(ascii: "\"") else { throw fault("a key in quotes was expected") }
    let key = try skipString()
    guard let colon = peek() else { throw endFailure() }
    guard colon == UInt8(ascii: ":") else { throw fault("a colon was expected") }
    position += 1
    return key
  }

  // MARK: Values

  /// Checks and skips one value of any kind.
  ///
  /// - Returns: the value's bytes.
  /// - Complexity: O(*n*) in the value's bytes, without an allocation.
  @discardableResult
  public mutating func skipValue() throws(FormatError) -> Range<Int> {
    skipWhitespace()
    let start = position
    let outer = depth
    defer { depth = outer }
    // Each bit shows whether the container at a level is an object.
    var objects = SIMD8<UInt64>()
    while true {
      guard let byte = peek() else { throw endFailure() }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < Self.nestingLimit else { throw tooDeep() }
        let isObject = byte == UInt8(ascii: "{")
        let bit: UInt64 = 1 << UInt64(depth & 63)
        if isObject { objects[depth >> 6] |= bit } else { objects[depth >> 6] &= ~bit }
        position += 1
        depth += 1
        guard let next = peek() else { throw endFailure() }
        if next != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          if isObject { _ = try skipKey() }
          continue
        }
        position += 1
        depth -= 1
      case UInt8(ascii: "\""): try skipString()
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
      case UInt8(ascii: "t"): try skipWord("true")
      case UInt8(ascii: "f"): try skipWord("false")
      case UInt8(ascii: "n"): try skipWord("null")
      default: throw fault("a value was expected")
      }
      while depth > outer {
        guard let next = peek() else { throw endFailure() }
        let isObject = objects[(depth - 1) >> 6] >> UInt64((depth - 1) & 63) & 1 == 1
        if next == UInt8(ascii: ",") {
          position += 1
          if isObject { _ = try skipKey() }
          break
        }
        guard next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw fault("a comma or \(isObject ? "}" : "]") was expected")
        }
        position += 1
        depth -= 1
        if depth == outer { return start..<position }
      }
      if depth == outer { return start..<position }
    }
  }

  /// Checks and skips a string.
  ///
  /// - Returns: the string's bytes with quotes.
  @discardableResult
  public mutating func skipString() throws(FormatError) -> Range<Int> {
    guard let quote = peek() else { throw endFailure() }
    guard quote == UInt8(ascii: "\"") else { throw fault("a string was expected") }
    let start = position
    var next = start + 1
    while next < bytes.count {
      let byte = bytes[next]
      if byte == UInt8(ascii: "\"") {
        position = next + 1
        return start..<position
      }
      if byte == UInt8(ascii: "\\") {
        position = next
        try skipEscape()
        next = position
      } else if byte < 0x20 {
        position = next
        throw fault("a control character in a string must be escaped")
      } else {
        next += 1
      }
    }
    throw endFailure()
  }

  private mutating func skipEscape() throws(FormatError) {
    position += 1
    guard position < bytes.count else { throw endFailure() }
    switch bytes[position] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      position += 1
      for _ in 0..<4 {
        guard position < bytes.count else { throw endFailure() }
        guard hexDigit(bytes[position]) != nil else { throw fault("\\u needs four hex digits") }
        position += 1
      }
    default: throw fault("an unknown escape in a string")
    }
  }

  /// Checks and skips a number.
  ///
  /// - Returns: the number's bytes, and whether it has neither a fraction nor an exponent.
  @discardableResult
  public mutating func skipNumber() throws(FormatError) -> (range: Range<Int>, isIntegral: Bool) {
    skipWhitespace()
    let start = position
    if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
    if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
      position += 1
    } else {
      try skipDigits()
    }
    var isIntegral = true
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      isIntegral = false
      position += 1
      try skipDigits()
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      isIntegral = false
      position += 1
      if position < bytes.count,
        bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
      {
        position += 1
      }
      try skipDigits()
    }
    if position == bytes.count { reachedEnd = true }
    return (start..<position, isIntegral)
  }

  private mutating func skipDigits() throws(FormatError) {
    let start = position
    var next = start
    while next < bytes.count, bytes[next] &- 48 < 10 { next += 1 }
    position = next
    if next > start { return }
    if position == bytes.count { throw endFailure() }
    throw fault("a digit was expected")
  }

  private mutating func skipWord(_ word: StaticString) throws(FormatError) {
    for index in 0..<word.utf8CodeUnitCount {
      guard position < bytes.count else { throw endFailure() }
      guard bytes[position] == word.utf8Start[index] else { throw fault("a value was expected") }
      position += 1
    }
  }

  // MARK: Errors

  /// An error at the current position.
  package func fault(_ message: String) -> FormatError {
    FormatError("invalid JSON: \(message)", offset: baseOffset + position)
  }

  private mutating func endFailure() -> FormatError {
    reachedEnd = true
    position = bytes.count
    return fault("the text ends too early")
  }

  private func tooDeep() -> FormatError {
    fault("values are nested deeper than \(Self.nestingLimit) levels")
  }
}
