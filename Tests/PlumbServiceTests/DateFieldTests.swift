import PlumbService
import PlumbTestSupport
import Testing

/// Date fields: Esri's date type, as milliseconds in UTC.
@Suite struct DateFieldTests {
  /// Two time zones, one time before 1970, a missing time, and a field with one value that is not a
  /// date.
  private static let features = #"""
    {"type":"FeatureCollection","features":[
    {"type":"Feature","properties":{"seen":"2026-05-31T12:00:00+02:00","day":"2026-05-31","note":"2026-05-31"},
     "geometry":{"type":"Point","coordinates":[18,-34]}},
    {"type":"Feature","properties":{"seen":"2026-05-31T11:00:00Z","day":"1969-12-31","note":"later"},
     "geometry":{"type":"Point","coordinates":[18.1,-34]}},
    {"type":"Feature","properties":{"seen":null,"day":"1970-01-02","note":null},
     "geometry":{"type":"Point","coordinates":[18.2,-34]}}]}
    """#

  private func sendRequest(_ parameters: [String: String]) throws -> [String: Any] {
    let folder = try TemporaryFolder()
    let service = try TestService.of(Self.features, folder: folder)
    return try service.json("map/FeatureServer/0/query", parameters)
  }

  private func values(_ name: String, _ parameters: [String: String]) throws -> [Int?] {
    try sendRequest(parameters).list("features").map { feature in
      (feature["attributes"] as? [String: Any])?[name] as? Int
    }
  }

  @Test func areMilliseconds() throws {
    let all = ["where": "1=1", "outFields": "*"]
    #expect(try values("seen", all) == [1_780_221_600_000, 1_780_225_200_000, nil])
    #expect(try values("day", all) == [1_780_185_600_000, -86_400_000, 86_400_000])
    let types = try sendRequest(all).list("fields").map {
      "\($0["name"] ?? "") \($0["type"] ?? "")"
    }
    #expect(
      types == [
        "OBJECTID esriFieldTypeOID", "seen esriFieldTypeDate", "day esriFieldTypeDate",
        "note esriFieldTypeString",
      ])
  }

  @Test func areSelectedAndOrdered() throws {
    // Ordered by time, not by text.
    #expect(
      try values("OBJECTID", ["where": "1=1", "orderByFields": "seen DESC"]) == [2, 1, 3])
    #expect(
      try values("OBJECTID", ["where": "seen > TIMESTAMP '2026-05-31 10:30:00'"]) == [2])
    #expect(try values("OBJECTID", ["where": "day < DATE '1970-01-01'"]) == [2])
  }

  @Test func areCounted() throws {
    let minimum = [
      "outStatistics":
        #"[{"statisticType":"min","onStatisticField":"day","outStatisticFieldName":"first"}]"#
    ]
    #expect(try values("first", minimum) == [-86_400_000])
    #expect(
      try sendRequest(minimum).list("fields").first?["type"] as? String == "esriFieldTypeDate")
  }
}
