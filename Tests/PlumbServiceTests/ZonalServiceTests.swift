import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// `POST /api/zonal`, and statistics and histograms of image services.
@Suite struct ZonalServiceTests {
  /// A raster of 4 × 4 cells of 1 m with the values 1 to 16, row by row from the top; 6 is nodata.
  private static func service(_ folder: TemporaryFolder) throws -> TestService {
    let rows = (0..<4).map { row in
      (0..<4).map { "\(row * 4 + $0 + 1)" }.joined(separator: " ")
    }
    try folder.write(
      "v.asc",
      "ncols 4\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value 6\n"
        + rows.joined(separator: "\n") + "\n")
    try folder.write(
      "v.prj",
      #"PROJCS["WGS 84 / UTM zone 33N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84","#
        + #"6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],"#
        + #"PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],"#
        + #"PARAMETER["central_meridian",15],PARAMETER["scale_factor",0.9996],"#
        + #"PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1]]"#)
    try folder.write(
      "map.json",
      #"{"operationalLayers":[{"id":"v","layerType":"RasterLayer","url":"v.asc"}],"#
        + #""version":"2.31"}"#)
    return try TestService(maps: [folder.path("map.json")])
  }

  private static func body(
    _ coordinates: String, _ options: String = "", raster: String = "n=map_0"
  ) -> String {
    #"{"rasters":["\#(raster)"],"crs":"EPSG:32633","features":{"type":"FeatureCollection","features":[{"#
      + #""type":"Feature","properties":{"id":7},"geometry":{"type":"Polygon","coordinates":["#
      + "[\(coordinates)]]}}]}\(options)}"
  }

  /// Cells 1, 2, 5 and half of 3 and 7; cell 6 does not have a value.
  private static let area = "[0,4],[2.5,4],[2.5,2],[0,2],[0,4]"

  @Test func statisticsOfAreasInRequests() throws {
    let folder = try TemporaryFolder()
    let service = try Self.service(folder)
    let reply = service.api(
      "zonal",
      Self.body(Self.area, #","stat":"count,sum,mean,max,median,weighted_sum","weights":"map_0""#))
    #expect(reply.status == 200)
    let properties = try TestService.object(reply).list("features")[0].object("properties")
    #expect(properties["id"] as? Int == 7)
    #expect(properties["n_count"] as? Double == 4)
    #expect(properties["n_sum"] as? Double == 1 + 2 + 5 + 3.0 / 2 + 7.0 / 2)
    #expect(properties["n_mean"] as? Double == 13.0 / 4)
    #expect(properties["n_max"] as? Int ?? -1 == 7)
    #expect(properties["n_weighted_sum"] as? Double == 1 + 4 + 25 + 9.0 / 2 + 49.0 / 2)
    #expect(properties["n_status"] as? String == "partial")
    #expect(properties["n_valid_fraction"] as? Double == 0.8)
    let table = service.api("zonal", Self.body(Self.area, #","format":"csv","stat":"count""#))
    #expect(
      String(decoding: try table.bytes(), as: UTF8.self)
        == "id,n_count,n_status,n_valid_fraction\n7,4.0,partial,0.8\n")
  }

  @Test(arguments: [
    (#","stat":"nope""#, 400), (#","format":"gpkg""#, 400), (#","areas":"/etc/passwd""#, 400),
    (#","weights":"/etc/passwd","stat":"weighted_mean""#, 404), (#","radius":"5px""#, 400),
    (#","output":"x""#, 400), (#","rasters":["n=map_0"]"#, 400),
  ])
  func invalidRequestsAreErrors(options: String, status: Int) throws {
    let folder = try TemporaryFolder()
    let service = try Self.service(folder)
    #expect(service.api("zonal", Self.body(Self.area, options)).status == status)
    #expect(service.api("zonal", Self.body(Self.area, raster: "map_9")).status == 404)
  }

  /// Areas whose edges cross often are an error in every format, with the status of a limit.
  @Test(arguments: ["geojson", "csv"])
  func crossingsOfAreasAreBounded(format: String) throws {
    let folder = try TemporaryFolder()
    let service = try Self.service(folder)
    let teeth = (0..<300).map { Double($0) / 75 }
    let upright = teeth.map { "[\($0),0],[\($0),4]" }
    let level = teeth.map { "[0,\($0)],[4,\($0)]" }
    let ring = (upright + level + ["[0,0]"]).joined(separator: ",")
    let reply = service.api("zonal", Self.body(ring, #","format":"\#(format)""#))
    let text = String(decoding: try reply.bytes(), as: UTF8.self)
    #expect(reply.status == 400 && text.contains(#""code":"limit""#), "\(text)")
    #expect(text.contains("edges cross more than"), "\(text)")
  }

  @Test func unknownServicesAreNotFound() throws {
    let folder = try TemporaryFolder()
    let service = try Self.service(folder)
    let body = Self.body(Self.area).replacing("n=map_0", with: "/etc/passwd")
    #expect(service.api("zonal", body).status == 404)
    #expect(service.api("zonal", #"{"rasters":["map_0"]}"#).status == 400)
  }

  @Test func statisticsAndHistogramsOfImageServices() throws {
    let folder = try TemporaryFolder()
    let service = try Self.service(folder)
    let parameters = [
      "geometry": #"{"rings":[[[0,4],[2.5,4],[2.5,2],[0,2],[0,4]]]}"#,
      "geometryType": "esriGeometryPolygon",
    ]
    let both = try service.json(
      "map_0/ImageServer/computeStatisticsHistograms", parameters)
    let statistics = try both.list("statistics")[0]
    #expect(statistics["count"] as? Double == 4)
    #expect(statistics["mean"] as? Double == 13.0 / 4)
    #expect((statistics["min"] as? NSNumber)?.doubleValue == 1)
    #expect((statistics["max"] as? NSNumber)?.doubleValue == 7)
    #expect((statistics["mode"] as? NSNumber)?.doubleValue == 5)
    let squares = (1.0 + 4 + 25 + 9.0 / 2 + 49.0 / 2) / 4 - 13.0 * 13 / 16
    let deviation = try #require(statistics["standardDeviation"] as? Double)
    #expect(abs(deviation - squares.squareRoot()) < 1e-12)
    for reply in [
      both, try service.json("map_0/ImageServer/computeHistograms", parameters),
    ] {
      let histogram = try reply.list("histograms")[0]
      let counts = try #require(histogram["counts"] as? [Double])
      #expect(histogram["size"] as? Int == 256)
      #expect(counts.reduce(0, +) == 4)
      #expect((counts.first, counts.last) == (1, 0.5))
    }
    let envelope = try service.json(
      "map_0/ImageServer/computeStatisticsHistograms", ["geometry": "0,0,4,4"])
    #expect(try envelope.list("statistics")[0]["count"] as? Double == 15)
    for geometry in ["", "1,1", #"{"rings":[[[0,0],[0,0],[0,0]]]}"#] {
      let failure = try service.json(
        "map_0/ImageServer/computeHistograms", ["geometry": geometry]
      ).failure()
      #expect(failure.code == 400)
    }
  }
}
