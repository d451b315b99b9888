import Foundation
import Plumb
import PlumbGDAL
import PlumbService
import PlumbTestSupport
import Testing

/// A raster layer with dates in all interfaces of a server. The Python package's tests compare the
/// values with those of rasterio, and the rows with those of the command.
@Suite struct DatedLayerTests {
  private let folder: TemporaryFolder
  private let service: TestService
  private static let days = ["2025-01-01", "2025-01-17", "2025-02-02"]

  init() throws {
    folder = try TemporaryFolder()
    service = try Self.service(in: folder) { number, cell in
      // The first cell of the second date has no value.
      Int16(number == 1 && cell == 0 ? 0 : (number + 1) * 100 + cell)
    }
  }

  /// A map of a layer with three dates.
  ///
  /// - Parameter value: the value of a cell by the index of the date and the index of the cell.
  private static func service(
    in folder: TemporaryFolder, value: (Int, Int) -> Int16
  ) throws -> TestService {
    for (number, day) in ["2025001", "2025017", "2025033"].enumerated() {
      var writer = try RasterWriter(
        path: folder.path("evi_\(day).tif"), width: 4, height: 3, bandCount: 1, pixelType: .int16,
        options: [])
      try writer.setGeotransform([500_000, 100, 0, 6_000_000, 0, -100])
      try writer.setReference("EPSG:32734")
      try writer.setNodata(.double(0))
      try writer.write((0..<12).map { value(number, $0) }, band: 1)
      try writer.close()
    }
    try folder.write(
      "map.json",
      #"{"operationalLayers":[{"id":"evi","title":"evi","layerType":"RasterLayer","#
        + #""url":"evi_*.tif","dates":"evi_%Y%j"}],"version":"2.31"}"#)
    return try TestService(maps: [folder.path("map.json")])
  }

  /// The centre of the second cell of the first row.
  private static let point = "POINT(500150 5999950)"

  private func coverage(_ datetime: String?) throws -> [String: Any] {
    var parameters = ["coords": Self.point, "crs": "EPSG:32734"]
    parameters["datetime"] = datetime
    return try service.ogcJSON("/collections/map.evi/position", parameters)
  }

  @Test(
    arguments: [
      (nil, 2...2), ("2025-01-17", 1...1), ("2025-01-17T23:00:00Z", 1...1),
      ("2025-01-02/..", 1...2),
      ("../2025-01-17", 0...1), ("2025-01-01/2025-12-31", 0...2),
    ] as [(String?, ClosedRange<Int>)])
  func coveragesHaveTheDatesOfTheRequest(datetime: String?, dates: ClosedRange<Int>) throws {
    let coverage = try coverage(datetime)
    let domain = try coverage.object("domain")
    let axis = try domain.object("axes").object("t")
    #expect(axis["values"] as? [String] == dates.map { Self.days[$0] })
    #expect(domain["domainType"] as? String == (dates.count == 1 ? "Point" : "PointSeries"))
    let range = try coverage.object("ranges").object("Band_0")
    #expect(range["values"] as? [Int] == dates.map { ($0 + 1) * 100 + 1 })
    #expect(range["axisNames"] as? [String] == (dates.count == 1 ? nil : ["t"]))
  }

  @Test func aTimeWithoutADateIsNotFound() throws {
    for datetime in ["2025-01-16", "2025-01-18/2025-02-01", "2030-01-01/.."] {
      let detail = try service.problem(
        "/collections/map.evi/position",
        ["coords": Self.point, "crs": "EPSG:32734", "datetime": datetime], status: 404)
      #expect(detail.contains("2025-01-01 to 2025-02-02"))
    }
  }

  @Test func theCollectionHasAnExtentInTime() throws {
    let temporal = try service.ogcJSON("/collections/map.evi").object("extent").object("temporal")
    #expect(temporal["values"] as? [String] == Self.days)
    let interval = try #require((temporal["interval"] as? [[String]])?.first)
    #expect(
      interval.map { String($0.prefix(19)) } == ["2025-01-01T00:00:00", "2025-02-02T23:59:59"])
  }

  @Test func imageServicesSelectDatesByTime() throws {
    let path = "map_0/ImageServer"
    #expect(
      try service.json(path).object("timeInfo")["timeExtent"] as? [Int64]
        == [1_735_689_600_000, 1_738_540_799_999])
    let point = ["geometry": "500150,5999950", "geometryType": "esriGeometryPoint"]
    for (time, values) in [
      (nil, ["301"]), ("1737100000000", ["201"]), ("1735689600000,1737158400000", ["201", "101"]),
      ("null,1735776000000", ["101"]), ("1735900000000", []),
    ] as [(String?, [String])] {
      var parameters = point
      parameters["time"] = time
      let found = try service.json(path + "/identify", parameters)
      #expect(found["value"] as? String == values.first ?? "NoData", "\(time ?? "")")
      #expect(try found.object("properties")["Values"] as? [String] == values)
      let samples = try service.json(path + "/getSamples", parameters).list("samples")
      let sample = try #require(samples.first)
      #expect(sample["value"] as? String == values.first ?? "NoData")
    }
  }

  private static let view = ["bbox": "500000,5999700,500400,6000000", "size": "80,60"]

  @Test(
    arguments: [
      (nil, 2), ("2025-01-01", 0), ("2025-01-09", 0), ("2025-01-10", 1), ("1999-12-31", 0),
      ("2025-01-17T23:00:00Z", 1), (" 2025-02-02 ", 2), ("", 2), ("2031-01-01", 2),
    ] as [(String?, Int)])
  func picturesShowTheNearestDate(date: String?, number: Int) throws {
    // Pictures are stretched, so the pattern of the values has to differ.
    let folder = try TemporaryFolder()
    let service = try Self.service(in: folder) { Int16(($0 + 1) * ($1 + 3) % 13 + 1) }
    func picture(_ more: [String: String]) throws -> [UInt8] {
      let reply = service.reply(
        "/arcgis/rest/services/map/MapServer/export",
        Self.view.merging(["f": "image"]) { $1 }.merging(more) { $1 })
      #expect(reply.contentType == "image/png" && reply.warnings == [])
      return try reply.bytes()
    }
    let times = ["1735732800000", "1737115200000", "1738497600000"]
    let pictures = try times.map { try picture(["time": $0]) }
    #expect(Set(pictures).count == 3)
    #expect(try picture(date.map { ["date": $0] } ?? [:]) == pictures[number])
  }

  @Test func thePictureOfADateHasItsOwnAddress() throws {
    let reply = try service.json(
      "map/MapServer/export", Self.view.merging(["date": "2025-01-17"]) { $1 })
    #expect((reply["href"] as? String)?.contains("date=2025-01-17") == true)
  }

  @Test func datesThatCannotBeDrawnAreRefused() throws {
    func message(_ map: TestService, _ path: String, _ more: [String: String]) throws -> String {
      try ["json", "image"].map { form in
        let box = ["bbox": "18,-34.5,19,-33.5", "bboxSR": "4326", "f": form]
        return try map.json(path, box.merging(more) { $1 }).failure().message
      }.joined(separator: "\n")
    }
    func twice(_ text: String) -> String { text + "\n" + text }
    let path = "map/MapServer/export"
    for wrong in ["soon", "2025-02-30", "1737115200000", "2025-01-17,2025-02-02"] {
      #expect(
        try message(service, path, ["date": wrong])
          == twice(
            "date \(wrong): a date such as 2025-03-22 or a time such as 2025-03-22T10:00:00Z is "
              + "expected"))
    }
    #expect(
      try message(service, path, ["date": "2025-01-17", "time": "1"])
        == twice("'date' and 'time' parameters cannot be combined; leave one of them out"))
    #expect(
      try message(TestService.sample.get(), "cape/MapServer/export", ["date": "2025-01-17"])
        == twice("'date' parameter is not supported: no layer has dates; leave it out"))
  }

  @Test func thePageKnowsTheDatesOfLayers() throws {
    let map = try #require(TestService.object(service.reply("/api/page")).list("maps").first)
    #expect(try map.list("images").map { $0["dates"] as? [String] } == [Self.days])
    let other = try TestService.object(TestService.sample.get().reply("/api/page"))
    for image in try #require(other.list("maps").first).list("images") {
      #expect(image["dates"] == nil)
    }
  }

  @Test func plainIdentifyReadsADateOrASeries() throws {
    let at = #""at":[500150,5999950]"#
    func attributes(_ more: String) throws -> [String: Any] {
      let reply = try TestService.object(service.api("identify", "{\(at)\(more)}"))
      let elements = try #require(try reply.list("results").first).list("geoElements")
      return try #require(elements.first).object("attributes")
    }
    for (more, number) in [
      ("", 2), (#","date":"2025-01-09""#, 0), (#","date":"2025-01-10","within":"7d""#, 1),
    ] {
      let found = try attributes(more)
      #expect(found["Band_0"] as? Int == (number + 1) * 100 + 1)
      #expect(found["Date"] as? String == Self.days[number])
    }
    let series = try TestService.object(
      service.api("identify", #"{"at":[500050,5999950],"series":true,"to":"2025-01-20"}"#))
    let values = try #require(try series.list("series").first).list("values")
    #expect(values.map { $0["date"] as? String } == ["2025-01-01", "2025-01-17"])
    #expect(values.map { $0["value"] as? Int } == [100, nil])
    #expect(values.map { $0["status"] as? String } == ["ok", "nodata"])
  }

  @Test func tablesAreMatchedToTheirTimes() throws {
    let table = """
      id,x,y,when
      1,500150,5999950,2025-01-03
      2,500150,5999950,2025-01-28
      3,500150,5999950,

      """
    func rows(_ query: [String: String]) throws -> String {
      let reply = service.service.reply(
        ServiceRequest(
          .post, "/api/sample", query: TestService.form(query), contentType: "text/csv",
          body: Array(table.utf8)))
      return String(decoding: try reply.bytes(), as: UTF8.self)
    }
    #expect(
      try rows(["when": "when", "within": "5d", "status": "true"]) == """
        id,x,y,when,evi,evi_date,evi_days,evi_status
        1,500150,5999950,2025-01-03,101,2025-01-01,-2.0,ok
        2,500150,5999950,2025-01-28,301,2025-02-02,5.0,ok
        3,500150,5999950,,,,,bad_time

        """)
    #expect(
      try rows(["series": "true", "from": "2025-01-17"]).hasPrefix(
        "id,x,y,when,evi_2025-01-17,evi_2025-02-02\n1,500150,5999950,2025-01-03,201,301\n"))
    #expect(try rows(["dates": "x_%Y"]).contains("unknown option dates"))
    #expect(try rows(["date": "2025-01-17"]).contains("\n1,500150,5999950,2025-01-03,201\n"))
  }
}
