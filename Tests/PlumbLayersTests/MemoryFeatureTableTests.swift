import PlumbCore
import PlumbGeometry
import Testing

@testable import PlumbLayers

/// Features in memory, graphics, and invalid points and shapes.
@Suite struct MemoryFeatureTableTests {
  @Test func `graphics become features with all attributes`() throws {
    let table = MemoryFeatureTable(graphics: [
      Graphic(geometry: point(1, 1), attributes: ["b": .integer(1), "a": .text("x")]),
      Graphic(geometry: point(1, 1), attributes: ["b": .real(0.5), "c": .null]),
      Graphic(geometry: square(0, 0, 2, 2), attributes: ["a": .null, "d": .boolean(true)]),
    ])
    #expect(
      table.fields == [
        Field(name: "a", kind: .text), Field(name: "b", kind: .text), Field(name: "c", kind: .text),
        Field(name: "d", kind: .boolean),
      ])
    #expect(table.featureCount == 3 && table.spatialReference == nil)
    let map = Map(layers: [FeatureLayer(LayerProperties(id: "g"), table: table)])
    let result = try map.identified(1, 1, IdentifyOptions(maximumResultsPerLayer: nil))[0]
    let rows = result.geoElements.compactMap { element -> [FieldValue]? in
      guard case .feature(let feature) = element else { return nil }
      #expect(feature.attributes.map(\.name) == ["a", "b", "c", "d"])
      return feature.attributes.map(\.value)
    }
    #expect(
      rows == [
        [.null, .null, .null, .boolean(true)], [.null, .real(0.5), .null, .null],
        [.text("x"), .integer(1), .null, .null],
      ])
  }

  @Test func `missing attributes are null`() throws {
    let fields = [Field(name: "n", kind: .integer), Field(name: "m", kind: .text)]
    let table = MemoryFeatureTable(
      fields: fields, features: [Feature(attributes: [.integer(1)], geometry: point(5, 5))])
    let layer = FeatureLayer(
      LayerProperties(id: "a"), table: table, definitionExpression: "m IS NULL",
      renderer: .uniqueValue(Renderer.UniqueValues(fields: ["m"], classes: [])),
      popup: PopupDefinition(title: "{n}{m}"))
    #expect(try Map(layers: [layer]).identified()[0].popups[0].title == "1")
  }

  @Test func `the table's CRS is the first geometry's, and shapes have it`() throws {
    let mercator = try SpatialReference("EPSG:3857")
    var shape = point(5, 5)
    shape.spatialReference = mercator
    let graphics = [Graphic(geometry: point(5, 5)), Graphic(geometry: shape)]
    let layer = FeatureLayer(
      LayerProperties(id: "a"), table: MemoryFeatureTable(graphics: graphics))
    let map = Map(layers: [layer])
    #expect(map.resolvedReference == mercator)
    let result = try map.identified(5, 5, IdentifyOptions(maximumResultsPerLayer: nil))[0]
    #expect(result.geoElements.count == 2)
    for case .feature(let feature) in result.geoElements {
      #expect(feature.geometry?.spatialReference == mercator)
    }
    // The table uses the given CRS.
    let explicit = MemoryFeatureTable(graphics: graphics, spatialReference: .wgs84)
    let other = try Map(layers: [FeatureLayer(LayerProperties(id: "a"), table: explicit)])
      .identified()
    guard case .feature(let feature)? = other.first?.geoElements.first else {
      Issue.record("nothing found")
      return
    }
    #expect(feature.geometry?.spatialReference == .wgs84)
  }

  /// If coordinates were interpreted in another CRS, the results would be wrong without an error.
  @Test func `geometries with two CRSs and no CRS for the table are an error`() throws {
    var (a, b) = (point(5, 5), point(5, 5))
    a.spatialReference = .wgs84
    b.spatialReference = try SpatialReference("EPSG:3857")
    let graphics = [Graphic(geometry: a), Graphic(geometry: b)]
    let map = Map(layers: [
      featureLayer("fine", reference: .wgs84),
      FeatureLayer(LayerProperties(id: "a"), table: MemoryFeatureTable(graphics: graphics)),
    ])
    let results = try map.identified()
    #expect(results.tree == "a fine" && results[0].error?.code == .badLayer)
    #expect(results[0].error?.message.contains("EPSG:3857") == true)
  }

  @Test func `an element's shape has the CRS of the point`() throws {
    let mercator = try SpatialReference("EPSG:3857")
    let layer = featureLayer("a", [square(0, 0, 10, 10)], reference: .wgs84)
    let map = Map(layers: [layer])
    let edge = 10 * Double.pi / 180 * 6_378_137
    let result = try map.identifyLayers(
      at: Point(x: edge / 2, y: edge / 2, spatialReference: mercator))
    guard case .feature(let feature)? = result.first?.geoElements.first else {
      Issue.record("nothing found")
      return
    }
    let envelope = try #require(feature.geometry?.envelope)
    #expect(feature.geometry?.spatialReference == mercator)
    #expect((envelope.xMax - edge).magnitude < 1e-6 && envelope.xMin.magnitude < 1e-6)
    #expect(feature.distance == 0)
  }

  @Test func `tables without features, and features without shapes`() throws {
    let map = Map(layers: [
      featureLayer("none", []), featureLayer("nil", [nil, nil]),
      featureLayer(
        "empty",
        [
          .point(.empty()), .multipoint(Multipoint(VertexList())),
          .polyline(Polyline(VertexList())),
          .polygon(.empty()), .envelope(.empty()),
        ]),
      featureLayer("some", [nil, square(0, 0, 10, 10), .polygon(.empty())]),
    ])
    for tolerance in [0, 7, 1e300] {
      let options = IdentifyOptions(
        tolerance: .mapUnits(tolerance), maximumResultsPerLayer: nil)
      let results = try map.identified(5, 5, options)
      #expect(results.tree == "some" && results.first?.numbers == [1])
    }
    #expect(try Map().identified().isEmpty)
    #expect(try Map(spatialReference: .wgs84).identified().isEmpty)
    #expect(try MapIdentifier(map).warnings.isEmpty)
  }

  /// Invalid coordinates in one feature do not affect the others.
  @Test func `invalid features do not affect others`() throws {
    let shapes = [point(.nan, 5), square(0, 0, 10, 10), point(5, .infinity)]
    for tolerance in [0, 1] as [Double] {
      let options = IdentifyOptions(
        tolerance: .mapUnits(tolerance), maximumResultsPerLayer: nil)
      let results = try Map(layers: [featureLayer("a", shapes)]).identified(5, 5, options)
      #expect(results.first?.numbers == [1] && results.first?.error == nil)
    }
  }

  @Test(
    arguments: [
      (Double.nan, 5), (5, Double.nan), (.nan, .nan), (.infinity, 5), (5, -.infinity),
    ] as [(Double, Double)])
  func `an invalid point is a bad point`(x: Double, y: Double) throws {
    for reference in [nil, SpatialReference.wgs84] {
      let table = BrokenTable(.reading, reference: reference)
      let broken = FeatureLayer(LayerProperties(id: "broken"), table: table)
      let map = Map(
        layers: [
          featureLayer("a", reference: reference),
          try rasterLayer("r", reference: reference?.definition), broken,
          featureLayer(
            "m", reference: try reference.map { _ in try SpatialReference("EPSG:3857") }),
        ], spatialReference: reference)
      for tolerance in [0, 3] as [Double] {
        let results = try map.identified(x, y, IdentifyOptions(tolerance: .mapUnits(tolerance)))
        #expect(results.tree == "m broken r a")
        #expect(results.allSatisfy { $0.error?.code == .badPoint && $0.elementCount == 0 })
        #expect(table.reads == 0, "nothing is read")
      }
    }
  }

  @Test func `a point that cannot be transformed fails in the layers that need it`() throws {
    // A pole has no coordinates in Web Mercator.
    let map = Map(
      layers: [
        featureLayer("m", reference: try SpatialReference("EPSG:3857")),
        featureLayer("a", [square(-180, 80, 180, 90)], reference: .wgs84),
      ], spatialReference: .wgs84)
    let results = try map.identified(0, 90)
    #expect(results.first?.id == "a" && results.first?.elementCount == 1)
    let far = results.dropFirst().first
    #expect(far == nil || far?.error?.code == .transformFailed)
  }

  @Test func `a point 360° further is the same point`() throws {
    let map = Map(layers: [featureLayer("a", [square(170, 0, 190, 10)], reference: .wgs84)])
    for x in [175.0, -175, -185, 535, 185, 545, 180, -180, 900] {
      #expect(try map.identified(x, 5).tree == "a", "\(x)")
    }
    for x in [169.0, -169, 191, 0, 360] { #expect(try map.identified(x, 5).isEmpty, "\(x)") }
  }
}
