import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

/// The columns of results, and the format of their values.
struct OutputColumnTests {
  /// Names are quoted by Unicode scalars, not by characters: a quotation mark and a combining
  /// accent are one character.
  @Test(arguments: ["a\"\u{301}b", "'\u{301}", "\"", "\u{301}\""])
  func `names with marks and accents are columns of a GeoPackage`(name: String) throws {
    let fixture = try Fixture()
    let path = try fixture.raster("r.tif", .uint8, bands: [(0..<12).map { UInt8($0) }])
    let quoted = "\"" + name.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    let run = try plumb(
      ["identify", path, "--points", "-", "-o", fixture.path("o.gpkg")],
      input: "lon,lat,\(quoted)\n0.5,-0.5,7\n")
    #expect(run.status == 0, "\(run.errors)")
    let back = try plumb(
      ["identify", "again=\(path)", "--points", fixture.path("o.gpkg"), "--of", "csv"])
    #expect(back.lines.first?.unicodeScalars.contains("\"") == name.unicodeScalars.contains("\""))
    #expect(back.lines.last?.contains("7") == true, "\(back.output) \(back.errors)")
  }

  @Test func `one band is named after the raster, several by their numbers from 1`() throws {
    let fixture = try Fixture()
    let one = try fixture.grid("one.tif")
    let three = try fixture.raster(
      "three.tif", .uint8, width: 2, bands: [[1, 2], [3, 4], [5, 6]] as [[UInt8]])
    let all = try plumb(
      ["identify", one, three, "--points", "-", "--status", "--provenance"],
      input: "x,y\n0.5,-0.5\n")
    #expect(
      all.lines.first
        == "x,y,one,one_status,one_file,one_row,one_column,three_1,three_2,three_3,three_status,"
        + "three_file,three_row,three_column")
    #expect(all.lines.last == "0.5,-0.5,0,ok,\(one),0,0,1,3,5,ok,\(three),0,0")
    let some = try plumb(
      ["identify", three, "--points", "-", "-b", "3", "1"], input: "x,y\n0.5,-0.5\n")
    #expect(some.output == "x,y,three_3,three_1\n0.5,-0.5,5,1\n")
    let clash = try plumb(
      ["identify", three, "three_1=" + one, "--points", "-"], input: "x,y\n0.5,-0.5\n")
    clash.expectRefusal("two output columns", "three_1")
  }

  /// Writes one row of cells and returns their text in CSV and their JSON.
  private func texts<Value: BitwiseCopyable>(
    _ type: PixelType, _ values: [Value]
  ) throws -> (csv: [String], json: [String]) {
    let fixture = try Fixture()
    let count = values.count / (type.isComplex ? 2 : 1)
    let path = try fixture.raster("v.tif", type, width: count, bands: [values])
    let rows = "x,y\n" + (0..<count).map { "\(Double($0) + 0.5),-0.5\n" }.joined()
    let csv = try plumb(["identify", path, "--points", "-"], input: rows)
    let json = try plumb(
      ["identify", path, "--points", "-", "--of", "geojsonseq"], input: rows)
    return (
      csv.lines.dropFirst().map {
        String($0.split(separator: ",", omittingEmptySubsequences: false)[2])
      },
      try json.lines.map { line in
        let match = try #require(line.firstMatch(of: /"v":(.*?)}}$/))
        return String(match.1)
      }
    )
  }

  @Test func `values are written in their stored type`() throws {
    let bytes = try texts(.int8, [-128, 127] as [Int8])
    #expect(bytes.csv == ["-128", "127"] && bytes.json == bytes.csv)
    let signed = try texts(.int64, [.min, .max, 9_007_199_254_740_993] as [Int64])
    #expect(signed.csv == ["-9223372036854775808", "9223372036854775807", "9007199254740993"])
    #expect(signed.json == signed.csv)
    let unsigned = try texts(.uint64, [.max, 9_007_199_254_740_993] as [UInt64])
    #expect(unsigned.csv == ["18446744073709551615", "9007199254740993"])
    #expect(unsigned.json == unsigned.csv)
    let floats = try texts(
      .float32, [0.1, 16_777_216, .leastNonzeroMagnitude, .nan, .infinity] as [Float])
    #expect(floats.csv == ["0.1", "16777216.0", "1e-45", "", "inf"])
    #expect(floats.json == ["0.1", "16777216.0", "1e-45", "null", "null"])
    let doubles = try texts(
      .float64, [0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude] as [Double])
    #expect(doubles.csv == ["0.1", "5e-324", "1.7976931348623157e+308"])
    let complex = try texts(.complexFloat32, [1.5, 2, -0.5, -1] as [Float])
    #expect(complex.csv == ["1.5+2i", "-0.5-1i"] && complex.json == ["\"1.5+2i\"", "\"-0.5-1i\""])
    let whole = try texts(.complexInt16, [3, -4] as [Int16])
    #expect(whole.csv == ["3-4i"])
  }

  @Test func `a format without the type contains text`() throws {
    let fixture = try Fixture()
    let path = try fixture.raster("v.tif", .uint64, width: 1, bands: [[UInt64.max]])
    let run = try plumb(
      ["identify", path, "--points", "-", "-o", fixture.path("o.gpkg")], input: "x,y\n0.5,-0.5\n")
    #expect(run.status == 0, "\(run.errors)")
    let back = try plumb(
      ["identify", "w=" + path, "--points", fixture.path("o.gpkg"), "--of", "csv"])
    #expect(back.lines.last?.contains("18446744073709551615") == true)
  }

  @Test func `--scaled applies scale and offset`() throws {
    let evi = "evi=" + TestPaths.rasters + "/evi_cape_town.tif"
    let rows = "lon,lat\n18.5,-33.9\n"
    let stored = try plumb(["identify", evi, "--points", "-", "-q"], input: rows)
    #expect(stored.lines.last == "18.5,-33.9,1658")
    let scaled = try plumb(["identify", evi, "--points", "-", "-q", "--scaled"], input: rows)
    #expect(scaled.lines.last == "18.5,-33.9,0.1658")
  }

  @Test func `interpolation gives doubles`() throws {
    let fixture = try Fixture()
    let path = try fixture.raster(
      "v.tif", .int16, bands: [(0..<16).map { Int16($0 % 4 * 10) }])
    for (method, x, value) in [
      ("nearest", "2", "20"), ("bilinear", "2", "15.0"), ("cubic", "2", "15.0"),
    ] {
      let run = try plumb(
        ["identify", path, "--points", "-", "-r", method], input: "x,y\n\(x),-2\n")
      #expect(run.lines.last == "\(x),-2,\(value)", "\(method)")
    }
  }
}
