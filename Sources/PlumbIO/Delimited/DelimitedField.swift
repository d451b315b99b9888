/// One field of delimited text (RFC 4180), found in one pass. All loops over fields use this type,
/// except the loop over records without quotes, which uses `FieldSeparators`.
///
/// An opening quote must be at the start of the field. Two quotes within quoted text represent one
/// quote. Text after the closing quote belongs to the field. Positions are relative to the first
/// byte of `bytes`.
///
/// The initializer and `content` are inlined, so that a loop over records compiles to one loop.
@usableFromInline
package struct DelimitedField {
  @usableFromInline package var start: Int
  /// The end of the field. A carriage return before a line end is not part of the field.
  @usableFromInline package var end: Int
  /// The position of the delimiter or line end after the field; the limit if there is none before
  /// it.
  @usableFromInline package var next: Int
  /// The position of the closing quote; the limit if there is none; -1 if the field is not quoted.
  @usableFromInline package var quote: Int
  /// The number of line ends within the quotes.
  @usableFromInline package var lineCount: Int
  /// Whether the field has an opening quote but no closing quote.
  @usableFromInline package var isOpen: Bool

  /// - Parameters:
  ///   - other: a second delimiter; equal to the first delimiter if there is only one.
  ///   - lineEnd: the byte that ends a record; the delimiter if the bytes are one record.
  @inlinable @inline(__always)
  package init(
    _ bytes: UnsafePointer<UInt8>, at start: Int, limit: Int, delimiter: UInt8, other: UInt8,
    lineEnd: UInt8
  ) {
    var position = start
    (quote, lineCount, isOpen) = (-1, 0, false)
    if position < limit, bytes[position] == UInt8(ascii: "\"") {
      quote = Self.closingQuote(bytes, start, limit, &lineCount)
      isOpen = quote == limit
      position = isOpen ? limit : quote + 1
    }
    while position < limit, bytes[position] != delimiter, bytes[position] != lineEnd,
      bytes[position] != other
    {
      position += 1
    }
    (self.start, next, end) = (start, position, position)
    if lineEnd != delimiter, position == limit || bytes[position] == lineEnd {
      end = Self.endOfLast(bytes, from: start, at: position)
    }
  }

  /// The end of the last field of a record. A line end or the end of the text is at `position`.
  @inlinable @inline(__always)
  package static func endOfLast(
    _ bytes: UnsafePointer<UInt8>, from start: Int, at position: Int
  ) -> Int {
    position > start && bytes[position - 1] == 0x0D ? position - 1 : position
  }

  /// The range of the content, without the quotes if they enclose the whole field.
  @inlinable @inline(__always)
  package var content: Range<Int> {
    if quote < 0 { return start..<end }
    if isOpen { return min(start + 1, end)..<end }
    return quote + 1 == end ? start + 1..<quote : start..<end
  }

  /// The position of the quote that closes the quote at `start`; the limit if there is none.
  @usableFromInline
  static func closingQuote(
    _ bytes: UnsafePointer<UInt8>, _ start: Int, _ limit: Int, _ lineCount: inout Int
  ) -> Int {
    var position = start + 1
    while position < limit {
      let byte = bytes[position]
      if byte == 0x0A { lineCount += 1 }
      if byte == UInt8(ascii: "\"") {
        guard position + 1 < limit, bytes[position + 1] == UInt8(ascii: "\"") else {
          return position
        }
        position += 1
      }
      position += 1
    }
    return limit
  }

  /// The field's content without its enclosing quotes, with each doubled quote replaced by a single
  /// quote.
  package func text(in bytes: UnsafePointer<UInt8>) -> [UInt8] {
    guard quote >= 0 else {
      return Array(UnsafeBufferPointer(start: bytes + start, count: end - start))
    }
    var text: [UInt8] = []
    text.reserveCapacity(end - start)
    var position = start + 1
    while position < quote {
      text.append(bytes[position])
      position += bytes[position] == UInt8(ascii: "\"") ? 2 : 1
    }
    if !isOpen {
      text.append(
        contentsOf: UnsafeBufferPointer(start: bytes + quote + 1, count: end - quote - 1))
    }
    return text
  }
}
