import PlumbCore
import PlumbIO
import PlumbRaster

/// The parts of a STAC document that are read: the items that have an asset, and the links to other
/// documents.
struct STACDocument: Sendable {
  /// An item with the asset.
  struct Item: Sendable {
    var id: String
    var collection: String?
    var date: ImageDate
    /// The href of the asset.
    var href: String
    /// The href of the link to the item itself; nil if there is none.
    var selfLink: String?
  }

  private(set) var items: [Item] = []
  /// The number of items, with and without the asset.
  private(set) var itemCount = 0
  /// The keys of assets in the document, up to a limit.
  private(set) var assetNames: Set<String> = []
  /// The hrefs of the documents of children and items.
  private(set) var links: [String] = []
  /// Whether a further page of items exists.
  private(set) var isContinued = false
  /// Whether the document is a list of items, which usually have individual addresses (`selfLink`).
  private(set) var isItemCollection = false

  /// The maximum number of items (`itemLimit`), and the maximum number of asset keys in `assetNames`
  /// (`nameLimit`).
  static let itemLimit = 100_000
  private static let nameLimit = 1000
  /// The memory limits in bytes for the parsed tree of one item (`itemMemory`) and of any other value
  /// (`treeMemory`).
  private static let (itemMemory, treeMemory) = (64 << 20, 256 << 20)

  /// - Parameters:
  ///   - bytes: the document.
  ///   - asset: the key of the asset.
  /// - Throws: for text that is not JSON or not a STAC document, and for an item without an id or a date.
  init(_ bytes: UnsafeRawBufferPointer, asset: String) throws(PlumbError) {
    let parts: [String: Range<Int>]
    do throws(FormatError) {
      parts = try Self.parts(of: bytes)
    } catch {
      throw PlumbError(error)
    }
    if let features = parts["features"] {
      isItemCollection = true
      try readItems(bytes, features, asset)
      let links = try parts["links"].map { (range) throws(PlumbError) in
        try Self.links(Self.tree(bytes, range))
      }
      isContinued = links?.contains { $0.relation == "next" } ?? false
    } else if let range = parts["type"], try Self.tree(bytes, range) == .text("Feature") {
      let start = bytes.starts(with: Self.mark) ? Self.mark.count : 0
      try add(Self.tree(bytes, start..<bytes.count, memory: Self.itemMemory), asset)
    } else if let range = parts["links"] {
      links = try Self.links(Self.tree(bytes, range))
        .filter { $0.relation == "item" || $0.relation == "child" }.map(\.href)
    } else {
      throw PlumbError("it is not a STAC item, list of items, collection or catalog")
    }
  }

  private static let members = ["type", "features", "links"]
  /// The byte order mark.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The members of the root object that are read. If several members have the same name, the last
  /// one is used.
  private static func parts(
    of bytes: UnsafeRawBufferPointer
  ) throws(FormatError) -> [String: Range<Int>] {
    var scanner = JSONScanner(bytes, at: bytes.starts(with: mark) ? mark.count : 0)
    var parts: [String: Range<Int>] = [:]
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let name = members.first { scanner.text(of: key) == $0 }
      let range = try scanner.skipValue()
      if let name { parts[name] = range }
    }
    guard scanner.isAtEnd() else {
      throw FormatError("invalid JSON: unexpected text after the value", offset: scanner.position)
    }
    return parts
  }

  private static func tree(
    _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, memory: Int = treeMemory
  ) throws(PlumbError) -> JSONTree {
    do throws(FormatError) {
      return try JSONTree(
        UnsafeRawBufferPointer(rebasing: bytes[range]), memory: memory, packsPairs: true)
    } catch {
      throw PlumbError(error)
    }
  }

  private mutating func readItems(
    _ bytes: UnsafeRawBufferPointer, _ features: Range<Int>, _ asset: String
  ) throws(PlumbError) {
    var scanner = JSONScanner(bytes, at: features.lowerBound)
    var number = 0
    func next() throws(PlumbError) -> Range<Int>? {
      do throws(FormatError) {
        guard try scanner.nextElement() else { return nil }
        return try scanner.skipValue()
      } catch {
        throw PlumbError(error)
      }
    }
    do throws(FormatError) {
      try scanner.beginArray()
    } catch {
      throw PlumbError("\"features\" is not a list")
    }
    while let range = try next() {
      number += 1
      guard number <= Self.itemLimit else {
        throw PlumbError("it has more than \(Self.itemLimit) items", code: .limit)
      }
      do throws(PlumbError) {
        try add(Self.tree(bytes, range, memory: Self.itemMemory), asset)
      } catch {
        throw PlumbError("item \(number)", error)
      }
    }
  }

  private static func links(
    _ tree: JSONTree
  ) throws(PlumbError) -> [(relation: String, href: String)] {
    guard let elements = tree.elements else { throw PlumbError("\"links\" is not a list") }
    return elements.compactMap { element in
      guard case .object(let link) = element, case .text(let relation)? = link["rel"],
        case .text(let href)? = link["href"]
      else { return nil }
      return (relation, href)
    }
  }

  /// Adds an item if it has the asset.
  private mutating func add(_ tree: JSONTree, _ asset: String) throws(PlumbError) {
    guard case .object(let item) = tree, case .object(let assets)? = item["assets"] else {
      throw PlumbError("it is not a STAC item: it has no assets")
    }
    let id: String
    switch item["id"] {
    case .text(let text)? where !text.isEmpty: id = text
    case .integer(let number)?: id = "\(number)"
    default: throw PlumbError("it is not a STAC item: it has no id")
    }
    itemCount += 1
    guard let value = assets[asset] else {
      for name in assets.keys where assetNames.count < Self.nameLimit { assetNames.insert(name) }
      return
    }
    guard case .object(let chosen) = value, case .text(let href)? = chosen["href"], !href.isEmpty
    else { throw PlumbError("\(id.printable): the asset \(asset.printable) has no href") }
    var collection: String?
    if case .text(let text)? = item["collection"] { collection = text }
    let links = try item["links"].map(Self.links) ?? []
    items.append(
      Item(
        id: id, collection: collection, date: try Self.date(item["properties"], id), href: href,
        selfLink: links.first { $0.relation == "self" }?.href))
  }

  /// The time of an item: its datetime or, if it has none, the middle of its period.
  private static func date(_ tree: JSONTree?, _ id: String) throws(PlumbError) -> ImageDate {
    guard case .object(let properties)? = tree else {
      throw PlumbError("\(id.printable) has no properties with a datetime")
    }
    func time(_ name: String) throws(PlumbError) -> ImageDate? {
      switch properties[name] {
      case nil, .null?: return nil
      case .text(let text)?:
        if let date = ImageDate(text: text) { return date }
        throw PlumbError(
          "\(id.printable): \(name) is \(text.printable), not a time such as 2025-03-22T10:00:00Z")
      case let other?:
        throw PlumbError("\(id.printable): \(name) is \(other.what), not a time")
      }
    }
    if let date = try time("datetime") { return date }
    guard let start = try time("start_datetime"), let end = try time("end_datetime") else {
      throw PlumbError("\(id.printable) has no datetime, and no start_datetime with end_datetime")
    }
    guard let middle = ImageDate(middleFrom: start, to: end) else {
      throw PlumbError("\(id.printable): end_datetime is before start_datetime")
    }
    return middle
  }
}
