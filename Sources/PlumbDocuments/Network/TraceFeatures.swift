import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbNetwork
import PlumbSources

extension UtilityTraceResult {
  /// Returns the elements as a GeoJSON feature collection, in WGS84 if the network's CRS is known,
  /// otherwise in the network's coordinates.
  ///
  /// The properties are the members of the JSON form and `role`. The role is `element` or
  /// `possible`, or for isolation traces `isolating`, `boundingOnly`, `heldBy`, `isolated`,
  /// `alreadyWithoutSupply`, `possible` or `controllerNotIsolated`. Valves and the one-way elements
  /// in `heldBy` also have the property `why`. An element without a shape has a null geometry.
  ///
  /// - Throws: if a point cannot be transformed to WGS84.
  public func geoJSON(in opened: OpenedNetwork) throws -> [UInt8] {
    var writer = try NetworkFeatureText(opened)
    try forEachFeature(in: opened.network) { traced, facts in try writer.append(traced, facts) }
    return writer.finished()
  }

  /// Visits the features of the result, each element once per role.
  package func forEachFeature(
    in network: UtilityNetwork, _ body: (TracedElement, [(String, FieldValue)]) throws -> Void
  ) throws {
    var listed: Set<TracedElement> = []
    func append(_ traced: TracedElement, _ role: String, why: String? = nil) throws {
      listed.insert(traced)
      try body(traced, [("role", .text(role)), ("why", why.map { .text($0) } ?? .null)])
    }
    guard let isolation else {
      for traced in elements { try body(traced, [("role", .text("element")), ("why", .null)]) }
      for traced in possible { try append(traced, "possible") }
      return
    }
    for (barriers, role) in [
      (isolation.isolating, "isolating"), (isolation.boundingOnly, "boundingOnly"),
    ] {
      for barrier in barriers {
        try append(network.traced(barrier.location), role, why: barrier.why)
      }
    }
    for hold in isolation.heldBy {
      try append(network.traced(TraceLocation(hold.element)), "heldBy", why: network.why(hold))
    }
    for traced in isolation.controllersNotIsolated { try append(traced, "controllerNotIsolated") }
    for traced in isolation.isolated where !listed.contains(traced) {
      try append(traced, "isolated")
    }
    for traced in isolation.alreadyWithoutSupply where !listed.contains(traced) {
      try append(traced, "alreadyWithoutSupply")
    }
    for traced in possible where !listed.contains(traced) { try append(traced, "possible") }
  }
}

extension IsolationSegments {
  /// Visits the elements of each segment and the valves that bound the segment, with the segment's
  /// number from 1.
  package func forEachFeature(
    in network: UtilityNetwork, _ body: (TracedElement, [(String, FieldValue)]) throws -> Void
  ) throws {
    for segment in 0..<count {
      func append(_ location: TraceLocation, _ kind: String) throws {
        try body(
          network.traced(location),
          [("segment", .integer(Int64(segment + 1))), ("kind", .text(kind))])
      }
      for element in junctions(of: segment) { try append(TraceLocation(element), "node") }
      for element in edges(of: segment) { try append(TraceLocation(element), "link") }
      for valve in valves(of: segment) { try append(valve, "valve") }
    }
  }

  /// Returns a GeoJSON feature for each element of each segment, with `segment` from 1 and `kind`
  /// as `node`, `link` or `valve`. A valve has a feature for each segment that it bounds.
  ///
  /// - Throws: if a point cannot be transformed to WGS84.
  public func geoJSON(in opened: OpenedNetwork) throws -> [UInt8] {
    var writer = try NetworkFeatureText(opened)
    try forEachFeature(in: opened.network) { traced, facts in try writer.append(traced, facts) }
    return writer.finished()
  }
}

/// Writes elements of a network as GeoJSON.
private struct NetworkFeatureText {
  private let projection: NetworkProjection
  private var json: TraceJSON
  private var isFirst = true

  init(_ opened: OpenedNetwork) throws {
    projection = try NetworkProjection(
      from: opened.spatialReference, to: opened.spatialReference == nil ? nil : .wgs84)
    json = TraceJSON(opened.network)
    json.append("{\"type\":\"FeatureCollection\",\"features\":[")
  }

  mutating func append(_ traced: TracedElement, _ facts: [(String, FieldValue)]) throws {
    if !isFirst { json.append(",") }
    isFirst = false
    json.append("\n{\"type\":\"Feature\",\"geometry\":")
    var shape = TextBuffer()
    GeoJSONGeometry.append(try json.network.namedShape(of: traced, projection), to: &shape)
    json.append(String(decoding: shape.bytes, as: UTF8.self))
    json.append(",\"properties\":")
    json.object(facts.filter { $0.0 != "why" || $0.1 != .null } + json.facts(traced))
    json.append("}")
  }

  mutating func finished() -> [UInt8] {
    json.append("\n]}\n")
    return json.bytes
  }
}

/// Writes elements of a network to a GeoPackage, a GeoParquet file, an Arrow stream or a table of a
/// database, in the network's CRS.
public struct NetworkFeatureLayer {
  /// The format of the elements.
  public enum Format: Sendable {
    /// A layer of a GeoPackage, a GeoParquet file or an Arrow stream, respectively.
    case geoPackage, parquet, arrow
  }

  private let opened: OpenedNetwork
  private let format: FeatureLayerOutput.Format

  /// Creates a writer for the elements of a network.
  public init(_ opened: OpenedNetwork, format: Format = .geoPackage) {
    self.opened = opened
    self.format =
      switch format {
      case .geoPackage: .geoPackage
      case .parquet: .columns(.parquet)
      case .arrow: .columns(.arrow)
      }
  }

  /// Writes the elements of a trace, one feature per element, with `role` and `why` as in GeoJSON.
  public func write(_ result: UtilityTraceResult, to output: ResultOutput) throws {
    try write(result, to: .file(output))
  }

  /// Writes segments, one feature per element, with `segment` and `kind` as in GeoJSON.
  public func write(_ segments: IsolationSegments, to output: ResultOutput) throws {
    try write(segments, to: .file(output))
  }

  /// Writes the elements of a trace to a file in the format, or to a table.
  package func write(
    _ result: UtilityTraceResult, to destination: FeatureLayerOutput.Destination
  ) throws {
    try write(to: destination, name: "trace", ["role", "why"], integers: []) { body in
      try result.forEachFeature(in: opened.network, body)
    }
  }

  /// Writes segments to a file in the format, or to a table.
  package func write(
    _ segments: IsolationSegments, to destination: FeatureLayerOutput.Destination
  ) throws {
    try write(
      to: destination, name: "segments", ["segment", "kind"], integers: ["segment"]
    ) { body in try segments.forEachFeature(in: opened.network, body) }
  }

  private func write(
    to destination: FeatureLayerOutput.Destination, name: String, _ columns: [String],
    integers: Set<String>,
    _ visit: ((TracedElement, [(String, FieldValue)]) throws -> Void) throws -> Void
  ) throws {
    let json = TraceJSON(opened.network)
    let projection = NetworkProjection()
    let integerNames = integers.union([
      "networkSourceId", "objectId", "terminalId", "assetGroupCode", "assetTypeCode",
    ])
    let real: Set<String> = ["positionFrom", "positionTo"]
    let fields = (columns + TraceJSON.factNames).map { name in
      VectorField(
        name: name,
        kind: integerNames.contains(name) ? .integer64 : real.contains(name) ? .real : .text)
    }
    try FeatureLayerOutput.write(
      to: destination, format, layer: name, fields: fields, reference: opened.spatialReference,
      kind: .mixed
    ) { layer in
      try visit { traced, facts in
        try layer.append(
          try opened.network.namedShape(of: traced, projection),
          (facts + json.facts(traced)).map(\.1))
      }
    }
  }
}

extension UtilityNetwork {
  /// Returns the geometry of the reached part of an element; nil for none.
  ///
  /// - Throws: a one-line error with the element's name.
  fileprivate func namedShape(
    of traced: TracedElement, _ projection: NetworkProjection
  ) throws(PlumbError) -> Geometry? {
    do throws(PlumbError) {
      return try shape(of: traced, projection)
    } catch {
      throw PlumbError("\(name(of: traced.element)): \(error.message)")
    }
  }

  /// Returns the geometry of the reached part of an element, in the network's CRS; nil for none.
  package func shape(of traced: TracedElement) throws(PlumbError) -> Geometry? {
    try shape(of: traced, NetworkProjection())
  }

  private func shape(
    of traced: TracedElement, _ projection: NetworkProjection
  ) throws(PlumbError) -> Geometry? {
    guard isEdge(traced.element) else {
      guard let point = point(of: traced.element) else { return nil }
      let there = try projection.projected([point])[0]
      return .point(Point(x: there.x, y: there.y))
    }
    let chain = Array(vertices(of: traced.element))
    guard chain.count > 1 else { return nil }
    var all: [SIMD2<Double>] = []
    var ends: [Int] = []
    for part in traced.ranges {
      let chainPart = EdgePart.vertices(of: chain, in: part)
      if part.lowerBound == part.upperBound {
        let there = try projection.projected([chainPart[0]])[0]
        return .point(Point(x: there.x, y: there.y))
      }
      all += try projection.projected(chainPart)
      ends.append(all.count)
    }
    return .polyline(Polyline(VertexList(all), partEnds: ends))
  }
}

/// Parts of lines by fractions of their length.
enum EdgePart {
  /// Returns the vertices of a part of a line, with new vertices at the ends of the part.
  ///
  /// - Precondition: `chain` is not empty.
  package static func vertices(
    of chain: [SIMD2<Double>], in part: ClosedRange<Double>
  ) -> [SIMD2<Double>] {
    if part.lowerBound <= 0, part.upperBound >= 1 { return chain }
    let lengths = zip(chain, chain.dropFirst()).map { a, b in
      let offset = b - a
      return (offset * offset).sum().squareRoot()
    }
    let total = lengths.reduce(0, +)
    let (from, to) = (part.lowerBound * total, part.upperBound * total)
    var result = [point(at: from, chain, lengths)]
    var along = 0.0
    for (index, length) in lengths.enumerated() {
      along += length
      if along > from, along < to { result.append(chain[index + 1]) }
    }
    result.append(point(at: to, chain, lengths))
    return result
  }

  private static func point(
    at distance: Double, _ chain: [SIMD2<Double>], _ lengths: [Double]
  ) -> SIMD2<Double> {
    var rest = distance
    for (index, length) in lengths.enumerated() {
      if rest <= length {
        let share = length > 0 ? max(0, rest / length) : 0
        return chain[index] + (chain[index + 1] - chain[index]) * share
      }
      rest -= length
    }
    return chain[chain.count - 1]
  }
}
