import PlumbCore
import PlumbGeometry
import Testing

@testable import PlumbLayers

/// Rule: the tolerance is the radius of a circle; 0 is the exact point, a value above 100 px is an
/// error, and pixels need a scale.
@Suite struct ToleranceTests {
  /// A scale at which a pixel is one unit of a map in metres.
  static let unitScale = 96 / 0.0254

  private func code(_ options: IdentifyOptions) -> FailureCode? {
    do {
      _ = try Map(layers: [featureLayer("a")]).identified(5, 5, options)
      return nil
    } catch {
      return (error as? LayerError)?.code
    }
  }

  @Test(arguments: [
    (IdentifyOptions.Tolerance.pixels(0), true), (.pixels(100), true), (.pixels(100.0001), false),
    (.pixels(100.0.nextUp), false), (.pixels(-1), false), (.pixels(-0.0), true),
    (.pixels(.nan), false), (.pixels(.infinity), false), (.metres(-1), false), (.metres(101), true),
    (.metres(.nan), false), (.metres(.infinity), false), (.mapUnits(1e9), true),
    (.mapUnits(-1e-300), false), (.mapUnits(.nan), false), (.mapUnits(-.infinity), false),
  ])
  func `valid and invalid tolerances`(tolerance: IdentifyOptions.Tolerance, isGood: Bool) {
    let options = IdentifyOptions(tolerance: tolerance, scale: 1000)
    #expect(code(options) == (isGood ? nil : .badQuery))
  }

  @Test(arguments: [0, -1, Double.nan, .infinity, -.infinity])
  func `invalid scales`(scale: Double) {
    #expect(code(IdentifyOptions(scale: scale)) == .badQuery)
  }

  @Test func `pixels need a scale unless they are 0`() {
    #expect(code(IdentifyOptions(tolerance: .pixels(10))) == .badQuery)
    #expect(code(IdentifyOptions(tolerance: .pixels(0))) == nil)
  }

  /// Points at 3, 4 and 12 units: exact numbers at the rim.
  @Test func `the circle includes its rim`() throws {
    let layer = featureLayer("a", [point(0, 0), point(3, 4), point(5, 12), point(13, 0)])
    func found(_ tolerance: IdentifyOptions.Tolerance, _ scale: Double? = nil) throws -> [Int64] {
      let options = IdentifyOptions(
        tolerance: tolerance, scale: scale, maximumResultsPerLayer: nil)
      return try Map(layers: [layer]).identified(0, 0, options).first?.numbers ?? []
    }
    #expect(try found(.mapUnits(0)) == [0])
    #expect(try found(.mapUnits(5)) == [0, 1])
    #expect(try found(.mapUnits(5.0.nextDown)) == [0])
    #expect(try found(.mapUnits(13)) == [0, 1, 3, 2])
    #expect(try found(.mapUnits(13.0.nextDown)) == [0, 1])
    #expect(try found(.pixels(6), Self.unitScale) == [0, 1])
    #expect(try found(.pixels(4.9999), Self.unitScale) == [0])
    #expect(try found(.pixels(6), Self.unitScale / 2) == [0])
    #expect(try found(.metres(5)) == [0, 1], "without a CRS, metres are units")
  }

  @Test func `0 is the exact point`() throws {
    let shapes: [Geometry?] = [
      square(0, 0, 1, 1), line(SIMD2(0, 0), SIMD2(3, 1)), point(1, 1),
      .multipoint(Multipoint(VertexList([SIMD2(7, 7), SIMD2(1, 1)]))),
      .envelope(Envelope(xMin: 1, yMin: 1, xMax: 2, yMax: 2)),
    ]
    let map = Map(layers: [featureLayer("a", shapes)])
    let all = IdentifyOptions(maximumResultsPerLayer: nil)
    #expect(try map.identified(1, 1, all)[0].numbers == [4, 3, 2, 0])
    #expect(try map.identified(1.0.nextUp, 1, all)[0].numbers == [4])
    #expect(try map.identified(1, 1.0.nextDown, all)[0].numbers == [0])
    #expect(try map.identified(0, 0, all)[0].numbers == [1, 0])
    #expect(try map.identified(1.5, 0.5, all)[0].numbers == [1])
  }
}

/// Rule: the size of the symbol counts: a marker of 12 px is found up to its rim, and a line within
/// its width.
@Suite struct SymbolExtentTests {
  /// A map in metres: at `ToleranceTests.unitScale` a pixel is one of its units.
  private func hits(
    _ layer: FeatureLayer, _ x: Double, _ y: Double, pixels: Double = 0,
    scale: Double? = 1024 * 96 / 0.0254
  ) throws -> [Int64] {
    let options = IdentifyOptions(
      tolerance: .pixels(pixels), scale: scale, maximumResultsPerLayer: nil)
    return try Map(layers: [layer]).identified(x, y, options).first?.numbers ?? []
  }

  /// At this scale a pixel is 1024 units, except for rounding.
  private static let pixel = Pixel.side(atScale: 1024 * 96 / 0.0254, in: nil)

  @Test func `the scale defines a pixel's size`() {
    #expect((Self.pixel / 1024 - 1).magnitude < 1e-15)
  }

  @Test func `a marker of 12 px has a radius of 6 px`() throws {
    let layer = featureLayer("a", [point(0, 0)], renderer: .simple(.marker(size: 12)))
    let rim = 6 * Self.pixel
    #expect(try hits(layer, rim, 0) == [0] && hits(layer, 0, -rim) == [0])
    #expect(try hits(layer, rim.nextUp, 0).isEmpty && hits(layer, 0, (-rim).nextDown).isEmpty)
    // The marker is a disc, not its bounding box.
    #expect(try hits(layer, rim * 0.70, rim * 0.70) == [0])
    #expect(try hits(layer, rim * 0.71, rim * 0.71).isEmpty)
    #expect(try hits(layer, rim, 0, scale: nil).isEmpty, "without a scale, symbols have no size")
    #expect(try hits(layer, 0, 0, scale: nil) == [0])
    #expect(try hits(layer, 15.9999 * Self.pixel, 0, pixels: 10) == [0], "the tolerance is added")
    #expect(try hits(layer, 16.0001 * Self.pixel, 0, pixels: 10).isEmpty)
  }

  @Test func `a line is hit over its width and around its ends`() throws {
    let layer = featureLayer(
      "a", [line(SIMD2(0, 0), SIMD2(1e6, 0))], renderer: .simple(.line(width: 3)))
    let half = 1.5 * Self.pixel
    #expect(try hits(layer, 5e5, half) == [0] && hits(layer, 5e5, -half) == [0])
    #expect(try hits(layer, 5e5, half.nextUp).isEmpty)
    #expect(try hits(layer, -half, 0) == [0] && hits(layer, (-half).nextDown, 0).isEmpty)
  }

  @Test func `half an area's outline is outside, including in holes`() throws {
    let ring = [SIMD2(0.0, 0), SIMD2(0, 9e4), SIMD2(9e4, 9e4), SIMD2(9e4, 0)]
    let hole = [SIMD2(3e4, 3e4), SIMD2(6e4, 3e4), SIMD2(6e4, 6e4), SIMD2(3e4, 6e4)]
    let area = Polygon(VertexList(ring + hole), ringEnds: [4, 8])
    let layer = featureLayer(
      "a", [.polygon(area)], renderer: .simple(.fill(outlineWidth: 2)))
    let half = Self.pixel
    #expect(try hits(layer, -half, 4e4) == [0] && hits(layer, (-half).nextDown, 4e4).isEmpty)
    #expect(try hits(layer, 3e4 + half * 0.999999, 4e4) == [0])
    #expect(try hits(layer, 3e4 + half * 1.000001, 4e4).isEmpty)
    #expect(try hits(layer, 4.5e4, 4.5e4).isEmpty && hits(layer, 1e4, 1e4) == [0])
  }

  @Test func `each unique value has a symbol, other values the default`() throws {
    let values = Renderer.UniqueValues(
      fields: ["N"],
      classes: [
        Renderer.UniqueValues.Class(values: [["0"]], symbol: .marker(size: 4)),
        Renderer.UniqueValues.Class(values: [["1"]], symbol: .marker(size: 40)),
      ],
      defaultSymbol: .marker(size: 20))
    let layer = featureLayer(
      "a", [point(0, 0), point(0, 0), point(0, 0)], renderer: .uniqueValue(values))
    #expect(try hits(layer, 2 * Self.pixel, 0) == [2, 1, 0])
    #expect(try hits(layer, 2.01 * Self.pixel, 0) == [2, 1])
    #expect(try hits(layer, 10 * Self.pixel, 0) == [2, 1])
    #expect(try hits(layer, 10.01 * Self.pixel, 0) == [1])
    #expect(try hits(layer, 20 * Self.pixel, 0) == [1])
    #expect(try hits(layer, 20.01 * Self.pixel, 0).isEmpty)
    var plain = values
    plain.defaultSymbol = nil
    let bare = featureLayer(
      "a", [point(0, 0), point(0, 0), point(0, 0)], renderer: .uniqueValue(plain))
    #expect(try hits(bare, 1 * Self.pixel, 0) == [1, 0], "without a symbol there is no size")
    #expect(try hits(bare, 0, 0) == [2, 1, 0])
  }

  /// A class includes its maximum and excludes the previous one.
  @Test func `class breaks are sorted by ascending maximum`() throws {
    let breaks = Renderer.ClassBreaks(
      field: "v", minimum: 10,
      classes: [
        .init(maximum: 30, symbol: .marker(size: 60)),
        .init(maximum: 20, symbol: .marker(size: 40)),
      ], defaultSymbol: .marker(size: 2))
    let values: [FieldValue] = [
      .real(10.0.nextDown), .integer(10), .real(20), .real(20.0.nextUp), .integer(30),
      .real(30.0.nextUp), .null, .real(.nan), .text("15"), .text("many"),
    ]
    let table = MemoryFeatureTable(
      fields: [Field(name: "v", kind: .real)],
      features: values.map { Feature(attributes: [$0], geometry: point(0, 0)) })
    let layer = FeatureLayer(
      LayerProperties(id: "a"), table: table, renderer: .classBreaks(breaks))
    func found(_ pixels: Double) throws -> Int {
      let options = IdentifyOptions(
        scale: 1024 * 96 / 0.0254, maximumResultsPerLayer: nil)
      return try Map(layers: [layer]).identified(pixels * Self.pixel, 0, options).first?.foundCount
        ?? 0
    }
    #expect(try found(1) == 10 && found(1.01) == 5, "the default: below, above, no number")
    #expect(try found(20) == 5 && found(20.01) == 2, "10, 20 and 15 are in the lower class")
    #expect(try found(30) == 2 && found(30.01) == 0)
  }

  @Test func `graphics have their own symbols`() throws {
    let graphics = [
      Graphic(geometry: point(0, 0), symbol: .marker(size: 20)), Graphic(geometry: point(0, 0)),
    ]
    func layer(_ renderer: Renderer?) -> FeatureLayer {
      FeatureLayer(
        LayerProperties(id: "a"), table: MemoryFeatureTable(graphics: graphics), renderer: renderer)
    }
    func count(_ pixels: Double, _ renderer: Renderer?) throws -> Int {
      try Map(layers: [layer(renderer)]).identified(
        pixels * Self.pixel, 0,
        IdentifyOptions(scale: 1024 * 96 / 0.0254, maximumResultsPerLayer: nil)
      ).first?.foundCount ?? 0
    }
    #expect(try count(0, nil) == 2 && count(1, nil) == 1 && count(10.01, nil) == 0)
    let small = Renderer.simple(.marker(size: 8))
    #expect(try count(4, small) == 2 && count(4.01, small) == 1 && count(10, small) == 1)
    #expect(try count(10.01, small) == 0)
  }

  @Test(arguments: [0, -5, Double.nan, .infinity]) func `an invalid size`(size: Double) throws {
    for symbol in [Symbol.marker(size: size), .line(width: size), .fill(outlineWidth: size)] {
      #expect(symbol.extent == 0)
      let layer = featureLayer("a", [point(0, 0)], renderer: .simple(symbol))
      #expect(try hits(layer, 0, 0) == [0] && hits(layer, 1, 0).isEmpty)
    }
  }
}
