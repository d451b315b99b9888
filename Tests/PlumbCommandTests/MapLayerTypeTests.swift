import Foundation
import PlumbGDAL
import PlumbTestSupport
import Testing

/// Layers of types other than feature files and rasters, and maps in which no layer has results.
@Suite struct MapLayerTypeTests {
  private static func identify(
    _ fixture: Fixture, _ point: String = "0.5,0.5", _ more: [String] = []
  ) throws -> ProgramRun {
    try plumb(["identify", fixture.path("map.json"), "--at", point, "--format", "json"] + more)
  }

  private static let feature =
    #"{"attributes":{"ID":7,"NAME":"pond"},"geometry":{"rings":[[[0,0],[0,2],[2,2],[2,0],[0,0]]],"#
    + #""spatialReference":{"wkid":4326}}}"#

  private static let definition =
    #""layerDefinition":{"name":"Ponds","geometryType":"esriGeometryPolygon","#
    + #""objectIdField":"ID","fields":[{"name":"ID","type":"esriFieldTypeOID"},"#
    + #"{"name":"NAME","type":"esriFieldTypeString"}]}"#

  @Test("features in the document are found, with their columns and numbers")
  func embedded() throws {
    let fixture = try Fixture()
    try fixture.map([
      #"{"id":"notes","title":"Notes","featureCollection":{"layers":[{"#
        + Self.definition + #","featureSet":{"features":["# + Self.feature + "]}}]}}"
    ])
    let run = try Self.identify(fixture)
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    let result = try #require(try run.results.first?.first)
    #expect(result.layer == ["id": "notes", "name": "Notes", "type": "feature"])
    #expect(result.values("NAME") == ["pond"] && result.values("ID") == ["7"])
    #expect(try Self.identify(fixture, "3,3").results.first?.isEmpty == true)
  }

  @Test("several collections in a layer are a group; invisible ones are not queried")
  func severalCollections() throws {
    let fixture = try Fixture()
    let inner = "{" + Self.definition + #","featureSet":{"features":["# + Self.feature + "]}}"
    for (visible, count) in [("", 2), (#""visibleLayers":[1],"#, 1)] {
      try fixture.map([
        #"{"id":"notes","# + visible + #""featureCollection":{"layers":[\#(inner),\#(inner)]}}"#
      ])
      let results = try Self.identify(fixture).results.first ?? []
      #expect(results.flatMap(\.all).flatMap { $0.values("NAME") }.count == count)
    }
  }

  /// A map of an embedded layer with a valid feature and, before it, features with the given
  /// geometries.
  private static func collection(_ geometries: [String], definition: String) throws -> Fixture {
    let fixture = try Fixture()
    let bad = geometries.map { #"{"attributes":{"NAME":"bad"},"geometry":\#($0)},"# }.joined()
    try fixture.map([
      #"{"id":"notes","title":"Notes","featureCollection":{"layers":[{"# + definition
        + #","featureSet":{"features":["# + bad + feature + "]}}]}}"
    ])
    return fixture
  }

  @Test(
    "a feature of a collection whose shape cannot be used is omitted with a warning",
    arguments: [
      #"{"rings":7}"#, #"{"rings":[[[0,0],[0,1e999],[2,2],[0,0]]]}"#, #"{"x":1e999,"y":0}"#,
      #"{"rings":[],"paths":[]}"#, "7",
      #"{"x":1,"y":1,"spatialReference":{"wkid":3857}}"#,
      #"{"x":1,"y":1,"spatialReference":{"wkid":999999}}"#,
      #"{"x":1,"y":1,"spatialReference":{"wkt":"+proj=longlat +nadgrids=/x +no_defs"}}"#,
    ])
  func badFeature(geometry: String) throws {
    let definition = Self.definition.dropLast() + #","spatialReference":{"wkid":4326}}"#
    for count in [1, 3] {
      let fixture = try Self.collection(
        Array(repeating: geometry, count: count), definition: String(definition))
      let subject =
        count == 1
        ? "the shape of a feature cannot be used: feature 1: "
        : "the shapes of 3 features cannot be used; the first is feature 1: "
      try expectWarning(fixture, "Notes: " + subject) { $0.values("NAME") == ["pond"] }
    }
  }

  @Test("without a CRS of the layer the first CRS of a feature applies to all")
  func referenceOfFeatures() throws {
    let other = #"{"x":1,"y":1,"spatialReference":{"wkid":999999}}"#
    let fixture = try Self.collection([other], definition: Self.definition)
    try expectWarning(
      fixture, "Notes: the shape of a feature cannot be used: feature 1: spatial reference"
    ) { $0.values("NAME") == ["pond"] }
  }

  @Test("dates and whole numbers in real columns have the type of their column") func kinds() throws
  {
    let fixture = try Fixture()
    let set =
      #"{"features":[{"attributes":{"D":86400000,"R":3},"geometry":{"x":0.5,"y":0.5}}],"#
      + #""spatialReference":{"wkid":4326},"fields":[{"name":"D","type":"esriFieldTypeDate"},"#
      + #"{"name":"R","type":"esriFieldTypeDouble"}]}"#
    try fixture.folder.write("set.json", set)
    try fixture.map([
      #"{"id":"f","layerType":"ArcGISFeatureLayer","url":"set.json"}"#,
      #"{"id":"e","featureCollection":{"layers":[{"featureSet":\#(set)}]}}"#,
    ])
    let run = try Self.identify(fixture)
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    let results = try #require(try run.results.first)
    #expect(results.map { $0.values("D") } == [["86400000"], ["86400000"]], "\(run.output)")
    #expect(results.map { $0.values("R") } == [["3.0"], ["3.0"]], "\(run.output)")
  }

  @Test("a fault of a collection itself fails its layer, with its position")
  func badCollection() throws {
    for (set, words) in [
      (#"{"features":[7]}"#, "featureSet.features[0]: expected an object"),
      (#"{"features":7}"#, "featureSet.features: expected a list"),
      (#"{"features":[],"spatialReference":{"wkid":999999}}"#, "featureSet.spatialReference: "),
    ] {
      let fixture = try Fixture()
      try fixture.map([
        #"{"id":"notes","featureCollection":{"layers":[{"# + Self.definition
          + #","featureSet":\#(set)}]}}"#
      ])
      let run = try Self.identify(fixture)
      #expect(run.status == 1 && run.errors.contains(words), "\(run.errors)")
    }
  }

  @Test("CSV, GeoJSON and KML layers over local files are read") func fileTypes() throws {
    let fixture = try Fixture()
    try fixture.folder.write("sites.csv", "name,north,east\na,1,2\nb,5,6\n")
    try fixture.squares("sq.geojson", [Square(0, 0, #""NAME":"low""#)])
    let pointmark =
      "<Placemark><name>NAME</name><Point><coordinates>2,1</coordinates></Point></Placemark>"
    try fixture.folder.write(
      "two.kml",
      #"<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>"#
        + "<Folder><name>one</name>\(pointmark)</Folder><Folder><name>other</name>\(pointmark)"
        + "</Folder></Document></kml>")
    let columns = #""locationInfo":{"longitudeFieldName":"east","latitudeFieldName":"north"}"#
    try fixture.map([
      #"{"id":"c","layerType":"CSV","url":"sites.csv","# + columns + "}",
      #"{"id":"g","layerType":"GeoJSON","url":"sq.geojson"}"#,
      #"{"id":"k","layerType":"KML","url":"two.kml"}"#,
    ])
    let run = try Self.identify(fixture, "2,1")
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    let results = try #require(try run.results.first)
    #expect(results.map { $0.layer["type"] } == ["KML", "feature", "feature"])
    #expect(results[0].sublayers.map { $0.layer["name"] } == ["one", "other"])
    #expect(results[0].sublayers.flatMap { $0.values("Name") } == ["NAME", "NAME"])
    #expect(results[1].values("NAME") == ["low"] && results[2].values("name") == ["a"])
  }

  @Test("files of such layers must be in the map's folder, too") func outside() throws {
    let fixture = try Fixture()
    for type in ["CSV", "GeoJSON", "KML"] {
      try fixture.map([#"{"id":"c","layerType":"\#(type)","url":"../secret.csv"}"#])
      let run = try Self.identify(fixture)
      #expect(run.status == 1 && run.errors.contains("outside the map's folder"), "\(run.errors)")
    }
  }

  @Test("an unsupported type is reported by name") func unknownType() throws {
    let fixture = try Fixture()
    try fixture.pair()
    try fixture.map([
      fixture.layer("sq", "sq.geojson"),
      #"{"id":"b","layerType":"ArcGISSceneServiceLayer","url":"x"}"#,
    ])
    let run = try Self.identify(fixture)
    #expect(run.status == 0)
    #expect(try run.results.first?.first?.layer["type"] == "ArcGISSceneServiceLayer")
    let info = try plumb(["info", fixture.path("map.json")])
    #expect(info.output.contains("ArcGISSceneServiceLayer") && !info.output.contains("mapImage"))
  }

  @Test("a map in which every layer fails has exit status 1, after its results") func nothing()
    throws
  {
    let fixture = try Fixture()
    try fixture.map([fixture.layer("a", "a.geojson"), fixture.layer("b", "b.geojson")])
    let run = try Self.identify(fixture)
    #expect(run.status == 1 && run.errors.contains("all layers of the map failed"), "\(run.errors)")
    #expect(try run.results.first?.compactMap(\.error).count == 2)
    try fixture.folder.write("p.csv", "x,y\n1,1\n")
    let batch = try plumb([
      "identify", fixture.path("map.json"), "--points", fixture.path("p.csv"), "-o",
      fixture.path("o.csv"),
    ])
    #expect(batch.status == 1 && batch.errors.contains("all layers of the map failed"))
    #expect(try !fixture.names.contains("o.csv"))
  }

  @Test("a missing map is reported as such, with any options")
  func missing() throws {
    try plumb(["identify", "/nowhere/map.json", "--at", "1,1", "--tolerance", "5m"])
      .expectRefusal("no such file: /nowhere/map.json")
  }

  @Test("a latitude beyond the pole is a warning") func latitude() throws {
    let fixture = try Fixture()
    try fixture.pair()
    for target in [fixture.path("map.json"), try fixture.grid()] {
      let run = try plumb(["identify", target, "--at", "18.4,95"])
      #expect(run.errors.contains("a point at latitude 95.0 is beyond the pole"), "\(run.errors)")
      // The swapped point is outside of the layers and the raster, too.
      #expect(!run.errors.contains("swapped"), "\(run.errors)")
      let far = try plumb(["identify", target, "--at", "170,95"])
      #expect(far.errors.contains("plumb: warning: a point at latitude 95.0 is beyond the pole"))
      let two = try plumb(["identify", target, "--at", "18.4,95", "--at", "1,96"])
      #expect(two.errors.contains("2 points, one at latitude 95.0, are beyond the pole"))
      let fine = try plumb(["identify", target, "--at", "1,90"])
      #expect(!fine.errors.contains("pole"))
    }
  }

  @Test("x and y look swapped if the swapped point is on a layer of the map")
  func swapped() throws {
    let fixture = try Fixture()
    // The point is within the layer's extent, but not on a feature.
    try fixture.squares(
      "sq.geojson", [Square(94, 17, side: 1, "\"A\":1"), Square(97, 20, side: 1, "\"A\":2")])
    try fixture.map([fixture.layer("sq", "sq.geojson")])
    let identify = ["identify", fixture.path("map.json")]
    let hint = "x and y look swapped: a point at latitude 96.0 is beyond the pole"
    #expect(try plumb(identify + ["--at", "19,96"]).errors.contains(hint))
    #expect(try !plumb(identify + ["--at", "30,96"]).errors.contains("swapped"))
    try fixture.folder.write("p.csv", "lon,lat\n19,96\n19.5,97\n")
    let batch = try plumb(identify + ["--points", fixture.path("p.csv")])
    #expect(batch.errors.contains("x and y look swapped"), "\(batch.errors)")
    try fixture.folder.write("p.csv", "lon,lat\n30,96\n")
    let far = try plumb(identify + ["--points", fixture.path("p.csv")])
    #expect(!far.errors.contains("swapped"), "\(far.errors)")
  }
}
