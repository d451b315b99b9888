import PlumbIO

/// The address of a service, a layer or an operation, with its parameters.
package struct ServiceAddress: Sendable, Hashable {
  /// The kind of resource, determined from the path.
  package enum Kind: Sendable, Hashable {
    /// A feature service (`features`) or a map service (`map`); if `layer` is not nil, its layer with this number.
    case features(layer: Int?)
    case map(layer: Int?)
    case image
    /// A portal item, or its data.
    case item(id: String)
    case other
  }

  /// The address without parameters or a trailing slash.
  package let text: String
  private let pairs: [Pair]
  /// Whether parameters may be sent by POST; Esri's services accept GET and POST.
  var acceptsPOST = true

  private struct Pair: Sendable, Hashable {
    var name: String
    var value: String
  }

  /// The parameters in the address, except the format of the reply.
  package var parameters: [(name: String, value: String)] { pairs.map { ($0.name, $0.value) } }

  /// - Returns: nil if the text is not an http or https address.
  package init?(_ written: String) {
    guard NetworkOrigin(written) != nil else { return nil }
    let whole = written.prefix { $0 != "#" }
    var path = whole.prefix { $0 != "?" }
    while path.hasSuffix("/") { path.removeLast() }
    text = String(path)
    let query = whole.dropFirst(whole.prefix { $0 != "?" }.count).dropFirst()
    pairs = query.split(separator: "&").compactMap { part in
      let name = part.prefix { $0 != "=" }
      guard let plain = Self.decoded(name), plain.lowercased() != "f",
        let value = Self.decoded(part.dropFirst(name.count).dropFirst())
      else { return nil }
      return Pair(name: plain, value: value)
    }
  }

  private init(text: String, pairs: [Pair]) { (self.text, self.pairs) = (text, pairs) }

  /// Returns the address of a path below this address.
  package func appending(_ part: String) -> ServiceAddress {
    ServiceAddress(text: text + "/" + part, pairs: pairs)
  }

  /// The address for messages, without parameters, which may contain secrets.
  package var shown: String { text.printable }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var source = text.utf8.makeIterator()
    while let byte = source.next() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(0x20)
      case UInt8(ascii: "%"):
        guard let high = source.next().flatMap({ hexDigit($0) }),
          let low = source.next().flatMap({ hexDigit($0) })
        else { return nil }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The components of the path.
  private var parts: [Substring] {
    text.split(separator: "/", omittingEmptySubsequences: true).dropFirst(2).map { $0 }
  }

  package var kind: Kind {
    let parts = parts
    let words = parts.map { $0.lowercased() }
    if let id = pairs.first(where: { ["id", "webmap", "itemid"].contains($0.name.lowercased()) }),
      Self.isItem(id.value), words.contains("home") || words.contains("apps")
    {
      return .item(id: id.value)
    }
    if let items = words.lastIndex(of: "items"), items + 1 < parts.count,
      Self.isItem(String(parts[items + 1])), words[..<items].contains("content")
    {
      return .item(id: String(parts[items + 1]))
    }
    guard let last = words.last else { return .other }
    let number = Int(last)
    let word = number == nil ? last : (words.dropLast().last ?? "")
    switch word {
    case "featureserver": return .features(layer: number)
    case "mapserver": return .map(layer: number)
    case "imageserver" where number == nil: return .image
    default: return .other
    }
  }

  static func isItem(_ id: String) -> Bool {
    !id.isEmpty && id.utf8.count <= 64
      && id.utf8.allSatisfy { byte in
        hexDigit(byte) != nil || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
  }

  /// The portal of an item's address: the part before `/sharing`, `/home` or `/apps`; nil if there
  /// is none.
  package var portal: String? {
    let words = parts.map { $0.lowercased() }
    guard let end = words.firstIndex(where: { ["sharing", "home", "apps"].contains($0) }) else {
      return nil
    }
    guard let origin = NetworkOrigin(text) else { return nil }
    return ([origin.description] + parts[..<end].map(String.init)).joined(separator: "/")
  }

  /// The address of the server's metadata with its authentication settings; nil if unknown.
  package var info: ServiceAddress? {
    let words = parts.map { $0.lowercased() }
    guard let rest = words.firstIndex(of: "rest"), let origin = NetworkOrigin(text) else {
      return nil
    }
    let path = parts[...rest].map(String.init) + ["info"]
    return ServiceAddress(([origin.description] + path).joined(separator: "/"))
  }
}
