import PlumbIO

/// A way of asking an address, as OpenAPI has it.
struct OGCOperation {
  var id: String
  var summary: String
  /// Each as JSON.
  var parameters: [String]
  /// What follows as JSON where there is a body.
  var body: String?
  /// The types of an answer and their schemas as JSON.
  var contents: [(type: String, schema: String)]
  /// The names of headers beside the usual ones.
  var headers: [String]
  /// The statuses of errors that are the request's fault.
  var failures: [Int]

  init(
    id: String, summary: String, parameters: [String], contents: [(type: String, schema: String)],
    headers: [String] = [], failures: [Int]
  ) {
    (self.id, self.summary, self.parameters) = (id, summary, parameters)
    (self.contents, self.headers, self.failures) = (contents, headers, failures)
  }

  /// What an error of each status is; those from 500 may come of any request.
  private static let meanings: KeyValuePairs = [
    400: "A parameter is unknown or cannot be read",
    401: "The token is missing or wrong",
    404: "There is no such feature",
    406: "The client takes none of the types that are written",
    408: "The body did not come in time",
    413: "More points or cells than one request may ask for, or too long a body",
    415: "The body is no form",
    500: "Data could not be read",
    503: "Too many requests at once",
    504: "The request took longer than it may",
  ]
  private static let anyTime = [500, 503, 504]
  /// Those that are written before a request is looked at.
  private static let plain = [408, 503]

  func object(needsToken: Bool) -> JSONObject {
    var success = JSONObject()
    success.add("description", summary)
    if !headers.isEmpty {
      var list = JSONObject()
      for name in headers {
        list.add(
          name, json: #"{"schema":{"type":"string"},"description":"What coordinates are in"}"#)
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

  /// The responses that operations refer to.
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
