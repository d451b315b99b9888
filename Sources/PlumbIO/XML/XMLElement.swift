/// An XML element with its contents. Names have no namespace prefix.
package struct XMLElement: Sendable {
  package let name: String
  /// The attributes by name. If a name is repeated, the first attribute is used.
  package private(set) var attributes: [String: String] = [:]
  package private(set) var children: [XMLElement] = []
  /// All text directly in the element, without leading and trailing whitespace.
  package private(set) var text = ""

  /// The maximum nesting depth and the maximum number of elements.
  private static let depthLimit = 256
  private static let countLimit = 1 << 20

  private init(name: String) { self.name = name }

  /// Parses a document in UTF-8, ISO 8859-1 or windows-1252 (read as ISO 8859-1). Entities that are
  /// declared in the document are not expanded.
  ///
  /// - Throws: if the document is not a single element, or if elements are nested too deeply.
  package init(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else {
      throw FormatError("the XML is empty")
    }
    var open: [(element: XMLElement, text: [UInt8])] = []
    var root: XMLElement?
    var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var isLatin = false
    var count = 0
    func close() {
      guard let last = open.popLast() else { return }
      var element = last.element
      element.text = String(decoding: XMLText.trimmed(last.text), as: UTF8.self)
      if open.isEmpty {
        root = root ?? element
      } else {
        open[open.count - 1].element.children.append(element)
      }
    }
    while position < bytes.count {
      let window = XMLWindow(base, position..<bytes.count, isAtEnd: true, isFull: false)
      let (token, end) = XMLTokens.next(window)
      switch token {
      case .notThere:
        throw FormatError("the XML is truncated", offset: position)
      case .declaration(let range):
        let words = String(decoding: bytes[range], as: UTF8.self).lowercased()
        isLatin = words.contains("8859-1") || words.contains("windows-1252")
      case .text(let range, let isLiteral):
        guard !open.isEmpty else { break }
        XMLText.append(
          UnsafeBufferPointer(start: base + range.lowerBound, count: range.count),
          isLiteral: isLiteral, isLatin: isLatin, to: &open[open.count - 1].text)
      case .start(let name, let attributes, let isEmpty):
        count += 1
        guard open.count < Self.depthLimit, count <= Self.countLimit else {
          throw FormatError(
            "the XML has too many elements, or they are nested too deeply", offset: position)
        }
        var element = XMLElement(name: String(decoding: bytes[name], as: UTF8.self))
        element.read(attributes, base, isLatin)
        open.append((element, []))
        if isEmpty { close() }
      case .end(let name):
        guard let last = open.last,
          last.element.name == String(decoding: bytes[name], as: UTF8.self)
        else { throw FormatError("an end tag has no start tag", offset: position) }
        close()
      }
      guard end > position else { throw FormatError("the XML is truncated", offset: position) }
      position = end
    }
    guard open.isEmpty, let root else { throw FormatError("the XML is truncated") }
    self = root
  }

  private mutating func read(
    _ range: Range<Int>, _ base: UnsafePointer<UInt8>, _ isLatin: Bool
  ) {
    var position = range.lowerBound
    let end = range.upperBound
    func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }
    while position < end {
      while position < end, isBlank(base[position]) { position += 1 }
      var start = position
      while position < end, base[position] != UInt8(ascii: "="), !isBlank(base[position]) {
        if base[position] == UInt8(ascii: ":") { start = position + 1 }
        position += 1
      }
      let name = String(
        decoding: UnsafeBufferPointer(start: base + start, count: position - start), as: UTF8.self)
      while position < end, isBlank(base[position]) { position += 1 }
      guard position < end, base[position] == UInt8(ascii: "=") else {
        if name.isEmpty { return }
        continue
      }
      position += 1
      while position < end, isBlank(base[position]) { position += 1 }
      guard position < end, base[position] == 0x22 || base[position] == 0x27 else { return }
      let quote = base[position]
      let value = position + 1
      position = value
      while position < end, base[position] != quote { position += 1 }
      var text: [UInt8] = []
      XMLText.append(
        UnsafeBufferPointer(start: base + value, count: position - value), isLiteral: false,
        isLatin: isLatin, to: &text)
      if attributes[name] == nil { attributes[name] = String(decoding: text, as: UTF8.self) }
      position += 1
    }
  }

  /// The first child element with a name.
  package func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }
}
