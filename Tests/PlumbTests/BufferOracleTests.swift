import CGDAL
import Foundation
import Plumb
import PlumbTestSupport
import Testing

@testable import PlumbGDAL

/// Compares complete buffer runs with OGR's buffers of the same features.
@Suite(.enabled(if: TestPaths.data != nil, "the shared data are absent: set PLUMB_TEST_DATA"))
struct BufferOracleTests {
  /// A layer opened with OGR.
  private final class Layer {
    let dataset: GDALDatasetH
    let handle: OGRLayerH

    init(_ path: String) throws {
      GDALLibrary.start()
      dataset = try #require(
        GDALOpenEx(path, UInt32(GDAL_OF_VECTOR | GDAL_OF_READONLY), nil, nil, nil))
      handle = try #require(GDALDatasetGetLayer(dataset, 0))
    }

    deinit { GDALClose(dataset) }

    func forEach(_ body: (OGRFeatureH) throws -> Void) rethrows {
      OGR_L_ResetReading(handle)
      while let feature = OGR_L_GetNextFeature(handle) {
        defer { OGR_F_Destroy(feature) }
        try body(feature)
      }
    }
  }

  private func vector(_ name: String) throws -> String {
    try #require(TestPaths.data) + "/vector/" + name
  }

  /// Rule: there is one output feature per input feature, in order; attributes and their types are
  /// kept; the area equals OGR's within a factor of 1e-9.
  @Test(arguments: [
    ("naturalearth/datasets/naturalearth_lowres/naturalearth_lowres.shp", 0.5),
    ("naturalearth/datasets/naturalearth_lowres/naturalearth_lowres.shp", -0.5),
    ("naturalearth/datasets/naturalearth_cities/naturalearth_cities.shp", 0.25),
    ("nc_gpkg/nc.gpkg", 0.05), ("nc_gpkg/buildings.gpkg", 7.5), ("nc_gpkg/buildings.gpkg", -2),
    ("poly.shp", 20),
  ])
  func areas(name: String, distance: Double) throws {
    let path = try vector(name)
    let folder = try TemporaryFolder()
    var options = BatchBuffer.Options(.file(path), distances: .list([distance]))
    options.output = folder.path("out.gpkg")
    options.workers = Workers(count: 3)
    let count = try BatchBuffer(options).run()
    var wanted: [(OGRGeometryH?, [String])] = []
    defer { for (geometry, _) in wanted { OGR_G_DestroyGeometry(geometry) } }
    let input = try Layer(path)
    input.forEach { feature in
      let buffer = OGR_F_GetGeometryRef(feature).flatMap { OGR_G_Buffer($0, distance, 32) }
      wanted.append((buffer, Self.attributes(feature)))
    }
    #expect(count == wanted.count && count > 0)
    let output = try Layer(folder.path("out.gpkg"))
    var row = 0
    output.forEach { feature in
      let (expected, attributes) = wanted[row]
      #expect(Self.attributes(feature) == attributes, "row \(row)")
      if let expected, OGR_G_IsEmpty(expected) == 0, let written = OGR_F_GetGeometryRef(feature) {
        #expect(OGR_G_IsValid(written) != 0)
        let rest = OGR_G_SymDifference(written, expected)
        defer { OGR_G_DestroyGeometry(rest) }
        #expect(
          rest.map { OGR_G_Area($0) } ?? .infinity <= 1e-9 * OGR_G_Area(expected), "row \(row)")
      } else {
        let isEmpty = expected.map { OGR_G_IsEmpty($0) != 0 } ?? true
        #expect(isEmpty && OGR_F_GetGeometryRef(feature) == nil, "row \(row)")
      }
      row += 1
    }
    #expect(row == wanted.count)
  }

  /// Name, type and text of each attribute.
  private static func attributes(_ feature: OGRFeatureH) -> [String] {
    (0..<OGR_F_GetFieldCount(feature)).map { index in
      let definition = OGR_F_GetFieldDefnRef(feature, index)
      let name = OGR_Fld_GetNameRef(definition).map { String(cString: $0) } ?? ""
      let text = OGR_F_GetFieldAsString(feature, index).map { String(cString: $0) } ?? ""
      // The text of a real depends on the field width, which a GeoPackage does not store.
      let isReal = OGR_Fld_GetType(definition) == OFTReal
      return "\(name) \(OGR_Fld_GetType(definition).rawValue) "
        + (isReal ? OGR_F_GetFieldAsDouble(feature, index).description : text)
    }
  }

  /// Rule: a union is a single area of all buffers.
  @Test func union() throws {
    let path = try vector("poly.shp")
    let folder = try TemporaryFolder()
    var options = BatchBuffer.Options(.file(path), distances: .list([50, 10]))
    options.isUnion = true
    options.output = folder.path("out.gpkg")
    #expect(try BatchBuffer(options).run() == 10)
    var expected = try #require(OGR_G_CreateGeometry(wkbMultiPolygon))
    defer { OGR_G_DestroyGeometry(expected) }
    var distance = 50.0
    try Layer(path).forEach { feature in
      let buffer = try #require(OGR_G_Buffer(OGR_F_GetGeometryRef(feature), distance, 32))
      defer { OGR_G_DestroyGeometry(buffer) }
      let joined = try #require(OGR_G_Union(expected, buffer))
      OGR_G_DestroyGeometry(expected)
      (expected, distance) = (joined, 10)
    }
    var count = 0
    try Layer(folder.path("out.gpkg")).forEach { feature in
      count += 1
      #expect(OGR_F_GetFieldCount(feature) == 0)
      let rest = try #require(OGR_G_SymDifference(OGR_F_GetGeometryRef(feature), expected))
      defer { OGR_G_DestroyGeometry(rest) }
      #expect(OGR_G_Area(rest) <= 1e-9 * OGR_G_Area(expected))
    }
    #expect(count == 1)
  }

  /// Rule: x is the easting or the longitude, regardless of the layer's axis order.
  @Test func northingFirst() throws {
    for text in ["LINESTRING ZM (50 8 1 2,51 9 3 4)", "MULTIPOINT (50 8,51 9)"] {
      for isSwapped in [false, true] {
        let bytes = strdup(text)
        defer { free(bytes) }
        var cursor = bytes
        var shape: OGRGeometryH?
        #expect(OGR_G_CreateFromWkt(&cursor, nil, &shape) == OGRERR_NONE)
        defer { OGR_G_DestroyGeometry(shape) }
        var collector = VectorShape(isSwapped: isSwapped)
        try collector.add(try #require(shape))
        let vertices = try #require(try collector.geometry(nil)).vertices
        #expect(vertices.xy == (isSwapped ? [[8, 50], [9, 51]] : [[50, 8], [51, 9]]))
        #expect(vertices.z == (text.contains("ZM") ? [1, 3] : nil))
        #expect(vertices.m == (text.contains("ZM") ? [2, 4] : nil))
      }
    }
  }
}
