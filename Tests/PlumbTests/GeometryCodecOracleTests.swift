import CGDAL
import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbIO
import PlumbTestSupport
import Testing

/// Compares GDAL's geometry readers and writers with Plumb's: both must find the same numbers in
/// the same text and bytes.
@Suite struct GeometryCodecOracleTests {
  /// A GDAL geometry, freed together with the object.
  private final class Shape {
    let handle: OGRGeometryH

    init?(_ handle: OGRGeometryH?) {
      guard let handle else { return nil }
      self.handle = handle
    }

    deinit { OGR_G_DestroyGeometry(handle) }

    static func wkt(_ text: String) -> Shape? {
      var copy = Array(text.utf8CString)
      return copy.withUnsafeMutableBufferPointer { buffer in
        var handle: OGRGeometryH?
        var start = buffer.baseAddress
        guard OGR_G_CreateFromWkt(&start, nil, &handle) == OGRERR_NONE else { return nil }
        return Shape(handle)
      }
    }

    static func wkb(_ bytes: [UInt8]) -> Shape? {
      var handle: OGRGeometryH?
      guard OGR_G_CreateFromWkb(bytes, nil, &handle, Int32(bytes.count)) == OGRERR_NONE else {
        return nil
      }
      return Shape(handle)
    }

    func bytes(_ order: OGRwkbByteOrder = wkbNDR) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: Int(OGR_G_WkbSize(handle)))
      #expect(OGR_G_ExportToIsoWkb(handle, order, &bytes) == OGRERR_NONE)
      return bytes
    }

    var wkt: String {
      var text: UnsafeMutablePointer<CChar>?
      #expect(OGR_G_ExportToIsoWkt(handle, &text) == OGRERR_NONE)
      defer { VSIFree(text) }
      return text.map { String(cString: $0) } ?? ""
    }

    var geoJSON: String {
      let options = CSLSetNameValue(nil, "SIGNIFICANT_FIGURES", "17")
      defer { CSLDestroy(options) }
      let text = OGR_G_ExportToJsonEx(handle, options)
      defer { VSIFree(text) }
      return text.map { String(cString: $0) } ?? ""
    }
  }

  private func geoJSON(_ geometry: Geometry) -> String {
    var text = TextBuffer()
    GeoJSONGeometry.append(geometry, to: &text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// GDAL's text reader does not accept some shapes, among them rings and lines without vertices
  /// and areas without rings.
  private func isRead(_ geometry: Geometry) -> Bool {
    switch geometry {
    case .polygon(let polygon):
      polygon.rings.allSatisfy { !$0.isEmpty } && polygon.parts.allSatisfy { !$0.isEmpty }
    case .polyline(let polyline): polyline.parts.allSatisfy { !$0.isEmpty }
    default: true
    }
  }

  @Test(arguments: 70..<74) func wellKnownTextAndBinary(_ seed: UInt64) throws {
    var random = RandomGeometry(seed: seed)
    // GDAL does not read NaN in text.
    random.hasGaps = false
    for _ in 0..<400 {
      let geometry = random.any()
      guard isRead(geometry) else { continue }
      let expected = bits(geometry)
      let text = try WKTGeometry.encode(geometry)
      let fromText = try #require(Shape.wkt(text), "\(text)")
      #expect(bits(try WKBGeometry.decode(fromText.bytes())) == expected, "\(text)")
      #expect(bits(try WKBGeometry.decode(fromText.bytes(wkbXDR))) == expected)
      let fromBytes = try #require(Shape.wkb(try WKBGeometry.encode(geometry)), "\(text)")
      #expect(bits(try WKBGeometry.decode(fromBytes.bytes())) == expected, "\(text)")
      // GDAL writes 15 digits, so both read GDAL's text.
      let written = fromBytes.wkt
      let again = try #require(Shape.wkt(written))
      #expect(
        bits(try WKTGeometry.decode(written)) == bits(try WKBGeometry.decode(again.bytes())),
        "\(written)")
    }
  }

  @Test(arguments: 80..<84) func geoJSON(_ seed: UInt64) throws {
    var random = RandomGeometry(seed: seed)
    random.hasGaps = false
    for _ in 0..<400 {
      let geometry = random.any()
      guard isRead(geometry), !geometry.isEmpty, geometry.vertices.m == nil else { continue }
      let text = geoJSON(geometry)
      let shape = try #require(Shape(OGR_G_CreateGeometryFromJson(text)), "\(text)")
      #expect(bits(try WKBGeometry.decode(shape.bytes())) == bits(geometry), "\(text)")
      let written = shape.geoJSON
      let again = try #require(Shape(OGR_G_CreateGeometryFromJson(written)))
      #expect(
        bits(try GeoJSONGeometry.decode(written)) == bits(try WKBGeometry.decode(again.bytes())),
        "\(written)")
    }
  }

  @Test(arguments: 90..<94) func esriJSON(_ seed: UInt64) throws {
    var random = RandomGeometry(seed: seed)
    random.hasGaps = false
    for _ in 0..<400 {
      var geometry = random.any()
      guard geometry.dimension < 2, !geometry.isEmpty else { continue }
      // GDAL omits the measure of points.
      if case .point(var point) = geometry {
        point.m = nil
        geometry = .point(point)
      }
      let text = try EsriJSONGeometry.encode(geometry)
      let shape = try #require(Shape(OGR_G_CreateGeometryFromEsriJson(text)), "\(text)")
      #expect(bits(try WKBGeometry.decode(shape.bytes())) == bits(geometry), "\(text)")
    }
  }

  /// GDAL sorts rings by geometry alone; the number of parts and the area must be the same.
  @Test(arguments: 100..<104) func esriRings(_ seed: UInt64) throws {
    var random = RandomGeometry(seed: seed)
    // GDAL does not accept null in a vertex.
    random.hasGaps = false
    for _ in 0..<100 {
      let polygon = random.islands()
      let text = try EsriJSONGeometry.encode(.polygon(polygon))
      let shape = try #require(Shape(OGR_G_CreateGeometryFromEsriJson(text)), "\(text)")
      let isMulti = OGR_GT_Flatten(OGR_G_GetGeometryType(shape.handle)) == wkbMultiPolygon
      let count = isMulti ? Int(OGR_G_GetGeometryCount(shape.handle)) : 1
      #expect(count == polygon.partEnds.count, "\(text)")
      let ours = try #require(Shape.wkb(try WKBGeometry.encode(.polygon(polygon))))
      #expect(abs(OGR_G_Area(shape.handle) - OGR_G_Area(ours.handle)) < 1e-9)
    }
  }

  @Test(.enabled(if: TestPaths.data != nil, "the shared data are absent: set PLUMB_TEST_DATA"))
  func realShapesGoThroughEveryFormat() throws {
    GDALLibrary.start()
    let path = try #require(TestPaths.data) + "/vector/poly.shp"
    let source = try #require(
      GDALOpenEx(path, UInt32(GDAL_OF_VECTOR), nil, nil, nil), "\(path) opens")
    defer { GDALClose(source) }
    let layer = try #require(GDALDatasetGetLayer(source, 0))
    var count = 0
    while let feature = OGR_L_GetNextFeature(layer) {
      defer { OGR_F_Destroy(feature) }
      guard let shape = Shape(OGR_G_Clone(OGR_F_GetGeometryRef(feature))) else { continue }
      let geometry = try #require(try WKBGeometry.decode(shape.bytes(), reference: .wgs84))
      #expect(bits(try GeoJSONGeometry.decode(geoJSON(geometry))) == bits(geometry))
      #expect(bits(try WKTGeometry.decode(try WKTGeometry.encode(geometry))) == bits(geometry))
      let esri = try EsriJSONGeometry.encode(geometry)
      #expect(try EsriJSONGeometry.decode(esri) { _ in .wgs84 } == geometry)
      let back = try #require(Shape.wkb(try WKBGeometry.encode(geometry)))
      #expect(OGR_G_Area(back.handle) == OGR_G_Area(shape.handle))
      count += 1
    }
    #expect(count == 10)
  }
}
