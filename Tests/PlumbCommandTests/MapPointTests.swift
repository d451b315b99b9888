import Foundation
import PlumbTestSupport
import Testing

/// `identify MAP.json --at`: the output as a tree and as JSON.
struct MapPointTests {
  private static let cape = TestPaths.rasters + "/cape.json"

  /// The feature of a sample file with the given value of a field, as GeoJSON.
  private static func sample(
    _ file: String, _ field: String, _ value: String
  ) throws -> [String: Any] {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: TestPaths.rasters + "/" + file))
    let root = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    return try #require(
      (root["features"] as? [[String: Any]])?.first {
        ($0["properties"] as? [String: Any])?[field] as? String == value
      })
  }

  /// The result of rasters queried without a map, without the layer's name.
  private static func rasterElements(_ path: String) throws -> [NSDictionary] {
    let run = try plumb([
      "identify", TestPaths.rasters + "/" + path, "--at", "18.4604,-34.0018", "--crs",
      "EPSG:4326", "--format", "json", "-q",
    ])
    return try #require(try run.results.first?.first).elements.map { $0 as NSDictionary }
  }

  @Test func `a tree has the layers from the top with their counts`() throws {
    let run = try plumb(["identify", Self.cape, "--at", "18.4604,-34.0018", "-q"])
    #expect(
      run.output == """
        18.4604, -34.0018 (EPSG:4326): 5 elements
          wards (feature): 1
            Ward 5: Claremont
              WARD: 5
              NAME: Claremont
              POP: 79979
              DENSITY: 1947.7
          services (mapImage): 1
            ground (sublayer): 1
              cover (sublayer): 1
                Pixel.Type uint8, Band_0 2, Class_0 Urban
          land_cover (raster): 1
            Pixel.Type uint8, Band_0 2, Class_0 Urban
          evi (raster): 1
            Pixel.Type int16, Band_0 1494, Scaled_0 0.1494, Unit_0 EVI
          dem (raster): 1
            Pixel.Type int16, Band_0 68, Unit_0 m

        """)
    #expect(run.status == 0 && run.errors == "")
  }

  @Test func `json has every element of the recursion in its documented shape`() throws {
    let run = try plumb([
      "identify", Self.cape, "--at", "18.4604,-34.0018", "--format", "json", "-q",
    ])
    let object = try #require(try run.objects.first)
    #expect(Set(object.keys) == ["place", "results"])
    #expect(
      object["place"] as? NSDictionary
        == (try jsonObject(
          #"{"x":18.4604,"y":-34.0018,"crs":"EPSG:4326"}"#)))
    let results = try #require(try run.results.first)
    let keys: Set = [
      "layer", "geoElements", "popups", "sublayerResults", "isTransferLimitExceeded", "error",
    ]
    for node in results.flatMap(\.all) {
      #expect(Set(node.members.keys) == keys)
      #expect(Set(node.layer.keys) == ["id", "name", "type"])
      #expect(node.isTruncated == false && node.members["error"] is NSNull)
    }
    #expect(
      results.flatMap(\.all).map { [$0.layer["id"], $0.layer["name"], $0.layer["type"]] } == [
        ["wards", "wards", "feature"], ["services", "services", "mapImage"],
        ["8", "ground", "sublayer"], ["9", "cover", "sublayer"],
        ["land_cover", "land_cover", "raster"], ["evi", "evi", "raster"],
        ["dem", "dem", "raster"],
      ])
    // The ward in the sample file.
    let ward = try Self.sample("wards.geojson", "NAME", "Claremont")
    let element = try #require(results[0].elements.first)
    #expect(Set(element.keys) == ["type", "attributes", "geometry", "distance"])
    #expect(element["type"] as? String == "feature" && element["distance"] as? Int == 0)
    #expect(element["attributes"] as? NSDictionary == ward["properties"] as? NSDictionary)
    #expect(element["geometry"] as? NSDictionary == ward["geometry"] as? NSDictionary)
    let popup = try jsonObject(
      """
      {"title":"Ward 5: Claremont",
       "text":"79,979 people live in Claremont, 1,947.7 on each square kilometre.",
       "fields":[{"name":"WARD","label":"Ward","value":"5"},
        {"name":"NAME","label":"Name","value":"Claremont"},
        {"name":"POP","label":"Population","value":"79,979"},
        {"name":"DENSITY","label":"People per km²","value":"1,947.7"}]}
      """)
    #expect(results[0].popups.map { $0 as NSDictionary } == [popup])
    // Rasters queried without a map and on the map have the same result.
    let cover = try Self.rasterElements("land_cover_cape_town.tif")
    #expect(results[1].sublayers[0].sublayers[0].elements.map { $0 as NSDictionary } == cover)
    #expect(results[2].elements.map { $0 as NSDictionary } == cover)
    #expect(
      results[3].elements.map { $0 as NSDictionary }
        == (try Self.rasterElements("evi_cape_town.tif")))
    #expect(results[4].elements.map { $0 as NSDictionary } == (try Self.rasterElements("dem")))
  }

  @Test func `sublayers nest as in the service, each with its own count`() throws {
    let clinic = try Self.sample("clinics.geojson", "NAME", "Cape Town Clinic")
    let point = try #require(
      (clinic["geometry"] as? [String: Any])?["coordinates"] as? [Double])
    let run = try plumb([
      "identify", Self.cape, "--at", "\(point[0]),\(point[1])", "--layer", "services", "-q",
    ])
    #expect(
      run.lines.prefix(5).map { String($0) } == [
        "\(point[0]), \(point[1]) (EPSG:4326): 2 elements",
        "  services (mapImage): 2", "    services (sublayer): 1", "      clinics (sublayer): 1",
        "        Cape Town Clinic",
      ])
  }

  @Test func `several points are several objects and trees`() throws {
    let fixture = try Fixture()
    let map = try fixture.pair()
    let points = ["--at", "0.5,0.5", "--at=9,9", "--at", "2.5,2.5"]
    let run = try plumb(["identify", map] + points)
    #expect(
      run.output == """
        0.5, 0.5 (EPSG:4326): 1 element
          Squares (feature): 1
            feature
              NAME: low
              N: 1

        9.0, 9.0 (EPSG:4326): 0 elements

        2.5, 2.5 (EPSG:4326): 1 element
          Squares (feature): 1
            feature
              NAME: high
              N: 2

        """)
    let json = try plumb(["identify", map, "--format", "json"] + points)
    #expect(try json.results.map { $0.map { $0.values("NAME") } } == [[["low"]], [], [["high"]]])
  }

  @Test func `points and shapes are in the CRS of --crs`() throws {
    let fixture = try Fixture()
    try fixture.squares("sq.geojson", [Square(0, 0, side: 2, #""NAME":"a""#)])
    let map = try fixture.map([fixture.layer("sq", "sq.geojson")])
    let run = try plumb([
      "identify", map, "--at", "111319.49079327357,111325.14286638486", "--crs", "EPSG:3857",
      "--format", "json",
    ])
    let object = try #require(try run.objects.first)
    #expect((object["place"] as? [String: Any])?["crs"] as? String == "EPSG:3857")
    let element = try #require(try run.results.first?.first?.elements.first)
    let rings = try #require(
      (element["geometry"] as? [String: Any])?["coordinates"] as? [[[Double]]])
    // x = a·λ, y = a·asinh(tan φ)
    let side = 6_378_137 * 2 * Double.pi / 180
    let height = 6_378_137 * asinh(tan(2 * Double.pi / 180))
    let wanted = [[0, 0], [side, 0], [side, height], [0, height], [0, 0]]
    for (corner, expected) in zip(rings[0], wanted) {
      #expect(abs(corner[0] - expected[0]) < 1e-6 && abs(corner[1] - expected[1]) < 1e-6)
    }
    #expect(rings.count == 1 && rings[0].count == 5)
    let wrong = try plumb(["identify", map, "--at", "1,1", "--crs", "EPSG:0"])
    wrong.expectRefusal("EPSG:0")
  }
}
