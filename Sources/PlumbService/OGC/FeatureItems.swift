import Plumb
import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Handles requests for a page of features of a collection, or for a single feature.
struct FeatureItems {
  private let collection: OGCCollection
  private let rows: FeatureRows
  private let request: ServiceRequest
  private let references: [OGCReference]

  /// The default number of features in a page.
  static let defaultLimit = 10
  /// The maximum number of features in a page. Larger requested limits are reduced to this number.
  static let maximumLimit = 10_000

  init(_ collection: OGCCollection, _ rows: FeatureRows, _ request: ServiceRequest) {
    (self.collection, self.rows, self.request) = (collection, rows, request)
    references = OGCReference.all(storage: rows.reference)
  }

  private var path: String { "/collections/\(collection.id)/items" }

  // MARK: Pages

  func items() throws -> ServiceReply {
    let queryables = Queryables(rows)
    let parameters = try OGCParameters(
      request, known: Queryables.reserved.filter { $0 != "token" }, free: queryables.names)
    let form = try OGCForm.chosen(
      parameters["f"], accept: request.accept, from: [.features, .page, .parquet])
    let limit = min(
      try parameters.count("limit", minimum: 1) ?? Self.defaultLimit, Self.maximumLimit)
    let offset = try parameters.count("offset", minimum: 0) ?? 0
    let reference = try reference("crs", parameters)
    let period = try parameters.period("datetime")
    let boxReference = try self.reference("bbox-crs", parameters)
    var warnings: [String] = []
    var found = Array(0..<rows.count)
    if let numbers = try parameters.numbers("bbox", counts: [4, 6]) {
      found = try BoxSelection(numbers, boxReference, &warnings).rows(of: rows)
    }
    found = try queryables.selected(found, parameters, period)
    let page = found.dropFirst(offset).prefix(limit)
    if form == .parquet {
      var reply = try FeatureParquet(rows, reference).reply(page)
      reply.headers = contentHeaders(reference)
      reply.headers.append(("OGC-NumberMatched", "\(found.count)"))
      reply.headers.append(("OGC-NumberReturned", "\(page.count)"))
      reply.warnings = warnings + reply.warnings
      return reply
    }
    let text = TextBuffer(capacity: 1 << 16)
    text.append(literal: "{\"type\":\"FeatureCollection\",\"features\":[")
    let writer = try FeatureWriter(rows, reference)
    for (count, row) in page.enumerated() {
      if count % 64 == 0 { try WorkCancellation.checkCurrent() }
      if count > 0 { text.append(UInt8(ascii: ",")) }
      try writer.append(row, to: text)
      text.append(UInt8(ascii: "}"))
    }
    text.append(literal: "],\"links\":")
    append(pageLinks(limit, offset, page.count, of: found.count), to: text)
    text.append(literal: ",\"timeStamp\":")
    let timeStart = text.count
    text.append(json: ISOTime.text(milliseconds: Int64(WallClock.seconds) * 1000))
    let timeEnd = text.count
    text.append(literal: ",\"numberMatched\":")
    text.append(signed: Int64(found.count))
    text.append(literal: ",\"numberReturned\":")
    text.append(signed: Int64(page.count))
    text.append(UInt8(ascii: "}"))
    var reply = reply(text, form, reference, ["collections", collection.id, "items"])
    reply.warnings = warnings + writer.warnings
    if form != .page { reply.timeRange = timeStart..<timeEnd }
    return reply
  }

  private func pageLinks(_ limit: Int, _ offset: Int, _ count: Int, of all: Int) -> OGCLinks {
    var links = OGCLinks(request)
    func add(_ changes: [(String, String)], _ relation: String, _ type: String, _ title: String) {
      links.add(path + query(changes), relation, type, title)
    }
    let type = OGCForm.features.types[0]
    add([("f", "json")], "self", type, "This page")
    add([("f", "html")], "alternate", "text/html", "This page as HTML")
    add([("f", "parquet")], "alternate", ContentType.parquet, "This page as GeoParquet")
    if count > 0, offset + count < all {
      add(
        [("f", "json"), ("offset", "\(offset + count)"), ("limit", "\(limit)")], "next", type,
        "The next page")
    }
    if offset > 0 {
      add(
        [("f", "json"), ("offset", "\(max(0, min(offset, all) - limit))"), ("limit", "\(limit)")],
        "prev", type, "The previous page")
    }
    links.add(
      "/collections/\(collection.id)", "collection", "application/json", collection.title)
    return links
  }

  /// Returns the request's query with some parameters changed.
  private func query(_ changes: [(String, String)]) -> String {
    let names = changes.map(\.0)
    let kept = request.query.split(separator: "&").filter { pair in
      let name = PercentText.decode(pair.prefix { $0 != "=" }.utf8, plusIsSpace: true)
      return !names.contains(name?.lowercased() ?? "")
    }.map { String($0) }
    return "?" + (kept + changes.map { "\($0.0)=\($0.1)" }).joined(separator: "&")
  }

  // MARK: One

  func item(_ id: String) throws -> ServiceReply {
    let parameters = try OGCParameters(request, known: ["f", "crs"])
    let form = try OGCForm.chosen(
      parameters["f"], accept: request.accept, from: [.features, .page])
    let reference = try reference("crs", parameters)
    guard let number = Int64(id), let row = rows.row(ofID: number) else {
      throw ServiceError.notFound("the collection \(collection.id) has no feature \(id.shown)")
    }
    let text = TextBuffer(capacity: 1 << 12)
    let writer = try FeatureWriter(rows, reference)
    try writer.append(row, to: text)
    var links = OGCLinks(request)
    links.addSelf("\(path)/\(number)", OGCForm.features.types[0], "This feature")
    links.add(
      "/collections/\(collection.id)", "collection", "application/json", collection.title)
    text.append(literal: ",\"links\":")
    append(links, to: text)
    text.append(UInt8(ascii: "}"))
    var reply = reply(text, form, reference, ["collections", collection.id, "items", "\(number)"])
    reply.warnings = writer.warnings
    return reply
  }

  // MARK: Parts

  private func reference(
    _ name: String, _ parameters: OGCParameters
  ) throws(ServiceError) -> OGCReference {
    guard let text = parameters[name] else { return .crs84 }
    return try OGCReference.named(text, name, among: references)
  }

  private func append(_ links: OGCLinks, to text: TextBuffer) {
    var object = JSONObject()
    object.add("links", links.list)
    // Only the list of links is appended, without the JSON object that contains it.
    let key = "{\"links\":".utf8.count
    text.append(contentsOf: Array(object.bytes.dropFirst(key).dropLast()))
  }

  private func reply(
    _ text: TextBuffer, _ form: OGCForm.Kind, _ reference: OGCReference, _ path: [String]
  ) -> ServiceReply {
    let bytes = Array(text.bytes)
    var reply =
      form == .page
      ? OGCRouter.page(bytes, path, request) : ServiceReply(.bytes(bytes), "application/geo+json")
    reply.headers = contentHeaders(reference)
    return reply
  }

  private func contentHeaders(_ reference: OGCReference) -> [(name: String, value: String)] {
    rows.reference == nil ? [] : [("Content-Crs", "<\(reference.address)>")]
  }
}
