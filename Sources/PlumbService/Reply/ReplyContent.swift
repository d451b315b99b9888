import PlumbIO

/// An answer before it has the form that was asked.
enum ReplyContent: Sendable {
  /// A JSON text, which may also be indented or a page, and what is missing in it, a line each.
  case json([UInt8], warnings: [String] = [])
  /// GeoJSON, of which there is no other form.
  case geoJSON([UInt8], warnings: [String] = [])
  /// A picture or a document, and what is missing in it, a line each.
  case file([UInt8], type: String, warnings: [String])
  /// JSON that is too long to be held.
  case stream(@Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void)

  static func json(_ object: JSONObject, warnings: [String] = []) -> ReplyContent {
    .json(object.bytes, warnings: warnings)
  }

  /// The reply in a form: `json`, `pjson` or `html`.
  func reply(_ form: ReplyForm, path: [String]) -> ServiceReply {
    switch self {
    case .json(let bytes, let warnings):
      switch form {
      case .indented:
        ServiceReply(.bytes(IndentedJSON.text(bytes)), ContentType.json, warnings: warnings)
      case .page:
        ServiceReply(
          .bytes(Array(JSONPage.html(bytes, path: path).utf8)), ContentType.html,
          warnings: warnings)
      case .plain, .geoJSON, .image:
        ServiceReply(.bytes(bytes), ContentType.json, warnings: warnings)
      }
    case .geoJSON(let bytes, let warnings):
      ServiceReply(.bytes(bytes), ContentType.geoJSON, warnings: warnings)
    case .file(let bytes, let type, let warnings):
      ServiceReply(.bytes(bytes), type, warnings: warnings)
    case .stream(let write): ServiceReply(.stream(write), ContentType.json)
    }
  }
}

/// The forms that the parameter `f` names.
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
        "Invalid format: \(other.shown) is none of json, pjson, geojson, html and image")
    }
  }
}
