import PlumbCore
import PlumbIO

extension JSONScanner {
  /// The error for valid JSON that does not conform to the format.
  func misfit(_ message: String) -> FormatError {
    FormatError(message, offset: baseOffset + position)
  }

  /// Reads an array, and calls `read` for each element.
  mutating func readArray(
    of what: String, _ read: (inout JSONScanner) throws(FormatError) -> Void
  ) throws(FormatError) {
    guard peek() == UInt8(ascii: "[") else { throw misfit("an array of \(what) was expected") }
    try beginArray()
    while try nextElement() { try read(&self) }
  }

  /// Reads a number that is within the range of a double.
  mutating func readFinite() throws(FormatError) -> Double {
    guard let byte = peek(), byte == UInt8(ascii: "-") || byte &- 48 < 10 else {
      throw misfit("a number was expected")
    }
    let start = baseOffset + position
    let value = try readDouble()
    guard value.isFinite else {
      throw FormatError("the number is too large for a double", offset: start)
    }
    return value
  }

  /// Throws an error if there is further text.
  mutating func expectEnd() throws(FormatError) {
    guard isAtEnd() else { throw misfit("unexpected text after the geometry") }
  }
}
