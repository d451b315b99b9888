import PlumbIO

extension TextBuffer {
  /// Appends the shortest text that is parsed to the same double, including `nan` and `inf`.
  func append(real value: Double) { append(value.description) }

  /// Appends elements separated by commas and enclosed in delimiters.
  func append<Elements: Sequence>(
    separated elements: Elements, open: UInt8 = UInt8(ascii: "["),
    close: UInt8 = UInt8(ascii: "]"), _ write: (Elements.Element) -> Void
  ) {
    append(open)
    var isFirst = true
    for element in elements {
      if !isFirst { append(UInt8(ascii: ",")) }
      isFirst = false
      write(element)
    }
    append(close)
  }
}
