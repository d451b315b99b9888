import Foundation
import PlumbTestSupport
import Testing

/// A feature of a generated layer: a square and its attributes.
struct Square {
  var left: Double
  var bottom: Double
  var side: Double
  /// JSON members without braces.
  var properties: String

  init(_ left: Double, _ bottom: Double, side: Double = 2, _ properties: String) {
    (self.left, self.bottom, self.side, self.properties) = (left, bottom, side, properties)
  }

  var json: String {
    let (right, top) = (left + side, bottom + side)
    return """
      {"type":"Feature","properties":{\(properties)},"geometry":{"type":"Polygon","coordinates":\
      [[[\(left),\(bottom)],[\(right),\(bottom)],[\(right),\(top)],[\(left),\(top)],\
      [\(left),\(bottom)]]]}}
      """
  }
}

extension Fixture {
  /// Writes a GeoJSON file; the last feature is drawn on top.
  @discardableResult
  func features(_ name: String, _ features: [String], crs: Int? = nil) throws -> String {
    let reference = crs.map {
      #""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::\#($0)"}},"#
    }
    return try folder.write(
      name,
      "{\"type\":\"FeatureCollection\",\(reference ?? "")\"features\":[\n"
        + features.joined(separator: ",\n") + "\n]}\n")
  }

  @discardableResult
  func squares(_ name: String, _ squares: [Square]) throws -> String {
    try features(name, squares.map(\.json))
  }

  /// Writes a map document of operational layers, the bottom one first.
  @discardableResult
  func map(
    _ layers: [String], named name: String = "map.json",
    reference: String? = #"{"wkid":4326}"#
  ) throws -> String {
    let member = reference.map { "\"spatialReference\":\($0)," } ?? ""
    return try folder.write(
      name, "{\(member)\"operationalLayers\":[\n" + layers.joined(separator: ",\n") + "\n]}\n")
  }

  /// An operational layer of features.
  func layer(
    _ id: String, _ url: String, title: String? = nil, more: String = ""
  ) -> String {
    """
    {"id":"\(id)","title":"\(title ?? id)","layerType":"ArcGISFeatureLayer","url":"\(url)"\
    \(more.isEmpty ? "" : "," + more)}
    """
  }

  /// Writes two overlapping squares, `low` below `high`, as the layer `sq` of `map.json`.
  ///
  /// Both contain (1.5, 1.5), only `low` contains (0.5, 0.5), only `high` contains (2.5, 2.5), and
  /// neither contains (9, 9).
  @discardableResult
  func pair(more: String = "") throws -> String {
    try squares(
      "sq.geojson",
      [Square(0, 0, #""NAME":"low","N":1"#), Square(1, 1, #""NAME":"high","N":2"#)])
    return try map([layer("sq", "sq.geojson", title: "Squares", more: more)])
  }
}

/// A result of identify in JSON, or one nested in it.
struct ResultNode {
  let members: [String: Any]

  init(_ members: [String: Any]) { self.members = members }

  var layer: [String: String] { members["layer"] as? [String: String] ?? [:] }
  var elements: [[String: Any]] { members["geoElements"] as? [[String: Any]] ?? [] }
  var popups: [[String: Any]] { members["popups"] as? [[String: Any]] ?? [] }
  var isTruncated: Bool? { members["isTransferLimitExceeded"] as? Bool }
  var error: [String: String]? { members["error"] as? [String: String] }
  var sublayers: [ResultNode] {
    (members["sublayerResults"] as? [[String: Any]] ?? []).map(ResultNode.init)
  }

  /// A field's value for each element.
  func values(_ field: String) -> [String] {
    elements.map { ($0["attributes"] as? [String: Any])?[field].map { "\($0)" } ?? "?" }
  }

  /// The result and all results nested in it, in output order.
  var all: [ResultNode] { [self] + sublayers.flatMap(\.all) }
}

extension ProgramRun {
  /// The results of each point.
  var results: [[ResultNode]] {
    get throws {
      try objects.map { object in
        try #require(object["results"] as? [[String: Any]]).map(ResultNode.init)
      }
    }
  }
}

/// Checks that `map.json` causes one warning that begins with `start`, that every kind of query
/// returns the topmost layer's results, and that `--strict` fails.
func expectWarning(
  _ fixture: Fixture, _ start: String, location: SourceLocation = #_sourceLocation,
  _ isRight: (ResultNode) -> Bool
) throws {
  let map = fixture.path("map.json")
  let at = ["identify", map, "--at", "0.5,0.5"]
  let json = try plumb(at + ["--format", "json"])
  let (warning, line) = (json.errors, "plumb: warning: " + start)
  #expect(
    json.status == 0 && warning.hasPrefix(line) && warning.filter { $0 == "\n" }.count == 1,
    "\(warning)", sourceLocation: location)
  let result = try #require(try json.results.first?.first, sourceLocation: location)
  #expect(isRight(result) && result.error == nil, "\(json.output)", sourceLocation: location)
  let tree = try plumb(at)
  #expect(
    tree.status == 0 && tree.errors == warning && !tree.output.contains("error"), "\(tree)",
    sourceLocation: location)
  let refusal =
    "plumb: " + warning.dropFirst("plumb: warning: ".count).dropLast() + "; --strict refuses that\n"
  try plumb(at + ["--strict"]).expectRefusal(refusal, location: location)
  let points = ["identify", map, "--points", "-"]
  for format in ["csv", "jsonl"] {
    let batch = try plumb(points + ["--of", format], input: "x,y\n0.5,0.5\n9,9\n")
    #expect(
      batch.status == 0 && batch.errors == warning, "\(batch.errors)", sourceLocation: location)
    #expect(batch.lines.count == (format == "csv" ? 3 : 2), sourceLocation: location)
    if format == "jsonl" {
      let first = try #require(try batch.results.first?.first, sourceLocation: location)
      #expect(isRight(first), "\(batch.output)", sourceLocation: location)
    }
  }
  let strict = try plumb(
    points + ["--strict", "-o", fixture.path("out.csv")], input: "x,y\n0.5,0.5\n")
  strict.expectRefusal(refusal, location: location)
  let names = try fixture.names
  #expect(
    !names.contains { $0.hasPrefix("out") || $0.hasPrefix(".plumb") }, sourceLocation: location)
}

/// The text as a JSON object, for comparisons.
func jsonObject(_ text: String) throws -> NSDictionary {
  try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
}
