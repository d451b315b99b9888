import PlumbIO

/// The content of a reply before it is converted to the requested format.
enum ReplyContent: Sendable {
  /// JSON, with warnings, one line each. JSON can also be indented or returned
  /// as an HTML page.
  case json([UInt8], warnings: [String] = [])
  /// GeoJSON, which is always returned unchanged.
  case geoJSON([UInt8], warnings: [String] = [])
  /// A picture or a document, with warnings, one line each.
  case file([UInt8], type: String, warnings: [String])
  /// A picture or a long document that is written in chunks, with warnings, one line each.
  case stream(ReplyStream, type: String, warnings: [String])

  static func json(_ object: JSONObject, warnings: [String] = []) -> ReplyContent {
    .json(object.bytes, warnings: warnings)
  }

  /// Returns the content with further warnings, which precede its own.
  func adding(_ more: [String]) -> ReplyContent {
    guard !more.isEmpty else { return self }
    return switch self {
    case .json(let bytes, let warnings): .json(bytes, warnings: more + warnings)
    case .geoJSON(let bytes, let warnings): .geoJSON(bytes, warnings: more + warnings)
    case .file(let bytes, let type, let warnings):
      .file(bytes, type: type, warnings: more + warnings)
    case .stream(let stream, let type, let warnings):
      .stream(stream, type: type, warnings: more + warnings)
    }
  }

  /// Returns the reply in a format: `json`, `pjson` or `html`.
  func reply(_ form: ReplyForm, _ page: JSONPage) -> ServiceReply {
    switch self {
    case .json(let bytes, let warnings):
      switch form {
      case .indented:
        ServiceReply(.bytes(IndentedJSON.text(bytes)), ContentType.json, warnings: warnings)
      case .page:
        ServiceReply(
          .bytes(Array(page.html(bytes).utf8)), ContentType.html, warnings: warnings)
      case .plain, .geoJSON, .image:
        ServiceReply(.bytes(bytes), ContentType.json, warnings: warnings)
      }
    case .geoJSON(let bytes, let warnings):
      ServiceReply(.bytes(bytes), ContentType.geoJSON, warnings: warnings)
    case .file(let bytes, let type, let warnings):
      ServiceReply(.bytes(bytes), type, warnings: warnings)
    case .stream(let stream, let type, let warnings):
      ServiceReply(.stream(stream), type, warnings: warnings)
    }
  }
}

/// The values of the parameter `f`.
enum ReplyForm: Sendable {
  case plain, indented, geoJSON, page, image

  init(_ parameters: Parameters) throws(ServiceError) {
    switch parameters.word("f")?.lowercased() {
    case "json": self = .plain
    case "pjson": self = .indented
    case "geojson": self = .geoJSON
    case "image": self = .image
    case nil, "html": self = .page
    case let other?:
      throw ServiceError(
        "Invalid format: \(other.shown) is not one of json, pjson, geojson, html and image")
    }
  }
}
