import CGDAL
import PlumbCore
import PlumbGDAL
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

/// DATE and TIMESTAMP against OGR's date columns.
@Suite struct ConditionDateTests {
  @Test("A column of dates or times is compared as OGR compares it")
  func columns() throws {
    GDALLibrary.start()
    var random = RandomConditions(seed: 41, .ogr)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    func date() -> String {
      "20\(two(18 + random.below(3)))-0\(1 + random.below(3))-\(two(27 + random.below(2)))"
    }
    func time() -> String {
      "\(two(random.below(3) * 6)):\(two(random.below(2) * 30)):0\(random.below(2))"
    }
    let folder = try TemporaryFolder()
    var lines = ["day,moment"]
    for _ in 0..<150 {
      let isEmpty = random.below(8) == 0
      lines.append(isEmpty ? "," : "\(date()),\(date()) \(time())")
    }
    let path = try folder.write("dates.csv", lines.joined(separator: "\n") + "\n")
    try folder.write("dates.csvt", "Date,DateTime\n")

    let reader = try VectorFeatureReader(path: path)
    let fields = reader.fields
    var rows: [[FieldValue]] = []
    while let features = try reader.next(limit: 100) { rows += features.map(\.attributes) }
    #expect(rows.count == 150)
    let dataset = try #require(GDALOpenEx(path, UInt32(GDAL_OF_VECTOR), nil, nil, nil))
    defer { GDALClose(dataset) }
    let layer = try #require(GDALDatasetGetLayer(dataset, 0))

    var selected = 0
    for _ in 0..<300 {
      let field = random.one(["day", "moment"])
      let comparison = random.one(["=", "<", "<=", ">", ">=", "<>"])
      let value = field == "day" ? date() : "\(date()) \(time())"
      let word = field == "day" ? "DATE" : "TIMESTAMP"
      let bound = try Condition("\(field) \(comparison) \(word) '\(value)'").bound(to: fields)
      let ogrValue = value.map { $0 == "-" ? "/" : String($0) }.joined()
      #expect(
        OGR_L_SetAttributeFilter(layer, "\(field) \(comparison) '\(ogrValue)'") == OGRERR_NONE)
      OGR_L_ResetReading(layer)
      var expected: [Int] = []
      while let feature = OGR_L_GetNextFeature(layer) {
        expected.append(Int(OGR_F_GetFID(feature)) - 1)
        OGR_F_Destroy(feature)
      }
      let found = rows.indices.filter { bound.isTrue(rows[$0]) }
      #expect(found == expected, "\(field) \(comparison) \(value)")
      selected += found.count
    }
    #expect(selected > 1_000)
  }

  @Test("An invalid date is not a date, and a time zone is applied")
  func reading() {
    func at(_ text: String) -> Int64? { SQLMoment(text)?.microseconds }
    #expect(at("1970-01-01") == 0)
    #expect(at("1969-12-31T23:59:59.999999Z") == -1)
    #expect(at("2000-02-29") == 951_782_400_000_000)
    #expect(at("2038-01-19 03:14:08Z") == 2_147_483_648_000_000)
    #expect(at("0001-01-01") == -62_135_596_800_000_000)
    #expect(at("9999-12-31T23:59:59") == 253_402_300_799_000_000)
    #expect(at("2024-05-31T12:00:00+05:45") == at("2024-05-31T06:15:00Z"))
    #expect(at("2024-05-31T20:00:00-08:00") == at("2024-06-01T04:00"))
    for text in [
      "", "2024", "2024-05", "2024-5-31", "2024-02-30", "2023-02-29", "1900-02-29", "2024-00-01",
      "2024-13-01", "2024-01-00", "2024-01-01T", "2024-01-01T24:00", "2024-01-01T10:60",
      "2024-01-01T10:00:61", "2024-01-01T10:00:00.", "2024-01-01T10:00:00+1", "2024-01-01Z ",
      "2024-01-01T10:00:00ZZ", "12:00:00", "２０２４-01-01", "-024-01-01", "2024/01/01",
    ] { #expect(at(text) == nil, "\(text)") }
  }
}
