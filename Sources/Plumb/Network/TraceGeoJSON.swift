import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbNetwork

extension UtilityTraceResult {
  /// The elements as a GeoJSON collection of features, in WGS84 where the network's reference is
  /// known and as they are where it is not.
  ///
  /// Properties are the members of the JSON form, and `role`: `element`, or of isolation traces
  /// `isolating`, `boundingOnly`, `heldBy`, `isolated` or `controllerNotIsolated`; valves and what
  /// holds have `why` too. A
  /// feature without a shape has a null geometry.
  ///
  /// - Throws: a place that has no counterpart in WGS84.
  public func geoJSON(in opened: OpenedNetwork) throws -> [UInt8] {
    let network = opened.network
    let places = try NetworkPlaces(
      from: opened.spatialReference, to: opened.spatialReference == nil ? nil : .wgs84)
    var json = TraceJSON(network)
    json.append("{\"type\":\"FeatureCollection\",\"features\":[")
    var isFirst = true
    func append(_ traced: TracedElement, _ facts: [(String, FieldValue)]) throws {
      if !isFirst { json.append(",") }
      json.append("\n{\"type\":\"Feature\",\"geometry\":")
      isFirst = false
      var shape = TextBuffer()
      do {
        GeoJSONGeometry.append(try network.shape(of: traced, places), to: &shape)
      } catch {
        throw PlumbError(
          "\(network.name(of: traced.element)): \(PlumbError.message(of: error))")
      }
      json.append(String(decoding: shape.bytes, as: UTF8.self))
      json.append(",\"properties\":")
      json.object(facts + json.facts(traced))
      json.append("}")
    }
    if let isolation {
      var told: Set<TracedElement> = []
      for (barriers, role) in [
        (isolation.isolating, "isolating"), (isolation.boundingOnly, "boundingOnly"),
      ] {
        for barrier in barriers {
          let traced = network.traced(barrier.location)
          told.insert(traced)
          try append(
            traced,
            [("role", .text(role)), ("why", .text(barrier.why))])
        }
      }
      for hold in isolation.heldBy {
        let traced = network.traced(TraceLocation(hold.element))
        told.insert(traced)
        try append(traced, [("role", .text("heldBy")), ("why", .text(network.why(hold)))])
      }
      for traced in isolation.controllersNotIsolated {
        try append(traced, [("role", .text("controllerNotIsolated"))])
      }
      for traced in isolation.isolated where !told.contains(traced) {
        try append(traced, [("role", .text("isolated"))])
      }
    } else {
      for traced in elements { try append(traced, [("role", .text("element"))]) }
    }
    json.append("\n]}\n")
    return json.bytes
  }
}

extension UtilityNetwork {
  /// The shape of the reached part of an element; nil for none.
  fileprivate func shape(
    of traced: TracedElement, _ places: NetworkPlaces
  ) throws(PlumbError) -> Geometry? {
    guard isEdge(traced.element) else {
      guard let place = place(of: traced.element) else { return nil }
      let there = try places.projected([place])[0]
      return .point(Point(x: there.x, y: there.y))
    }
    let chain = Array(vertices(of: traced.element))
    guard chain.count > 1 else { return nil }
    var all: [SIMD2<Double>] = []
    var ends: [Int] = []
    for part in traced.ranges {
      let cut = EdgePart.vertices(of: chain, in: part)
      if part.lowerBound == part.upperBound {
        let there = try places.projected([cut[0]])[0]
        return .point(Point(x: there.x, y: there.y))
      }
      all += try places.projected(cut)
      ends.append(all.count)
    }
    return .polyline(Polyline(VertexList(all), partEnds: ends))
  }
}

/// Parts of lines by fractions of their length.
enum EdgePart {
  /// The vertices of a part, new ones at its ends.
  ///
  /// - Precondition: `chain` is not empty.
  static func vertices(
    of chain: [SIMD2<Double>], in part: ClosedRange<Double>
  ) -> [SIMD2<Double>] {
    if part.lowerBound <= 0, part.upperBound >= 1 { return chain }
    let lengths = zip(chain, chain.dropFirst()).map { a, b in
      let offset = b - a
      return (offset * offset).sum().squareRoot()
    }
    let total = lengths.reduce(0, +)
    let (from, to) = (part.lowerBound * total, part.upperBound * total)
    var result = [place(at: from, chain, lengths)]
    var along = 0.0
    for (index, length) in lengths.enumerated() {
      along += length
      if along > from, along < to { result.append(chain[index + 1]) }
    }
    result.append(place(at: to, chain, lengths))
    return result
  }

  private static func place(
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
