import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry
@testable import PlumbLayers

/// Compares identify on seeded maps with GEOS and with searches along geodesics.
@Suite struct IdentifyOracleTests {
  /// One layer, and the oracle of each of its features.
  private struct Scene {
    var layers: [FeatureLayer] = []
    var oracles: [[ShapeOracle]] = []
  }

  private static let classes = [
    Renderer.UniqueValues.Class(values: [["0"]], symbol: .marker(size: 12)),
    Renderer.UniqueValues.Class(values: [["1"]], symbol: .line(width: 3)),
    Renderer.UniqueValues.Class(values: [["2"]], symbol: .fill(outlineWidth: 30)),
  ]

  /// One layer of each kind; if `renderer` is true, features alternate between symbols of three
  /// sizes and no symbol.
  private static func scene(
    _ plane: OraclePlane, seed: UInt64, renderer: Bool = false
  ) throws -> Scene {
    var shapes = OracleShapes(plane, seed: seed)
    let context = try GEOSContext()
    var scene = Scene()
    for (index, geometries) in shapes.all().enumerated() {
      let features = geometries.enumerated().map { number, geometry in
        Feature(
          attributes: [.integer(Int64(number)), .integer(Int64(number % 4))], geometry: geometry)
      }
      let table = MemoryFeatureTable(
        fields: [Field(name: "n", kind: .integer), Field(name: "kind", kind: .integer)],
        features: features, spatialReference: try plane.reference)
      scene.layers.append(
        FeatureLayer(
          LayerProperties(id: "\(index)"), table: table,
          renderer: renderer
            ? .uniqueValue(Renderer.UniqueValues(fields: ["kind"], classes: classes)) : nil))
      scene.oracles.append(
        try geometries.map { try ShapeOracle($0 ?? .point(.empty()), context) })
    }
    return scene
  }

  /// The extent of a feature's symbol, in pixels.
  private static func radius(_ number: Int) -> Double {
    classes.first { $0.values == [["\(number % 4)"]] }?.symbol.extent ?? 0
  }

  /// The features found by a layer, each with its distance.
  private static func found(
    _ results: [IdentifyLayerResult]
  ) -> [String: [(number: Int, distance: Double)]] {
    var found: [String: [(number: Int, distance: Double)]] = [:]
    for result in results {
      #expect(result.error == nil, "\(result.error?.message ?? "")")
      #expect(result.foundCount == result.geoElements.count)
      found[result.id] = zip(result.numbers, result.geoElements).map { (Int($0), $1.distance) }
      let elements = zip(result.numbers, result.geoElements.map(\.distance))
      let isOrdered = zip(elements, elements.dropFirst()).allSatisfy { first, second in
        first.1 < second.1 || first.0 > second.0 && !(first.1 > second.1)
      }
      #expect(isOrdered || result.geoElements.contains { $0.distance.isNaN }, "by distance")
    }
    return found
  }

  /// Compares the features found at a point with the features that are nearer than their search
  /// radius. Features at the rim are skipped.
  private static func compare(
    _ results: [IdentifyLayerResult], _ scene: Scene, _ what: String,
    radius: (Int) -> Double, distance: (ShapeOracle) throws -> Double
  ) throws -> Int {
    let found = found(results)
    var count = 0
    for (layer, oracles) in zip(scene.layers, scene.oracles) {
      let hits = Set((found[layer.id] ?? []).map(\.number))
      for (number, oracle) in oracles.enumerated() {
        let (radius, distance) = (radius(number), try distance(oracle))
        #expect(!distance.isNaN)
        // At the rim, the result depends on rounding.
        if radius > 0, (distance - radius).magnitude < 1e-6 * radius { continue }
        count += 1
        #expect(
          hits.contains(number) == (distance <= radius),
          "\(what): layer \(layer.id), feature \(number) at \(distance), reach \(radius)")
      }
    }
    return count
  }

  @Test(arguments: OraclePlane.all)
  func `features that contain a point or are near it`(_ plane: OraclePlane) throws {
    var compared = 0
    for seed in 1...3 as ClosedRange<UInt64> {
      let scene = try Self.scene(plane, seed: seed)
      let map = Map(layers: scene.layers, spatialReference: try plane.reference)
      var shapes = OracleShapes(plane, seed: seed + 100)
      for tolerance in [0, 0.4, 1.3, 5] as [Double] {
        let identifier = try MapIdentifier(
          map,
          options: IdentifyOptions(
            tolerance: .mapUnits(tolerance * plane.step), maximumResultsPerLayer: nil))
        for _ in 0..<60 {
          let point = shapes.point()
          compared += try Self.compare(
            identifier.identify(x: point.x, y: point.y), scene, "\(point) within \(tolerance)",
            radius: { _ in tolerance * plane.step },
            distance: { tolerance == 0 ? try $0.holds(point) ? 0 : 1 : try $0.distance(point) })
        }
      }
    }
    #expect(compared > 70_000)
    report("in the plane of \(plane.code ?? "no CRS"): \(compared) comparisons")
  }

  @Test(arguments: OraclePlane.all)
  func `symbols of several sizes extend by their pixels`(_ plane: OraclePlane) throws {
    let scene = try Self.scene(plane, seed: 7, renderer: true)
    let reference = try plane.reference
    let map = Map(layers: scene.layers, spatialReference: reference)
    var shapes = OracleShapes(plane, seed: 107)
    var compared = 0
    for pixels in [0, 10, 100] as [Double] {
      // The grid's step is 25 px.
      let scale = plane.step / 25 / Pixel.side(atScale: 1, in: reference)
      let identifier = try MapIdentifier(
        map,
        options: IdentifyOptions(
          tolerance: .pixels(pixels), scale: scale, maximumResultsPerLayer: nil))
      for _ in 0..<60 {
        let point = shapes.point()
        compared += try Self.compare(
          identifier.identify(x: point.x, y: point.y), scene, "\(point) within \(pixels) px",
          radius: { (pixels + Self.radius($0)) * plane.step / 25 },
          distance: { try $0.distance(point) })
      }
    }
    #expect(compared > 15_000)
    report("symbols in \(plane.code ?? "no reference"): \(compared) comparisons")
  }

  /// Pairs of different CRSs.
  static let pairs = OraclePlane.all.dropLast().flatMap { first in
    OraclePlane.all.dropLast().filter { $0.code != first.code }.map { [first, $0] }
  }

  @Test(arguments: pairs)
  func `features that contain a point in another CRS`(_ pair: [OraclePlane]) throws {
    let (plane, source) = (pair[0], pair[1])
    let scene = try Self.scene(source, seed: 11)
    let (pointReference, sourceReference) = (
      try #require(try plane.reference), try #require(try source.reference)
    )
    let map = Map(layers: scene.layers, spatialReference: sourceReference)
    let identifier = try MapIdentifier(
      map, options: IdentifyOptions(maximumResultsPerLayer: nil), reference: pointReference)
    let toSource = try Transformation(from: pointReference, to: sourceReference)
    var shapes = OracleShapes(plane, seed: 111)
    var compared = 0
    for _ in 0..<200 {
      let point = shapes.point()
      var (x, y) = (point.x, point.y)
      toSource.apply(x: &x, y: &y, count: 1)
      compared += try Self.compare(
        identifier.identify(x: point.x, y: point.y), scene, "\(point)", radius: { _ in 0 },
        distance: { try $0.holds(SIMD2(x, y)) ? 0 : 1 })
    }
    #expect(compared > 15_000)
    report("\(plane.code ?? "") in \(source.code ?? ""): \(compared) comparisons")
  }

  @Test(arguments: pairs)
  func `pixels of a map with another CRS than the layer`(_ pair: [OraclePlane]) throws {
    let (plane, source) = (pair[0], pair[1])
    let scene = try Self.scene(source, seed: 13, renderer: true)
    let (mapReference, sourceReference) = (
      try #require(try plane.reference), try #require(try source.reference)
    )
    let toMap = try Transformation(from: sourceReference, to: mapReference)
    let toSource = try Transformation(from: mapReference, to: sourceReference)
    let drawn = try scene.oracles.map { try $0.map { try $0.projected(toMap, pieces: 400) } }
    let map = Map(layers: scene.layers, spatialReference: mapReference)
    let scale = plane.step / 25 / Pixel.side(atScale: 1, in: mapReference)
    var shapes = OracleShapes(plane, seed: 113)
    var compared = 0
    for pixels in [0, 10, 60] as [Double] {
      let identifier = try MapIdentifier(
        map,
        options: IdentifyOptions(
          tolerance: .pixels(pixels), scale: scale, maximumResultsPerLayer: nil))
      for _ in 0..<12 {
        let point = shapes.point()
        var (x, y) = (point.x, point.y)
        toSource.apply(x: &x, y: &y, count: 1)
        var drawn = drawn.joined().makeIterator()
        compared += try Self.compare(
          identifier.identify(x: point.x, y: point.y), scene, "\(point) within \(pixels) px",
          radius: { (pixels + Self.radius($0)) * plane.step / 25 },
          distance: { oracle in
            let image = drawn.next()
            return try oracle.holds(SIMD2(x, y)) ? 0 : try image?.distance(point) ?? .nan
          })
      }
    }
    #expect(compared > 3_000)
    report("px of \(plane.code ?? "") on \(source.code ?? ""): \(compared) comparisons")
  }

  @Test(arguments: OraclePlane.all.dropLast())
  func `metres on the ground and each element's distance`(_ source: OraclePlane) throws {
    let scene = try Self.scene(source, seed: 17)
    let sourceReference = try #require(try source.reference)
    let toDegrees = try Transformation(from: sourceReference, to: .wgs84)
    let geodesic = Geodesic(.wgs84)
    let map = Map(layers: scene.layers, spatialReference: sourceReference)
    var shapes = OracleShapes(source, seed: 117)
    var (compared, measured) = (0, 0)
    for metres in [3_000, 25_000] as [Double] {
      let identifier = try MapIdentifier(
        map, options: IdentifyOptions(tolerance: .metres(metres), maximumResultsPerLayer: nil))
      for _ in 0..<12 {
        let point = shapes.point()
        let results = identifier.identify(x: point.x, y: point.y)
        var distances: [[Double]] = []
        for oracles in scene.oracles {
          distances.append(
            try oracles.map { try $0.groundDistance(point, toDegrees, geodesic) })
        }
        var next = distances.joined().makeIterator()
        compared += try Self.compare(
          results, scene, "\(point) within \(metres) m", radius: { _ in metres },
          distance: { _ in next.next() ?? .nan })
        for (id, elements) in Self.found(results) {
          for element in elements {
            let expected = distances[Int(id) ?? 0][element.number]
            measured += 1
            #expect(
              (element.distance - expected).magnitude <= 1e-7 * expected + 1e-6,
              "\(point): layer \(id), feature \(element.number), \(element.distance), \(expected)")
          }
        }
      }
    }
    #expect(compared > 2_000 && measured > 100)
    report("metres on \(source.code ?? ""): \(compared) comparisons, \(measured) distances")
  }
}
