import PlumbCore

/// The scale, offset, unit and description of each band, from GDAL's TIFF tag 42112 (a small XML document).
struct BandItems {
  struct Item {
    var scale: Double?
    var offset: Double?
    var unit: String?
    var name: String?
  }

  private var items: [Int: Item] = [:]

  subscript(band: Int) -> Item { items[band] ?? Item() }

  /// - Parameter samples: the number of bands.
  /// - Returns: nil if the tag is not in the simple form that `Reader` supports, or contains other
  ///   items that affect cells.
  init?(_ directory: TIFFDirectory, samples: Int, _ read: TIFFDirectory.Read<Never>) {
    guard directory.entries[42112] != nil else { return }
    guard let text = directory.text(42112, read), var reader = Reader(text) else { return nil }
    while let element = reader.next() {
      guard consume(element, samples) else { return nil }
    }
    guard reader.isAtEnd else { return nil }
  }

  /// - Returns: whether the element is supported.
  private mutating func consume(_ element: Reader.Element, _ samples: Int) -> Bool {
    var (name, sample, role): (Substring?, Int?, Substring?)
    for (key, value) in element.attributes {
      switch key {
      case "name": name = value
      case "sample":
        guard let number = Int(value), (0..<samples).contains(number) else { return false }
        sample = number
      case "role": role = value
      // The item belongs to another metadata domain, which may describe masks or georeferencing.
      default: return false
      }
    }
    guard let name, name != "NODATA_VALUES" else { return false }
    guard let sample else { return role == nil }
    switch role {
    case nil: return true
    case "scale", "offset":
      guard element.text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }),
        let value = Double(element.text), value.isFinite
      else { return false }
      if role == "scale" {
        items[sample, default: Item()].scale = value
      } else {
        items[sample, default: Item()].offset = value
      }
    case "unittype": items[sample, default: Item()].unit = String(element.text)
    case "description": items[sample, default: Item()].name = String(element.text)
    default: return false
    }
    return true
  }
}

/// Parses only `<GDALMetadata><Item key="value"…>text</Item>…</GDALMetadata>`, without entities, comments or
/// declarations.
private struct Reader {
  struct Element {
    var attributes: [(key: Substring, value: Substring)]
    var text: Substring
  }

  private var rest: Substring
  private(set) var isAtEnd = false

  /// - Returns: nil if the string has another form.
  init?(_ text: String) {
    guard !text.utf8.contains(UInt8(ascii: "&")), !text.contains("<!") else { return nil }
    rest = text[...]
    skipSpace()
    guard consume("<GDALMetadata>") else { return nil }
  }

  private mutating func consume(_ prefix: String) -> Bool {
    guard rest.hasPrefix(prefix) else { return false }
    rest = rest.dropFirst(prefix.count)
    return true
  }

  private mutating func skipSpace() {
    rest = rest.drop { $0 == " " || $0 == "\n" || $0 == "\r\n" || $0 == "\t" }
  }

  /// The next element; nil at the end, and if the text is not in the supported form.
  mutating func next() -> Element? {
    skipSpace()
    if consume("</GDALMetadata>") {
      skipSpace()
      isAtEnd = rest.isEmpty
      return nil
    }
    guard consume("<Item ") else { return nil }
    var element = Element(attributes: [], text: "")
    while !consume(">") {
      skipSpace()
      guard let equals = rest.firstIndex(of: "=") else { return nil }
      let key = rest[..<equals]
      rest = rest[rest.index(after: equals)...]
      guard consume("\""), let end = rest.firstIndex(of: "\""),
        key.allSatisfy({ $0.isLetter && $0.isASCII })
      else { return nil }
      element.attributes.append((key, rest[..<end]))
      rest = rest[rest.index(after: end)...]
    }
    guard let end = rest.firstIndex(of: "<") else { return nil }
    element.text = rest[..<end]
    rest = rest[end...]
    // GDAL may or may not keep surrounding spaces, so strings with such spaces are left to GDAL.
    guard consume("</Item>"), element.text.first?.isWhitespace != true,
      element.text.last?.isWhitespace != true
    else { return nil }
    return element
  }
}
