import PlumbCore
import PlumbIO
import PlumbTestSupport
import Testing

@testable import PlumbFormats

/// A value is converted to text and back to a value: every bit is preserved.
@Suite struct GeometryRoundTripTests {
  private func geoJSON(_ geometry: Geometry?) -> String {
    var text = TextBuffer()
    GeoJSONGeometry.append(geometry, to: &text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// The parts of a geometry that GeoJSON can represent.
  private func withoutMeasures(_ geometry: Geometry) -> Geometry {
    func plain(_ vertices: VertexList) -> VertexList {
      let hasHeights = vertices.z?.contains { !$0.isNaN } ?? false
      return vertices.removing(z: !hasHeights, m: true)
    }
    switch geometry {
    case .point(let point):
      let z = point.isEmpty || point.z?.isNaN == true ? nil : point.z
      return .point(Point(x: point.x, y: point.y, z: z))
    case .multipoint(let multipoint): return .multipoint(Multipoint(plain(multipoint.vertices)))
    case .polyline(let polyline):
      return .polyline(Polyline(plain(polyline.vertices), partEnds: polyline.partEnds))
    case .polygon(let polygon):
      return .polygon(
        Polygon(
          canonical: plain(polygon.vertices), ringEnds: polygon.ringEnds,
          partEnds: polygon.partEnds, spatialReference: nil))
    case .envelope: return geometry
    }
  }

  @Test(arguments: 0..<8) func wktAndWKBGiveEveryBitBack(_ seed: UInt64) throws {
    var random = RandomGeometry(seed: seed)
    for _ in 0..<500 {
      let geometry = random.any()
      let text = try WKTGeometry.encode(geometry)
      #expect(bits(try WKTGeometry.decode(text)) == bits(geometry), "\(text)")
      let bytes = try WKBGeometry.encode(geometry)
      #expect(bits(try WKBGeometry.decode(bytes)) == bits(geometry), "\(text)")
      #expect(try WKBGeometry.encode(try #require(try WKBGeometry.decode(bytes))) == bytes)
    }
  }

  @Test(arguments: 10..<18) func geoJSONGivesAllButMeasuresBack(_ seed: UInt64) throws {
    var random = RandomGeometry(seed: seed)
    for _ in 0..<500 {
      let geometry = random.any()
      let text = geoJSON(geometry)
      #expect(Array(text.utf8).withUnsafeBufferPointer { JSONScanner.isValid($0) })
      let back = try #require(try GeoJSONGeometry.decode(text))
      #expect(bits(back) == bits(withoutMeasures(geometry)), "\(text)")
      #expect(back.spatialReference == .wgs84)
      #expect(geoJSON(back) == text)
    }
  }

  @Test(arguments: 20..<28) func esriJSONGivesEveryBitBack(_ seed: UInt64) throws {
    var random = RandomGeometry(seed: seed)
    for _ in 0..<500 {
      var geometry = random.any()
      if case .polygon = geometry { geometry = .polygon(random.islands()) }
      geometry.spatialReference = reference("EPSG:32734")
      let text = try EsriJSONGeometry.encode(geometry)
      #expect(Array(text.utf8).withUnsafeBufferPointer { JSONScanner.isValid($0) })
      let back = try EsriJSONGeometry.decode(text, reference: resolved)
      #expect(bits(back) == bits(geometry), "\(text)")
      #expect(back?.spatialReference == geometry.spatialReference)
    }
  }

  /// Rings in any order and with any first vertex: the parts are the same, and each hole is in the
  /// right part.
  @Test(arguments: 30..<38) func shuffledEsriRingsFindTheirPart(_ seed: UInt64) throws {
    var random = RandomGeometry(seed: seed)
    for _ in 0..<100 {
      let polygon = random.islands()
      var rings = polygon.rings.map { polygon.vertices.xy[$0] }
      rings.shuffle(using: &random.random)
      let text = rings.map { ring in
        "[" + ring.map { "[\($0.x),\($0.y)]" }.joined(separator: ",") + "]"
      }
      let json = "{\"rings\":[" + text.joined(separator: ",") + "]}"
      guard case .polygon(let back)? = try EsriJSONGeometry.decode(json, reference: resolved) else {
        Issue.record("no polygon")
        continue
      }
      #expect(parts(back) == parts(polygon))
    }
  }

  /// Each part as its exterior ring and the set of its holes.
  private func parts(_ polygon: Polygon) -> Set<[Set<[SIMD2<Double>]>]> {
    Set(
      polygon.parts.map { part in
        let rings = polygon.rings[part].map { polygon.vertices.xy[$0] }.map(Array.init)
        return [[rings[0]], Set(rings.dropFirst())]
      })
  }

  @Test func envelopesKeepTheirWindowAndRanges() throws {
    var random = RandomGeometry(seed: 40)
    for index in 0..<500 {
      let (z, m) = ([random.number(), random.number()], [random.number(), random.number()])
      let envelope = Envelope(
        xMin: random.number(), yMin: random.number(), xMax: random.number(), yMax: random.number(),
        zRange: index % 2 == 0 ? z.min()!...z.max()! : nil,
        mRange: index % 3 == 0 ? m.min()!...m.max()! : nil)
      let text = try EsriJSONGeometry.encode(.envelope(envelope))
      #expect(
        bits(try EsriJSONGeometry.decode(text, reference: resolved)) == bits(.envelope(envelope)))
      let polygon = bits(.polygon(envelope.polygon))
      #expect(
        bits(try WKTGeometry.decode(try WKTGeometry.encode(.envelope(envelope)))) == polygon)
      #expect(
        bits(try WKBGeometry.decode(try WKBGeometry.encode(.envelope(envelope)))) == polygon)
      #expect(bits(try GeoJSONGeometry.decode(geoJSON(.envelope(envelope)))) == polygon)
    }
    let empty = try EsriJSONGeometry.encode(.envelope(.empty()))
    #expect(empty == #"{"xmin":null,"ymin":null,"xmax":null,"ymax":null}"#)
    #expect(
      bits(try EsriJSONGeometry.decode(empty, reference: resolved)) == bits(.envelope(.empty())))
  }

  @Test(arguments: [Double.infinity, -.infinity])
  func infinityIsAnErrorInFormatsThatCannotSayIt(_ value: Double) {
    let bad: [Geometry] = [
      .point(Point(x: value, y: 1)), .point(Point(x: 1, y: 2, z: value)),
      .multipoint(Multipoint(VertexList([[1, value]]))),
      .polyline(Polyline(VertexList([[1, 2], [3, 4]], m: [0, value]))),
      .polyline(Polyline(VertexList([[1, 2], [.nan, 4]]))),
      .envelope(Envelope(xMin: 0, yMin: 0, xMax: value, yMax: 1)), .point(Point(x: .nan, y: 1)),
    ]
    for geometry in bad {
      #expect(throws: FormatError.self) { try WKTGeometry.encode(geometry) }
      #expect(throws: FormatError.self) { try WKBGeometry.encode(geometry) }
      #expect(throws: FormatError.self) { try EsriJSONGeometry.encode(geometry) }
    }
  }
}
