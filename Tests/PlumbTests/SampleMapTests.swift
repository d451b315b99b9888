import CGDAL
import Foundation
import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

/// The sample map in `rasters/`, checked with OGR, GEOS, the sample rasters and Foundation.
@Suite struct SampleMapTests {
  // MARK: Features

  /// A feature's geometry and attributes, read by OGR.
  private final class Feature {
    let handle: OGRFeatureH
    init(_ handle: OGRFeatureH) { self.handle = handle }
    deinit { OGR_F_Destroy(handle) }

    var shape: OGRGeometryH? { OGR_F_GetGeometryRef(handle) }
    var kind: OGRwkbGeometryType { OGR_G_GetGeometryType(shape) }

    private func index(_ name: String) throws -> Int32 {
      let index = OGR_F_GetFieldIndex(handle, name)
      try #require(index >= 0, "no field \(name)")
      return index
    }
    func isNull(_ name: String) throws -> Bool { OGR_F_IsFieldNull(handle, try index(name)) != 0 }
    func number(_ name: String) throws -> Double {
      try #require(try !isNull(name))
      return OGR_F_GetFieldAsDouble(handle, try index(name))
    }
    func text(_ name: String) throws -> String {
      String(cString: OGR_F_GetFieldAsString(handle, try index(name)))
    }

    /// The points of each line of a LineString or MultiLineString.
    var lines: [[SIMD2<Double>]] {
      let parts = OGR_G_GetGeometryCount(shape)
      let all = parts == 0 ? [shape] : (0..<parts).map { OGR_G_GetGeometryRef(shape, $0) }
      return all.map { line in
        (0..<OGR_G_GetPointCount(line)).map { SIMD2(OGR_G_GetX(line, $0), OGR_G_GetY(line, $0)) }
      }
    }

    var envelope: OGREnvelope {
      var box = OGREnvelope()
      OGR_G_GetEnvelope(shape, &box)
      return box
    }
  }

  private static func features(_ name: String, _ types: [String: OGRFieldType]) throws -> [Feature]
  {
    GDALLibrary.start()
    let path = TestPaths.rasters + "/\(name).geojson"
    let dataset = try #require(GDALOpenEx(path, UInt32(GDAL_OF_VECTOR), nil, nil, nil))
    defer { GDALClose(dataset) }
    let layer = try #require(GDALDatasetGetLayerByName(dataset, name))
    let definition = try #require(OGR_L_GetLayerDefn(layer))
    #expect(Int(OGR_FD_GetFieldCount(definition)) == types.count)
    for (field, type) in types {
      let index = OGR_FD_GetFieldIndex(definition, field)
      try #require(index >= 0, "\(name) has no \(field)")
      #expect(OGR_Fld_GetType(OGR_FD_GetFieldDefn(definition, index)) == type, "\(field)")
    }
    var result: [Feature] = []
    while let handle = OGR_L_GetNextFeature(layer) { result.append(Feature(handle)) }
    // All points are on the map, whose extent is within the EVI, the heights and the land cover.
    for feature in result {
      #expect(OGR_G_IsValid(feature.shape) != 0, "\(name)")
      let box = feature.envelope
      #expect(box.MinX >= 18.22 && box.MaxX <= 19.24 && box.MinY >= -34.39 && box.MaxY <= -33.61)
    }
    return result
  }

  /// The heights of the sample's cells at points; nil for a void.
  private static func heights(_ points: [SIMD2<Double>]) throws -> [Int64?] {
    let rasters = try [Raster].open([TestPaths.rasters + "/dem"])
    let identifier = try RasterIdentifier(rasters, reference: SpatialReference("EPSG:4326"))
    let answer = identifier.sample(x: points.map(\.x), y: points.map(\.y))[0]
    return points.indices.map { row in
      if case .signed(let height) = answer.columns[0][row] { return height }
      return nil
    }
  }

  @Test("places: kinds, nulls, and elevations that match the heights") func points() throws {
    let points = try Self.features(
      "places", ["NAME": OFTString, "KIND": OFTString, "POP": OFTInteger, "ELEV": OFTInteger])
    #expect((40...80).contains(points.count))
    #expect(points.allSatisfy { $0.kind == wkbPoint })
    #expect(Set(try points.map { try $0.text("NAME") }).count == points.count)
    #expect(
      Set(try points.map { try $0.text("KIND") })
        == ["city", "town", "suburb", "village", "harbour", "island"])
    let nulls = try points.filter { try $0.isNull("POP") }.count
    #expect(nulls > 3 && nulls < points.count / 2)
    for point in points {
      // The ground may vary within a cell, so its height is in the range of the nine surrounding
      // cells.
      let (x, y) = (point.envelope.MinX, point.envelope.MinY)
      let steps = [-0.0025, 0, 0.0025]
      let around = try Self.heights(steps.flatMap { dx in steps.map { SIMD2(x + dx, y + $0) } })
        .compactMap { $0 }
      let height = Int64(try point.number("ELEV"))
      let low = try #require(around.min()), high = try #require(around.max())
      let name = try point.text("NAME")
      #expect(height >= low - 6 && height <= high + 6, "\(name)")
      #expect(height > 0)
    }
  }

  @Test("rivers descend at every vertex and end in the sea, a vlei, a river or at the edge")
  func rivers() throws {
    let rivers = try Self.features(
      "rivers", ["NAME": OFTString, "ORDER": OFTInteger, "LENGTH_KM": OFTReal])
    #expect((10...20).contains(rivers.count))
    #expect(
      Set(rivers.map(\.kind.rawValue)) == [wkbLineString.rawValue, wkbMultiLineString.rawValue])
    #expect(Set(try rivers.map { try $0.number("ORDER") }).count >= 3)
    let vleis = try Self.lakes().filter { try $0.text("KIND") == "vlei" }
    var vertices: Set<SIMD2<Double>> = []
    for river in rivers {
      var length = 0.0
      for line in river.lines {
        let heights = try Self.heights(line).compactMap { $0 }
        // The centres of cells have the heights of the terrain, in whole metres.
        for (above, below) in zip(heights, heights.dropFirst()) { #expect(above >= below) }
        let (first, last) = (try #require(heights.first), try #require(heights.last))
        #expect(first > last)
        let end = try #require(line.last)
        let isEdge =
          min(end.x - 18.22, 19.24 - end.x, end.y + 34.39, -33.61 - end.y) < 0.0025
        let point = OGR_G_CreateGeometry(wkbPoint)
        defer { OGR_G_DestroyGeometry(point) }
        OGR_G_SetPoint_2D(point, 0, end.x, end.y)
        let isEnd =
          vertices.contains(end) || heights.last == 0 || isEdge
          || vleis.contains { OGR_G_Contains($0.shape, point) != 0 }
        #expect(isEnd, "a river ends at \(end)")
        vertices.formUnion(line)
        length += try GeometryEngine.length(
          of: .polyline(Polyline(VertexList(line), spatialReference: .wgs84)), measure: .geodesic())
      }
      let written = try river.number("LENGTH_KM")
      #expect((written - length / 1000).magnitude < 0.02)
    }
  }

  private static func lakes() throws -> [Feature] {
    try features("dams", ["NAME": OFTString, "KIND": OFTString, "AREA_KM2": OFTReal])
  }

  @Test("wards tile the land: they share edges, do not overlap, and one fills another's hole")
  func wards() throws {
    let wards = try Self.features(
      "wards",
      ["WARD": OFTInteger, "NAME": OFTString, "POP": OFTInteger, "DENSITY": OFTReal])
    #expect((30...60).contains(wards.count))
    #expect(try wards.map { Int(try $0.number("WARD")) } == Array(1...wards.count))
    #expect(wards.contains { $0.kind == wkbMultiPolygon })
    let sum = wards.reduce(0) { $0 + OGR_G_Area($1.shape) }
    let parts = OGR_G_CreateGeometry(wkbMultiPolygon)
    defer { OGR_G_DestroyGeometry(parts) }
    for ward in wards {
      let count = ward.kind == wkbMultiPolygon ? OGR_G_GetGeometryCount(ward.shape) : 0
      if count == 0 { OGR_G_AddGeometry(parts, ward.shape) }
      for part in 0..<count { OGR_G_AddGeometry(parts, OGR_G_GetGeometryRef(ward.shape, part)) }
    }
    let union = try #require(OGR_G_UnionCascaded(parts))
    defer { OGR_G_DestroyGeometry(union) }
    #expect((OGR_G_Area(union) - sum).magnitude < 1e-9)
    // There are no gaps: the pieces of land have no holes.
    for index in 0..<OGR_G_GetGeometryCount(union) {
      #expect(OGR_G_GetGeometryCount(OGR_G_GetGeometryRef(union, index)) == 1)
    }
    var filled = 0
    for ward in wards where ward.kind == wkbPolygon {
      for ring in 1..<max(1, OGR_G_GetGeometryCount(ward.shape)) {
        let hole = try #require(OGR_G_CreateGeometry(wkbPolygon))
        defer { OGR_G_DestroyGeometry(hole) }
        OGR_G_AddGeometry(hole, OGR_G_GetGeometryRef(ward.shape, ring))
        let isFilled = wards.contains { other in
          let rest = OGR_G_SymDifference(other.shape, hole)
          defer { OGR_G_DestroyGeometry(rest) }
          return OGR_G_Area(rest) < 1e-12
        }
        if isFilled { filled += 1 }
      }
    }
    #expect(filled >= 1)
    for ward in wards {
      // The map's edges are parallels in the generator's sum but geodesics here. They are some
      // metres apart in the middle of an edge of 25 km.
      let area = try Self.squareKilometres(ward)
      let density = try ward.number("DENSITY")
      let people = try ward.number("POP")
      #expect((people / area - density).magnitude < 0.06 + density * 1.5e-3)
    }
  }

  @Test("lakes, trails and clinics") func others() throws {
    let lakes = try Self.lakes()
    #expect(Set(try lakes.map { try $0.text("KIND") }) == ["dam", "vlei"])
    for lake in lakes {
      let area = try lake.number("AREA_KM2")
      let measured = try Self.squareKilometres(lake)
      #expect((measured - area).magnitude < 0.001 + area * 5e-4)
    }
    let trails = try Self.features(
      "trails", ["NAME": OFTString, "LENGTH_KM": OFTReal, "CLIMB_M": OFTInteger])
    #expect(trails.count > 5 && trails.allSatisfy { $0.kind == wkbLineString })
    let clinics = try Self.features(
      "clinics", ["NAME": OFTString, "BEDS": OFTInteger, "OPEN_24H": OFTInteger])
    #expect(clinics.count > 10 && clinics.allSatisfy { $0.kind == wkbPoint })
  }

  /// The geodesic area of a feature, by PROJ.
  private static func squareKilometres(_ feature: Feature) throws -> Double {
    let parts = feature.kind == wkbPolygon ? 0 : OGR_G_GetGeometryCount(feature.shape)
    let polygons =
      parts == 0 ? [feature.shape] : (0..<parts).map { OGR_G_GetGeometryRef(feature.shape, $0) }
    var sum = 0.0
    for polygon in polygons {
      for index in 0..<OGR_G_GetGeometryCount(polygon) {
        let ring = OGR_G_GetGeometryRef(polygon, index)
        let xy = (0..<OGR_G_GetPointCount(ring)).map {
          SIMD2(OGR_G_GetX(ring, $0), OGR_G_GetY(ring, $0))
        }
        let area = try GeometryEngine.area(
          of: .polygon(Polygon(VertexList(xy), spatialReference: .wgs84)), measure: .geodesic())
        sum += (index == 0 ? 1 : -1) * area.magnitude / 1e6
      }
    }
    return sum
  }

  // MARK: Documents

  private static func object(_ name: String) throws -> [String: Any] {
    let data = try Data(contentsOf: URL(fileURLWithPath: TestPaths.rasters + "/" + name))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test("the map document names its layers from the bottom up, and files that exist")
  func document() throws {
    let layers = try #require(try Self.object("cape.json")["operationalLayers"] as? [[String: Any]])
    let ids = layers.compactMap { $0["id"] as? String }
    #expect(ids == ["dem", "evi", "land_cover", "services", "gas", "wards", "rivers", "places"])
    #expect(layers.compactMap { $0["title"] as? String } == ids)
    for layer in layers {
      let url = try #require(layer["url"] as? String)
      #expect(FileManager.default.fileExists(atPath: TestPaths.rasters + "/" + url), "\(url)")
    }
    for layer in layers.suffix(3) {
      let popup = try #require(layer["popupInfo"] as? [String: Any])
      #expect(popup["fieldInfos"] is [[String: Any]])
    }
  }

  @Test("the services nest three levels deep, and name files that exist") func services() throws {
    let layers = try #require(try Self.object("cape_services.json")["layers"] as? [[String: Any]])
    var depths: [Int: Int] = [-1: 0]
    for (index, layer) in layers.enumerated() {
      #expect(layer["id"] as? Int == index)
      let parent = try #require(layer["parentLayerId"] as? Int)
      depths[index] = try #require(depths[parent]) + 1
      if parent >= 0 {
        #expect((layers[parent]["subLayerIds"] as? [Int])?.contains(index) == true)
      }
      let source = (layer["source"] as? [String: Any])?["path"] ?? layer["source"]
      if layer["type"] as? String == "Group Layer" {
        #expect(source == nil)
      } else {
        let path = try #require(source as? String)
        #expect(FileManager.default.fileExists(atPath: TestPaths.rasters + "/" + path), "\(path)")
      }
    }
    #expect(depths.values.max() == 3)
  }
}
