import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbRaster

/// The items of STAC documents, and of the documents to which they refer, that have an asset.
struct STACItems: Sendable {
  /// The asset of an item.
  struct Asset: Sendable {
    enum Source: Sendable {
      /// A file, which has been checked, and the folder of the document.
      case file(String, SourceFolder)
      /// A URL, or the name of a file in a bucket.
      case address(String)
    }

    var source: Source
    var date: ImageDate
    /// The item and its document, for messages.
    var place: String
  }

  /// A document to read.
  private struct Pending: Sendable {
    var place: STACSelection.Place
    var folder: SourceFolder
    /// The keys of the chain of documents that links to this document. The last key is the key of
    /// this document.
    var path: [String]
  }

  private(set) var assets: [Asset] = []
  /// Warnings for the user about the items.
  private(set) var warnings: [String] = []

  private let documentAccess: DocumentAccess
  private let access: STACAccess
  private let asset: String
  private var ids: Set<[String]> = []
  private var missing = 0
  private var itemCount = 0
  private var assetNames: Set<String> = []
  private var byteCount = 0

  /// The maximum size in bytes of a document that the user names (`rootLimit`), of any other
  /// document, and of all documents together.
  private static let (rootLimit, sizeLimit, totalLimit) = (256 << 20, 32 << 20, 1 << 30)
  /// The maximum number of documents, and the maximum length of a chain of links.
  private static let (documentLimit, depthLimit) = (100_000, 32)
  /// The number of documents that are read concurrently.
  private static let portionSize = 32

  /// - Throws: if a document cannot be read, if no item has the asset, or if a document refers to a file or
  ///   an address that may not be accessed.
  init(_ selection: STACSelection, _ access: DocumentAccess, _ workers: Workers) throws {
    (asset, documentAccess) = (selection.asset, access)
    self.access = STACAccess(selection.documents, access)
    var known: Set<String> = []
    var tasks = try selection.documents.map { place in
      let folder = try SourceFolder(
        ofDocument: place.text, isRemote: place.isAddress, access: access)
      return Pending(place: place, folder: folder, path: [Self.key(of: place)])
    }
    for task in tasks { known.formUnion(task.path) }
    var depth = 0
    while !tasks.isEmpty {
      try WorkCancellation.checkCurrent()
      guard depth < Self.depthLimit else {
        throw PlumbError(
          "\(tasks[0].place.text.printable) is more than \(Self.depthLimit) links deep",
          code: .limit)
      }
      var next: [Pending] = []
      // Documents are read in portions, so that memory is bounded.
      for start in stride(from: 0, to: tasks.count, by: Self.portionSize) {
        let portion = tasks[start..<min(tasks.count, start + Self.portionSize)]
        let (access, asset) = (self.access, asset)
        let limit = depth == 0 ? Self.rootLimit : Self.sizeLimit
        let read = try workers.map(portion.count) { _, job in
          try Self.read(portion[start + job], access, asset, limit)
        }
        for (task, (document, size)) in zip(portion, read) {
          try add(document, of: task, size, &next, &known)
        }
      }
      (tasks, depth) = (next, depth + 1)
    }
    try finish(selection)
  }

  /// A key that is the same for all paths of a document.
  private static func key(of place: STACSelection.Place) -> String {
    switch place {
    case .file(let path): realPath(path) ?? path
    case .address(let url):
      String(decoding: url.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
    }
  }

  private static func read(
    _ task: Pending, _ access: STACAccess, _ asset: String, _ limit: Int
  ) throws -> (STACDocument, size: Int) {
    do {
      switch task.place {
      case .file(let path):
        let file = try DocumentFile(path: path, limit: limit)
        return try file.bytes.withUnsafeBytes {
          (try STACDocument($0, asset: asset), size: $0.count)
        }
      case .address(let url):
        let body = try access.document(url, limit: limit)
        return (try STACDocument(body.bytes, asset: asset), size: body.count)
      }
    } catch {
      let error = PlumbError(error)
      // Errors of files already name the path.
      let isNamed = error.message.hasBytes(atStart: task.place.text.printable)
      throw isNamed ? error : PlumbError("\(task.place.text.printable)", error)
    }
  }

  /// Adds the items of a document, and the documents to which it refers.
  private mutating func add(
    _ document: STACDocument, of task: Pending, _ size: Int, _ next: inout [Pending],
    _ known: inout Set<String>
  ) throws {
    let shown = task.place.text.printable
    byteCount += size
    guard byteCount <= Self.totalLimit else {
      throw PlumbError("\(shown): the documents have more than 1 GiB in total", code: .limit)
    }
    itemCount += document.itemCount
    guard itemCount <= STACDocument.itemLimit else {
      throw PlumbError(
        "\(shown): there are more than \(STACDocument.itemLimit) items", code: .limit)
    }
    missing += document.itemCount - document.items.count
    if assetNames.count < 1000 { assetNames.formUnion(document.assetNames) }
    if document.isContinued, warnings.isEmpty {
      warnings.append(
        "\(shown) is one page of a longer list of items; the other pages are not read")
    }
    for item in document.items {
      guard ids.insert([item.collection ?? "", item.id]).inserted else {
        throw PlumbError("\(shown): two items have the id \(item.id.printable)")
      }
      let place = "\(shown), item \(item.id.printable), asset \(asset.printable)"
      do {
        assets.append(
          Asset(
            source: try source(item, document, task), date: item.date, place: place))
      } catch {
        throw Self.error(error, place)
      }
    }
    for link in document.links {
      let place: STACSelection.Place
      do {
        place = try target(link, of: task)
      } catch {
        throw Self.error(error, shown)
      }
      let key = Self.key(of: place)
      guard !task.path.contains(key) else {
        throw PlumbError("\(shown): the link to \(link.printable) is circular")
      }
      guard known.insert(key).inserted else { continue }
      guard known.count <= Self.documentLimit else {
        throw PlumbError(
          "\(shown): there are more than \(Self.documentLimit) documents", code: .limit)
      }
      // A document at an address cannot refer to local files.
      let folder =
        try place.isAddress
        ? SourceFolder(ofDocument: place.text, isRemote: true, access: documentAccess)
        : task.folder.folder(ofDocument: place.text)
      next.append(Pending(place: place, folder: folder, path: task.path + [key]))
    }
  }

  /// An error with its position, worded for a document instead of a map.
  static func error(_ error: any Error, _ place: String) -> PlumbError {
    var error = PlumbError(error)
    error.messageTemplate = error.messageTemplate.map {
      $0.replacing("the map's folder", with: "the document's folder")
    }
    return PlumbError("\(place)", error)
  }

  // MARK: References

  /// The document to which a link leads.
  private func target(_ link: String, of task: Pending) throws -> STACSelection.Place {
    let whole =
      task.place.isAddress ? RelativeAddress.resolve(link, against: task.place.text) : link
    if STACSelection.isAddress(whole) {
      try access.check(whole)
      return .address(whole)
    }
    return .file(try task.folder.path(of: Self.trimmed(whole)))
  }

  /// The file or address of an item's asset.
  private func source(
    _ item: STACDocument.Item, _ document: STACDocument, _ task: Pending
  ) throws -> Asset.Source {
    func address(_ url: String) throws -> Asset.Source {
      try access.check(url)
      return .address(url)
    }
    if STACSelection.isRemote(item.href) { return try address(item.href) }
    if case .address(let url) = task.place {
      // The items of a list have individual addresses.
      let own = document.isItemCollection ? item.selfLink : nil
      let base = own.map { RelativeAddress.resolve($0, against: url) } ?? url
      let whole = RelativeAddress.resolve(item.href, against: base)
      if STACSelection.isRemote(whole) { return try address(whole) }
      return .file(try task.folder.path(of: whole), task.folder)
    }
    let href = Self.trimmed(item.href)
    do throws(PlumbError) {
      return .file(try task.folder.path(of: href), task.folder)
    } catch {
      // A file next to the document takes precedence over the address of the item.
      guard error.code == .notFound, !href.hasBytes(atStart: "/"), !SourceFolder.isVirtual(href),
        let own = item.selfLink
      else { throw error }
      if STACSelection.isRemote(own) {
        return try address(RelativeAddress.resolve(item.href, against: own))
      }
      let isFile = own.lowercasedASCII.hasBytes(atStart: "file:")
      guard isFile || !SourceFolder.isVirtual(own) else { throw error }
      let path = Self.trimmed(own).folderPrefix + href
      return .file(try task.folder.path(of: path), task.folder)
    }
  }

  /// A relative reference without `./` at its start.
  private static func trimmed(_ reference: String) -> String {
    var bytes = reference.utf8[...]
    while bytes.starts(with: "./".utf8), bytes.count > 2 { bytes = bytes.dropFirst(2) }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: All items

  private mutating func finish(_ selection: STACSelection) throws(PlumbError) {
    let shown = selection.documents[0].text.printable
    guard itemCount > 0 else {
      throw PlumbError(
        "\(shown) has no items, and no links to items; for a collection of an API, give a file with the "
          + "reply of its items")
    }
    guard !assets.isEmpty else {
      let names = assetNames.sorted()
      let list = names.prefix(20).map(\.printable).joined(separator: ", ")
      throw PlumbError(
        "\(shown): no item has the asset \(asset.printable); the assets are "
          + (names.isEmpty ? "none" : list + (names.count > 20 ? ", …" : "")), code: .notFound)
    }
    if missing > 0 {
      let (items, verb) = missing == 1 ? ("item", "has") : ("items", "have")
      warnings.append(
        "\(shown): \(missing) of \(itemCount) \(items) \(verb) no asset \(asset.printable)")
    }
  }
}
