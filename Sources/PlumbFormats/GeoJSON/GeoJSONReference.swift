import PlumbIO

/// The value of the `crs` member of GeoJSON before RFC 7946.
enum GeoJSONReference: Equatable {
  case named(String)
  case null

  /// Reads the value of the member; nil if the value has no name, for example if it is a link.
  init?(_ scanner: inout JSONScanner) throws(FormatError) {
    guard scanner.peek() == UInt8(ascii: "{") else {
      let isNull = scanner.peek() == UInt8(ascii: "n")
      try scanner.skipValue()
      guard isNull else { return nil }
      self = .null
      return
    }
    var name: String?
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      if scanner.isText(key, "properties"), scanner.peek() == UInt8(ascii: "{") {
        name = try Self.name(&scanner)
      } else {
        try scanner.skipValue()
      }
    }
    guard let name else { return nil }
    self = .named(Self.normalized(name))
  }

  private static func name(_ scanner: inout JSONScanner) throws(FormatError) -> String? {
    var name: String?
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let isName = scanner.isText(key, "name")
      let isCode = scanner.isText(key, "code")
      switch try scanner.readFieldValue() {
      case .text(let text) where isName: name = text
      case .text(let text) where isCode: name = name ?? "EPSG:" + text
      case .integer(let code) where isCode: name = name ?? "EPSG:\(code)"
      default: break
      }
    }
    return name
  }

  /// The CRS as `AUTHORITY:CODE`, if the text has this form or is an OGC URN or an OGC URL.
  /// Otherwise, the unchanged text.
  static func normalized(_ text: String) -> String {
    let lower = text.lowercased()
    var parts: [Substring] = []
    if lower.hasPrefix("urn:ogc:def:crs:") || lower.hasPrefix("urn:x-ogc:def:crs:") {
      parts = text.split(separator: ":", omittingEmptySubsequences: false).dropFirst(4).map { $0 }
    } else if let range = ["http://", "https://"].first(where: {
      lower.hasPrefix($0 + "www.opengis.net/def/crs/")
    }) {
      parts = text.dropFirst(range.count + "www.opengis.net/def/crs/".count)
        .split(separator: "/", omittingEmptySubsequences: false)
    } else {
      parts = text.split(separator: ":", omittingEmptySubsequences: false)
      if parts.count == 1, lower == "crs84" { return "OGC:CRS84" }
      guard parts.count == 2 else { return text }
    }
    guard parts.count >= 2, let authority = parts.first, let code = parts.last, !code.isEmpty else {
      return text
    }
    return authority.uppercased() + ":" + code
  }
}
