/// The value of a hexadecimal digit; nil for other bytes.
package func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 48
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 87
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 55
  default: nil
  }
}

extension Unicode.Scalar {
  /// The character of a UTF-16 surrogate pair; nil if the halves are not a pair.
  package init?(high: UInt32, low: UInt32) {
    guard (0xD800...0xDBFF).contains(high), (0xDC00...0xDFFF).contains(low) else { return nil }
    self.init(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
  }
}
