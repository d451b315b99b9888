import PlumbIO

/// An OpenAPI operation.
struct OGCOperation {
  var id: String
  var summary: String
  /// The parameters as JSON.
  var parameters: [String]
  /// The `requestBody` as JSON; nil if there is no body.
  var body: String?
  /// The media types of replies, with their schemas as JSON.
  var contents: [(type: String, schema: String)]
  /// The names of additional headers.
  var headers: [String]
  /// The error statuses caused by the request.
  var failures: [Int]

  init(
    id: String, summary: String, parameters: [String], contents: [(type: String, schema: String)],
    headers: [String] = [], failures: [Int]
  ) {
    (self.id, self.summary, self.parameters) = (id, summary, parameters)
    (self.contents, self.headers, self.failures) = (contents, headers, failures)
  }

  /// The meanings of error statuses. Statuses from 500 can occur for any request.
  private static let meanings: KeyValuePairs = [
    400: "A parameter is unknown or cannot be read",
    401: "The token is missing or wrong",
    404: "The feature does not exist, or there is no data at this time",
    406: "None of the types in the Accept header is supported",
    408: "The body did not arrive in time",
    413: "Too many points or cells in one request, or a body that is too long",
    415: "The body is not a form",
    500: "Data could not be read",
    503: "Too many requests at once",
    504: "The request exceeded the time limit",
  ]
  private static let anyTime = [500, 503, 504]
  /// Statuses that may be sent before the request is parsed.
  private static let plain = [408, 503]

  func object(needsToken: Bool) -> JSONObject {
    var success = JSONObject()
    success.add("description", summary)
    if !headers.isEmpty {
      var list = JSONObject()
      for name in headers {
        list.add(
          name, json: #"{"schema":{"type":"string"},"description":"The CRS of the coordinates"}"#)
      }
      success.add("headers", list)
    }
    var types = JSONObject()
    for (type, schema) in contents { types.add(type, json: #"{"schema":\#(schema)}"#) }
    success.add("content", types)
    var responses = JSONObject()
    responses.add("200", success)
    let statuses =
      failures + Self.anyTime + (needsToken ? [401] : []) + (body == nil ? [] : [408])
    for status in statuses.sorted() {
      responses.add("\(status)", json: ##"{"$ref":"#/components/responses/\##(status)"}"##)
    }
    var object = JSONObject()
    object.add("operationId", id)
    object.add("summary", summary)
    object.add("parameters", list: parameters)
    if let body { object.add("requestBody", json: body) }
    object.add("responses", responses)
    return object
  }

  /// The shared responses of all operations.
  static var failures: JSONObject {
    var responses = JSONObject()
    for (status, meaning) in meanings {
      var content = JSONObject()
      if status == 401 {
        content.add("application/json", json: #"{"schema":{"type":"object"}}"#)
      } else if plain.contains(status) {
        content.add("text/plain", json: #"{"schema":{"type":"string"}}"#)
      }
      if status != 401, status != 408 {
        content.add(
          "application/problem+json", json: #"{"schema":\#(OGCDescription.reference("problem"))}"#)
      }
      var response = JSONObject()
      response.add("description", meaning)
      response.add("content", content)
      responses.add("\(status)", response)
    }
    return responses
  }
}
