import PlumbCore
import PlumbIO
import PlumbTestSupport
import Testing

@testable import PlumbFormats

/// Malicious input: an error or a geometry, never a crash or excessive memory.
@Suite struct HostileGeometryTests {
  /// Decodes bytes with every decoder; results must survive the corresponding encoder.
  private func tryAll(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { raw in
      let results: [Geometry?] = [
        try? GeoJSONGeometry.decode(raw), try? EsriJSONGeometry.decode(raw, reference: resolved),
        try? WKTGeometry.decode(raw, resolving: resolved),
        try? WKBGeometry.decode(raw, resolving: resolved),
      ]
      for case let geometry? in results {
        let wkb = try WKBGeometry.encode(geometry)
        if case .envelope = geometry { continue }
        #expect(bits(try WKBGeometry.decode(wkb)) == bits(geometry))
        if case .point(let point) = geometry, point.isEmpty { continue }
        let wkt = try WKTGeometry.encode(geometry)
        #expect(bits(try WKTGeometry.decode(wkt)) == bits(geometry))
      }
    }
  }

  private func mutants(of bytes: [UInt8], _ count: Int, _ random: inout SeededGenerator) throws {
    let spice = Array("[]{}(),:;\"\\-+.eE019nNZM \u{0}\u{7F}".utf8) + [0x80, 0xFF, 0xF0]
    for _ in 0..<count {
      var mutant = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) where !mutant.isEmpty {
        let point = Int.random(in: mutant.indices, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: mutant[point] = spice.randomElement(using: &random) ?? 0
        case 1: mutant.remove(at: point)
        case 2: mutant.insert(spice.randomElement(using: &random) ?? 0, at: point)
        case 3: mutant[point] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 4: mutant.removeSubrange(point...)
        default:
          let end = Int.random(in: point..<mutant.count, using: &random)
          mutant.insert(contentsOf: mutant[point...end], at: point)
        }
      }
      try tryAll(mutant)
    }
  }

  @Test(arguments: 50..<58) func mutantsOfGoodInput(_ seed: UInt64) throws {
    var random = RandomGeometry(seed: seed)
    var dice = SeededGenerator(seed: seed)
    for _ in 0..<25 {
      random.isWild = Bool.random(using: &dice)
      var geometry = random.any()
      geometry.spatialReference = reference("EPSG:32734")
      var json = TextBuffer()
      GeoJSONGeometry.append(geometry, to: &json)
      try mutants(of: Array(json.bytes), 25, &dice)
      try mutants(of: Array(try EsriJSONGeometry.encode(geometry).utf8), 25, &dice)
      try mutants(of: Array(try WKTGeometry.encode(geometry, withReference: true).utf8), 25, &dice)
      try mutants(of: try WKBGeometry.encode(geometry), 25, &dice)
    }
  }

  @Test func everyPrefixIsAnError() throws {
    var random = RandomGeometry(seed: 60)
    for _ in 0..<40 {
      let geometry = random.any()
      let wkb = try WKBGeometry.encode(geometry)
      for count in 0..<wkb.count {
        #expect(throws: FormatError.self) { try WKBGeometry.decode(Array(wkb[..<count])) }
      }
      #expect(throws: FormatError.self) { try WKBGeometry.decode(wkb + [0]) }
      let esri = Array(try EsriJSONGeometry.encode(geometry).utf8)
      for count in stride(from: 0, to: esri.count, by: 7) {
        let text = String(decoding: esri[..<count], as: UTF8.self)
        #expect(throws: FormatError.self) { try EsriJSONGeometry.decode(text, reference: resolved) }
      }
    }
  }

  /// Counts of four billion in a few bytes: rejected before memory is allocated.
  @Test(arguments: [2, 3, 4, 5, 6, 7, 1002, 2006, 3005] as [UInt32]) func absurdCounts(
    _ type: UInt32
  ) {
    for isBig in [false, true] {
      var bytes: [UInt8] = [isBig ? 0 : 1]
      let word = isBig ? type.bigEndian : type.littleEndian
      withUnsafeBytes(of: word) { bytes += $0 }
      for count: [UInt8] in [[255, 255, 255, 255], [255, 255, 255, 127], [0, 0, 1, 0]] {
        let error = #expect(throws: FormatError.self) {
          try WKBGeometry.decode(bytes + count + Array(repeating: 0, count: 40))
        }
        #expect(error?.offset == 5)
      }
    }
  }

  @Test func deepNestingEndsInAnError() throws {
    for depth in [33, 1000, 100_000] {
      let wkt = String(repeating: "GEOMETRYCOLLECTION (", count: depth)
      #expect(throws: FormatError.self) { try WKTGeometry.decode(wkt) }
      let head = #"{"type":"GeometryCollection","geometries":["#
      let json =
        String(repeating: head, count: depth) + String(repeating: "]}", count: depth)
      #expect(throws: FormatError.self) { try GeoJSONGeometry.decode(json) }
      let brackets = String(repeating: "[", count: depth)
      #expect(throws: FormatError.self) {
        try GeoJSONGeometry.decode("{\"type\":\"Polygon\",\"coordinates\":" + brackets)
      }
      #expect(throws: FormatError.self) {
        try EsriJSONGeometry.decode("{\"rings\":" + brackets, reference: resolved)
      }
      let part: [UInt8] = [1, 7, 0, 0, 0, 1, 0, 0, 0]
      let wkb = Array(repeatElement(part, count: depth).joined())
      #expect(throws: FormatError.self) { try WKBGeometry.decode(wkb) }
    }
    let deep = String(repeating: "GEOMETRYCOLLECTION (", count: 32) + "POINT (1 2)"
    #expect(
      try WKTGeometry.decode(deep + String(repeating: ")", count: 32))?.vertices.count == 1)
  }

  @Test func numbersOfAnyLength() throws {
    let digits = "1." + String(repeating: "3", count: 300_000)
    let small = "0." + String(repeating: "0", count: 400) + "1"
    #expect(
      try WKTGeometry.decode("POINT (\(digits) \(small))")?.vertices.xy == [
        [1.3333333333333333, 0]
      ])
    #expect(
      try GeoJSONGeometry.decode("{\"type\":\"Point\",\"coordinates\":[\(digits),\(small)]}")?
        .vertices.xy == [[1.3333333333333333, 0]])
    let large = "1" + String(repeating: "0", count: 400)
    #expect(throws: FormatError.self) { try WKTGeometry.decode("POINT (\(large) 0)") }
    #expect(throws: FormatError.self) {
      try EsriJSONGeometry.decode("{\"x\":\(large),\"y\":0}", reference: resolved)
    }
  }

  @Test(
    arguments: [
      [1, 8, 0, 0, 0, 0, 0, 0, 0], [1, 17, 0, 0, 0, 0, 0, 0, 0], [2, 1, 0, 0, 0], [1, 0, 0, 0, 0],
      [1, 0xA8, 0x0F, 0, 0], [1, 4, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]]) func unknownTypesAreErrors(_ bytes: [UInt8])
  {
    let error = #expect(throws: FormatError.self) { try WKBGeometry.decode(bytes) }
    #expect(error?.offset != nil)
  }

  /// PostGIS's flags, with and without an SRID, big-endian.
  @Test func flagsOfPostGIS() throws {
    func bytes(_ value: Double) -> [UInt8] {
      withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) }
    }
    let point = bytes(1) + bytes(2)
    let code: [UInt8] = [0, 0, 0x7F, 0xDE]
    #expect(
      bits(try WKBGeometry.decode([0, 0x80, 0, 0, 1] + point + bytes(3)))
        == bits(.point(Point(x: 1, y: 2, z: 3))))
    #expect(
      bits(try WKBGeometry.decode([0, 0x40, 0, 0, 1] + point + bytes(3)))
        == bits(.point(Point(x: 1, y: 2, m: 3))))
    let all = try WKBGeometry.decode(
      [0, 0xE0, 0, 0, 1] + code + point + bytes(3) + bytes(4), resolving: resolved)
    #expect(bits(all) == bits(.point(Point(x: 1, y: 2, z: 3, m: 4))))
    #expect(all?.spatialReference?.definition == "EPSG:32734")
    #expect(throws: FormatError.self) { try WKBGeometry.decode([0, 0x20, 0, 0, 1] + code + point) }
  }
}
