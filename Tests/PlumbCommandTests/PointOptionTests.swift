import Foundation
import PlumbTestSupport
import Testing

/// `--at`: one point after another.
struct PointOptionTests {
  @Test func `the callout shows the sample's fields, for negative numbers too`() throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    let run = try plumb(["identify", grid, "--at", "2.25,-1.5", "--at", "-1,-1", "--at=1.5,-1.5"])
    #expect(
      run.output == """
        2.25, -1.5 (EPSG:4326)
        grid
          Pixel.Type: int16
          Band_0: 6
          X: 2.0
          Y: -2.0
          Row: 1
          Column: 2
          Status: ok

        -1.0, -1.0 (EPSG:4326)
        grid
          Status: outside

        1.5, -1.5 (EPSG:4326)
        grid
          Pixel.Type: int16
          Band_0: null
          X: 1.0
          Y: -2.0
          Row: 1
          Column: 1
          Status: nodata

        """)
    #expect(run.errors == "")
  }

  @Test func `json has one object per point in the documented form`() throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    let run = try plumb(
      [
        "identify", grid, "--at", "2.25,-1.5", "--at", "1.5,-1.5", "--at", "9,9", "--format",
        "json",
      ])
    let objects = try run.objects
    #expect(objects.count == 3)
    let expected = """
      {"place":{"x":2.25,"y":-1.5,"crs":"EPSG:4326"},"results":[{"layer":{"id":"grid",
      "name":"grid","type":"raster"},"geoElements":[{"type":"rasterCell","attributes":
      {"Pixel.Type":"int16","Band_0":6},"status":["ok"],"row":1,"column":2,"geometry":
      {"type":"Polygon","coordinates":[[[2,-2],[3,-2],[3,-1],[2,-1],[2,-2]]]},"distance":0}],
      "popups":[],"sublayerResults":[],"isTransferLimitExceeded":false,"error":null}]}
      """
    let wanted = try JSONSerialization.jsonObject(with: Data(expected.utf8)) as? NSDictionary
    #expect(objects[0] as NSDictionary == wanted)
    let cell = try #require(Self.cells(objects[1]).first)
    #expect((cell["attributes"] as? [String: Any])?["Band_0"] is NSNull)
    #expect(cell["status"] as? [String] == ["nodata"])
    #expect((objects[2]["results"] as? [Any])?.isEmpty == true)
  }

  private static func cells(_ object: [String: Any]) -> [[String: Any]] {
    let results = object["results"] as? [[String: Any]]
    return results?.first?["geoElements"] as? [[String: Any]] ?? []
  }

  @Test func `status has an entry for each band, and infinity is null`() throws {
    let fixture = try Fixture()
    let values: [[Float]] = [[.infinity, 1, 2, 3], [.nan, 1, 2, 3], [0.1, -0, 2, 3]]
    let path = try fixture.raster("f.tif", .float32, bands: values)
    let run = try plumb(["identify", path, "--at", "0.5,-0.5", "--format", "json"])
    let cell = try #require(Self.cells(try run.objects[0]).first)
    #expect(cell["status"] as? [String] == ["ok", "nodata", "ok"])
    let attributes = try #require(cell["attributes"] as? [String: Any])
    #expect(attributes["Band_0"] is NSNull && attributes["Band_1"] is NSNull)
    #expect(run.output.contains("\"Band_2\":0.1,") || run.output.contains("\"Band_2\":0.1}"))
  }

  @Test func `a point that cannot be transformed is an error in its result`() throws {
    let run = try plumb([
      "identify", TestPaths.rasters + "/ndvi_cape_town_3857.tif", "--at", "18,95", "--crs", "4326",
      "--format", "json",
    ])
    let result = try #require((try run.objects[0]["results"] as? [[String: Any]])?.first)
    let error = try #require(result["error"] as? [String: String])
    #expect(error["code"] == "transform_failed" && error["message"]?.isEmpty == false)
    #expect((result["geoElements"] as? [Any])?.isEmpty == true)
    let strict = try plumb([
      "identify", TestPaths.rasters + "/ndvi_cape_town_3857.tif", "--at", "18,95", "--crs", "4326",
      "--strict",
    ])
    strict.expectRefusal("transform_failed")
  }

  @Test func `scaled value, class and unit are given if there are any`() throws {
    let cover = try plumb([
      "identify", TestPaths.rasters + "/land_cover_cape_town.tif", "--at", "18.5,-33.9",
      "--crs", "EPSG:4326",
    ])
    #expect(cover.lines.contains("  Class_0: Urban"))
    let evi = try plumb([
      "identify", TestPaths.rasters + "/evi_cape_town.tif", "--at", "18.5,-33.9", "--crs",
      "EPSG:4326", "-q",
    ])
    #expect(evi.lines.contains("  Band_0: 1658"))
    #expect(evi.lines.contains("  Scaled_0: 0.1658"))
    #expect(evi.lines.contains("  Unit_0: EVI"))
  }

  @Test func `a misspelt verb names the one it may have meant`() throws {
    let run = try plumb(["identfy", "x.tif", "--at", "1,2"])
    #expect(run.status == 64 && run.output == "")
    #expect(run.errors == "plumb: unknown verb identfy; did you mean identify?\n")
    let help = try plumb(["help", "identfy"])
    #expect(help.status == 64 && help.errors == run.errors)
    let none = try plumb(["x.tif", "--at", "1,2"])
    #expect(none.status == 64)
    let message = "plumb: unknown verb x.tif; available: identify, zonal, buffer"
    #expect(none.errors.hasPrefix(message))
  }

  @Test func `a misspelt option names the one it may have meant`() throws {
    // This also applies if another option is missing because of it.
    for arguments in [
      ["identify", "x.tif", "--pointz", "p.csv"], ["identify", "x.tif", "--pointz=p.csv"],
      ["identify", "x.tif", "--at", "1,2", "--pointz", "p.csv"],
    ] {
      let run = try plumb(arguments)
      #expect(run.status == 64 && run.output == "")
      #expect(
        run.errors == "plumb: unknown option --pointz; did you mean --points?\n", "\(arguments)")
    }
    let format = try plumb(["eval", "1 + 1", "--zzzzzzzzzz"])
    #expect(format.status == 64)
    #expect(format.errors == "plumb: unknown option --zzzzzzzzzz\n")
    // The older name of --of is accepted.
    let missing = try plumb(["identify", "x.tif", "--format", "csv"])
    #expect(missing.status == 64 && missing.errors.contains("give exactly one of --at"))
  }

  @Test func `a missing file has the same message in every verb`() throws {
    for arguments in [
      ["identify", "absent.tif", "--at", "1,2"], ["info", "absent.tif"],
      ["identify", TestPaths.rasters + "/dem", "--points", "absent.csv"],
      ["buffer", "absent.csv", "--distance", "1"], ["trace", "absent.inp", "--segments"],
      ["monitor", "--feed", TestPaths.rasters + "/walk.csv", "--fences", "absent.gpkg"],
      ["monitor", "--feed", "absent.csv", "--fences", TestPaths.rasters + "/wards.geojson"],
      ["eval", "-f", "absent.arcade"], ["eval", "1", "--feature", "absent.gpkg"],
    ] {
      let run = try plumb(arguments)
      #expect(run.status == 1, "\(arguments)")
      #expect(run.errors.hasPrefix("plumb: no such file: absent."), "\(arguments) \(run.errors)")
    }
  }

  @Test func `one option selects the format of points and of rows`() throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    for option in ["--of", "--format"] {
      let json = try plumb(["identify", grid, "--at", "0.5,-0.5", option, "JSON"])
      #expect(json.status == 0 && json.output.hasPrefix("{"), "\(json.errors)")
      try fixture.folder.write("p.csv", "x,y\n0.5,-0.5\n")
      let rows = try plumb(
        ["identify", grid, "--points", fixture.path("p.csv"), option, "geojsonseq"])
      #expect(rows.status == 0 && rows.output.contains("\"Feature\""), "\(rows.errors)")
    }
  }

  @Test(arguments: [
    ["--at", "1"], ["--at", "1,2,3"], ["--at", "a,b"], ["--at", "nan,1"], ["--at", "1e999,1"],
    [], ["--at", "1,2", "--points", "x.csv"], ["--at", "1,2", "-o", "x.csv"],
    ["--at", "1,2", "--of", "csv"], ["--at", "1,2", "--threads", "0"],
    ["--at", "1,2", "--cache", "lots"],
  ])
  func `wrong usage exits with 64`(options: [String]) throws {
    let fixture = try Fixture()
    let run = try plumb(["identify", try fixture.grid()] + options)
    #expect(run.status == 64, "\(run.errors)")
    #expect(run.errors.hasPrefix("Error: "))
  }
}
