import Plumb
import Testing

/// Attributes by name, values by kind, and printed values.
@Suite struct ValueAccessTests {
  private let fields = ["NAME", "Pop", "pop"].map { Field(name: $0, kind: .text) }
  private let feature = Feature(
    id: 7, attributes: [.text("Ward 34"), .integer(28_609), .null],
    geometry: .point(Point(x: 18.5, y: -34, spatialReference: .wgs84)))

  @Test func fieldsByName() {
    #expect(fields.index(named: "NAME") == 0 && fields.index(named: "name") == 0)
    // An exact match has precedence over the first match that ignores case.
    #expect(fields.index(named: "pop") == 2 && fields.index(named: "POP") == 1)
    #expect(fields.index(named: "kind") == nil)
    #expect(feature["name", in: fields] == .text("Ward 34"))
    #expect(feature["pop", in: fields] == .null)
    #expect(feature["kind", in: fields] == nil)
    #expect(Feature(attributes: [])["NAME", in: fields] == nil)
    let found = IdentifiedFeature(fields: fields, feature: feature, distance: 221.84)
    #expect(found["Name"]?.stringValue == "Ward 34" && found["none"] == nil)
    #expect(GeoElement.feature(found)["POP"]?.integerValue == 28_609)
  }

  @Test func cellsByName() {
    let cell = RasterCell(
      attributes: [
        ("Band_0", .cell(.float32(0.1))), ("Band_1", .cell(.unsigned(.max))),
        ("Class_0", .text("Fynbos")), ("Band_2", .cell(.complexFloat64(1.5, 2))), ("Unit_0", .null),
      ], status: [.ok], row: 0, column: 0, file: "a.tif", footprint: [])
    let element = GeoElement.cell(cell)
    #expect(element["band_0"] == .real(0.1) && element["BAND_1"] == .json("18446744073709551615"))
    #expect(element["Class_0"]?.stringValue == "Fynbos" && element["Band_2"] == .text("1.5+2i"))
    #expect(element["Unit_0"] == .null && element["Band_9"] == nil)
    #expect(cell["band_0"] == .cell(.float32(0.1)))
    #expect(
      "\(element)"
        == "Band_0: 0.1, Band_1: 18446744073709551615, Class_0: Fynbos, Band_2: 1.5+2i, Unit_0: null"
    )
  }

  @Test func valuesByKind() {
    let all: [FieldValue] = [
      .null, .text("12"), .integer(12), .real(12), .real(0.5), .boolean(true), .json("12"),
    ]
    #expect(all.map(\.isNull) == [true, false, false, false, false, false, false])
    #expect(all.map(\.doubleValue) == [nil, nil, 12, 12, 0.5, nil, nil])
    #expect(all.map(\.integerValue) == [nil, nil, 12, 12, nil, nil, nil])
    #expect(all.map(\.stringValue) == [nil, "12", nil, nil, nil, nil, nil])
    #expect(all.map(\.booleanValue) == [nil, nil, nil, nil, nil, true, nil])
    #expect(all.map(\.description) == ["null", "12", "12", "12.0", "0.5", "true", "12"])
    #expect(FieldValue.real(.nan).integerValue == nil && FieldValue.real(1e19).integerValue == nil)
  }

  @Test func whatPrints() {
    let point = Point(x: 18.6, y: -34.1, spatialReference: .wgs84)
    #expect("\(point)" == "18.6, -34.1 (EPSG:4326)")
    #expect("\(Point(x: 1, y: 2, z: 3, m: 4))" == "1.0, 2.0, z 3.0, m 4.0")
    #expect("\(Point.empty())" == "empty" && "\(Geometry.point(point))" == "point \(point)")
    let box = Envelope(xMin: 0, yMin: 1, xMax: 2, yMax: 3, spatialReference: .wgs84)
    #expect("\(box)" == "0.0, 1.0 to 2.0, 3.0 (EPSG:4326)")
    #expect("\(Geometry.envelope(.empty()))" == "envelope empty")
    #expect("\(Geometry.polygon(box.polygon))" == "polygon of 1 ring, 5 vertices (EPSG:4326)")
    let line = Polyline(VertexList([[0, 0], [1, 1], [2, 2], [3, 3]]), partEnds: [2, 4])
    #expect("\(Geometry.polyline(line))" == "polyline of 2 parts, 4 vertices")
    #expect("\(Geometry.multipoint(Multipoint(VertexList([[0, 0]]))))" == "multipoint of 1 point")
    #expect("\(SpatialReference.wgs84)" == "EPSG:4326")
    #expect("\(feature)" == "7 [Ward 34, 28609, null] point 18.5, -34.0 (EPSG:4326)")
    #expect("\(QueryPoint(x: 1, y: 2, reference: nil))" == "1.0, 2.0")
    let far = IdentifiedFeature(fields: fields, feature: feature, distance: 221.84)
    #expect("\(far)" == "NAME: Ward 34, Pop: 28609, pop: null (221.8 m)")
    let result = IdentifyLayerResult(
      layerContent: .init(id: "0", name: "city", type: "group"),
      sublayerResults: [
        IdentifyLayerResult(
          layerContent: .init(id: "1", name: "wards", type: "feature"),
          geoElements: [.feature(far)], isTransferLimitExceeded: true, foundCount: 2),
        IdentifyLayerResult(
          layerContent: .init(id: "2", name: "roads", type: "feature"),
          error: LayerError(code: .loadFailed, message: "no file")),
      ])
    #expect(
      "\(result)" == """
        city (group): 1
          wards (feature): 1 and more
            NAME: Ward 34, Pop: 28609, pop: null (221.8 m)
          roads (feature): load_failed: no file
        """)
  }
}
