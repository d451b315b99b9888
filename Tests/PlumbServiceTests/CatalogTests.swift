import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// Names, numbers and descriptions of services.
@Suite struct CatalogTests {
  @Test func servicesAreListed() throws {
    let service = try TestService.sample.get()
    let listing = try service.json("")
    #expect(listing["folders"] as? [String] == ["Utilities"])
    let names = try listing.list("services").map {
      "\($0["name"] as? String ?? "")/\($0["type"] as? String ?? "")"
    }
    #expect(names.prefix(2) == ["cape/MapServer", "cape/FeatureServer"])
    #expect(names.suffix(2) == ["gas/FeatureServer", "gas/UtilityNetworkServer"])
    #expect(names.dropFirst(2).dropLast(2).allSatisfy { $0.hasSuffix("/ImageServer") })
    let utilities = try service.json("Utilities").list("services")
    #expect(utilities.first?["name"] as? String == "Utilities/Geometry")
  }

  /// Depth first, topmost first, and the same in both services.
  @Test func layersAreNumbered() throws {
    let service = try TestService.sample.get()
    let map = try Map.open(path: TestPaths.rasters + "/cape.json")
    var names: [String] = []
    func add(_ layer: any Layer) {
      names.append(layer.name)
      try? layer.load()
      layer.sublayers.forEach(add)
    }
    map.layers.reversed().forEach(add)
    let layers = try service.json("cape/MapServer").list("layers")
    #expect(layers.map { $0["name"] as? String } == names)
    #expect(layers.map { $0["id"] as? Int } == Array(names.indices))
    for layer in layers {
      for child in layer["subLayerIds"] as? [Int] ?? [] {
        #expect(layers[child]["parentLayerId"] as? Int == layer["id"] as? Int)
      }
    }
    let features = try service.json("cape/FeatureServer").list("layers")
    for layer in features {
      let id = try #require(layer["id"] as? Int)
      #expect(layer["name"] as? String == names[id])
    }
  }

  @Test func layersAreDescribed() throws {
    let service = try TestService.sample.get()
    let places = try service.json("cape/FeatureServer/0")
    #expect(places["geometryType"] as? String == "esriGeometryPoint")
    #expect(places["objectIdField"] as? String == "OBJECTID")
    #expect(places["maxRecordCount"] as? Int == 2000)
    let fields = try places.list("fields")
    #expect(
      fields.map { $0["name"] as? String } == ["OBJECTID", "NAME", "KIND", "POP", "ELEV"])
    #expect(
      fields.map { $0["type"] as? String } == [
        "esriFieldTypeOID", "esriFieldTypeString", "esriFieldTypeString", "esriFieldTypeInteger",
        "esriFieldTypeInteger",
      ])
    #expect(
      try places.object("advancedQueryCapabilities")["supportsPagination"] as? Bool == true)
    let renderer = try places.object("drawingInfo").object("renderer")
    #expect(renderer["type"] as? String != nil)
    #expect(try service.json("cape/FeatureServer/99").failure().code == 404)
    #expect(try service.json("cape/MapServer/layers").list("layers").count > 10)
    let legend = try service.json("cape/MapServer/legend").list("layers")
    for layer in legend {
      for entry in try layer.list("legend") {
        let data = try #require(Data(base64Encoded: entry["imageData"] as? String ?? ""))
        #expect(data.starts(with: [0x89, 0x50, 0x4E, 0x47]))
      }
    }
  }

  @Test func equalStemsAreAnError() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
      try folder.write("\(name)/Map.json", #"{"operationalLayers":[],"version":"2.31"}"#)
    }
    #expect(throws: PlumbError.self) {
      try TestService(maps: [folder.path("a/Map.json"), folder.path("b/Map.json")])
    }
  }

  /// Layers that cannot be served unchanged are reported, and values have the declared types.
  @Test func foreignFeaturesAreReported() throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(
      #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"#
        + #""GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"#
        + #""LineString","coordinates":[[0,0],[1,1]]}]},"properties":{"a":[1,2],"b":{"c":1}}},"#
        + #"{"type":"Feature","geometry":null,"properties":{"a":"x"}}]}"#, folder: folder)
    let reply = try service.json(
      "map/FeatureServer/0/query", ["where": "1=1", "outFields": "a,b"])
    let rows = try reply.attributes()
    #expect(rows.first?["a"] as? String == "[ 1, 2 ]" && rows.last?["a"] as? String == "x")
    let catalog = try ServiceCatalog(
      maps: [folder.path("map.json")], networks: [], ServiceSettings())
    let lines = catalog.warm()
    #expect(lines.count == 1 && lines[0].contains("feature 1"), "\(lines)")
  }

  /// A field that already has the name is kept; the new field has another name. Stored ids are
  /// kept.
  @Test func objectIDs() throws {
    let folder = try TemporaryFolder()
    func feature(_ id: String, _ name: String) -> String {
      #"{"type":"Feature",\#(id)"geometry":{"type":"Point","coordinates":[1,2]},"#
        + #""properties":{"OBJECTID":7,"objectid_1":"\#(name)"}}"#
    }
    let text =
      #"{"type":"FeatureCollection","features":["#
      + [feature(#""id":30,"#, "a"), feature(#""id":10,"#, "b")].joined(separator: ",") + "]}"
    let service = try TestService.of(text, folder: folder)
    let layer = try service.json("map/FeatureServer/0")
    #expect(layer["objectIdField"] as? String == "OBJECTID_2")
    let reply = try service.json(
      "map/FeatureServer/0/query", ["where": "OBJECTID_2 = 10", "outFields": "*"])
    let found = try reply.attributes()
    #expect(found.map { $0["objectid_1"] as? String } == ["b"])
    #expect(found.map { $0["OBJECTID"] as? Int } == [7])
    #expect(found.map { $0["OBJECTID_2"] as? Int } == [10])

    let plain = try TestService.of(
      text.replacing(#""id":30,"#, with: "").replacing(#""id":10,"#, with: ""),
      folder: TemporaryFolder())
    let ids = try plain.json("map/FeatureServer/0/query", ["returnIdsOnly": "true"])
    #expect(ids["objectIds"] as? [Int] == [1, 2])
  }
}
