import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// `identify` of a map service, of image services, and in plain JSON.
@Suite struct IdentifyTests {
  private func identifyParameters(_ x: Double, _ y: Double, _ more: [String: String] = [:])
    -> [String: String]
  {
    [
      "geometry": "{x:\(x),y:\(y)}", "geometryType": "esriGeometryPoint", "sr": "4326",
      "mapExtent": "18,-34.5,19,-33.5", "imageDisplay": "1000,1000,96", "tolerance": "3",
      "layers": "all", "returnGeometry": "false",
    ].merging(more) { _, new in new }
  }

  /// The elements of layers are the same as those that the library finds with the same tolerance.
  @Test func pointsFindWhatTheLibraryFinds() throws {
    let service = try TestService.sample.get()
    let map = try Map.open(path: TestPaths.rasters + "/cape.json")
    var random = SeededGenerator(seed: 161)
    for _ in 0..<40 {
      let x = Double.random(in: 18.3...19.0, using: &random)
      let y = Double.random(in: -34.3 ... -33.6, using: &random)
      let reply = try service.json(
        "cape/MapServer/identify", identifyParameters(x, y, ["layers": "visible"]))
      let results = try reply.list("results")
      // A pixel is a thousandth of a degree.
      let scale = 0.001 * 6_378_137 * .pi / 180 / (0.0254 / 96)
      let expected = try map.identifyLayers(
        at: Point(x: x, y: y, spatialReference: .wgs84),
        IdentifyOptions(tolerance: .pixels(3), scale: scale, maximumResultsPerLayer: nil))
      var names: [String] = []
      func add(_ result: IdentifyLayerResult) {
        names += result.geoElements.map { _ in result.layerContent.name }
        result.sublayerResults.forEach(add)
      }
      expected.forEach(add)
      #expect(results.compactMap { $0["layerName"] as? String } == names, "\(x), \(y)")
    }
  }

  @Test func valuesAreStringsByDefault() throws {
    let service = try TestService.sample.get()
    let texts = try service.json("cape/MapServer/identify", identifyParameters(18.86, -33.932))
    let first = try #require(try texts.list("results").first)
    #expect(first["layerId"] as? Int == 0 && first["value"] as? String == "Stellenbosch")
    #expect(try first.object("attributes")["POP"] as? String == "77476")
    let values = try service.json(
      "cape/MapServer/identify",
      identifyParameters(18.86, -33.932, ["returnUnformattedValues": "true"]))
    let raw = try #require(try values.list("results").first).object("attributes")
    #expect(raw["POP"] as? Int == 77_476)
    let cells = try texts.list("results").filter {
      (($0["attributes"] as? [String: Any])?["Pixel.Type"]) != nil
    }
    #expect(!cells.isEmpty)
    let top = try service.json(
      "cape/MapServer/identify", identifyParameters(18.86, -33.932, ["layers": "top"]))
    #expect(Set(try top.list("results").compactMap { $0["layerId"] as? Int }) == [0])
    let some = try service.json(
      "cape/MapServer/identify",
      identifyParameters(18.86, -33.932, ["layers": "all:2", "layerDefs": #"{"2":"WARD < 0"}"#]))
    #expect(try some.list("results").isEmpty)
  }

  /// Names in upper and lower case, an extent without a type, and a list of layers without a prefix.
  @Test func readingIsLenient() throws {
    let service = try TestService.sample.get()
    let reply = try service.json(
      "cape/MapServer/identify",
      [
        "GEOMETRY": "{ 'x' : \"18.86\", y:-33.932 }", "Tolerance": "3", "layers": "all:",
        "MAPEXTENT": "{xmin:18,ymin:-34.5,xmax:19,ymax:-33.5}", "imagedisplay": "1000, 1000, 96",
        "returngeometry": "False",
      ])
    #expect(try reply.list("results").first?["value"] as? String == "Stellenbosch")
  }

  /// Pixels are square at the view's position, in any CRS of the layer.
  @Test(arguments: [SIMD2(1.0, 0), SIMD2(0, 1), SIMD2(-0.6, 0.8)])
  func toleranceIsTheViews(direction: SIMD2<Double>) throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(
      #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","#
        + #""coordinates":[18,-33]},"properties":{"a":1}}]}"#, folder: folder)
    let there = try GeometryEngine.project(
      .point(Point(x: 18, y: -33, spatialReference: .wgs84)), to: SpatialReference("EPSG:3857"))
    guard case .point(let point) = there else { return }
    // A pixel is 100 m, so 5 pixels extend 500 m from the symbol's rim; there is no symbol here.
    for (distance, isFound) in [(495.0, true), (505.0, false)] {
      let (x, y) = (point.x + direction.x * distance, point.y + direction.y * distance)
      let reply = try service.json(
        "map/MapServer/identify",
        [
          "geometry": "\(x),\(y)", "sr": "102100", "tolerance": "5", "layers": "all",
          "mapExtent": "\(x - 30_000),\(y - 30_000),\(x + 30_000),\(y + 30_000)",
          "imageDisplay": "600,600,96", "returnGeometry": "true",
        ])
      let results = try reply.list("results")
      #expect(results.count == (isFound ? 1 : 0), "\(distance) m")
      if isFound {
        let shape = try results[0].object("geometry").object("spatialReference")
        #expect(shape["wkid"] as? Int == 102_100)
      }
    }
  }

  /// For an area, the features are those that GEOS finds.
  @Test func areasFindFeatures() throws {
    let service = try TestService.sample.get()
    let reply = try service.json(
      "cape/MapServer/identify",
      identifyParameters(
        0, 0,
        [
          "geometry": "18.7,-34.0,18.9,-33.8", "geometryType": "esriGeometryEnvelope",
          "tolerance": "0", "layers": "all:0",
        ]))
    let count = try service.json(
      "cape/FeatureServer/0/query",
      ["geometry": "18.7,-34.0,18.9,-33.8", "inSR": "4326", "returnCountOnly": "true"])
    #expect(try reply.list("results").count == count["count"] as? Int)
  }

  @Test(arguments: ["geometry", "tolerance", "mapExtent", "imageDisplay"])
  func missingPartsAreReported(name: String) throws {
    var parameters = identifyParameters(18.86, -33.93)
    parameters[name] = nil
    let reply = try TestService.sample.get().json("cape/MapServer/identify", parameters)
    let failure = try reply.failure()
    #expect(failure.code == 400 && failure.message.contains(name))
  }

  /// In strict mode a layer's error fails the request, as in the command.
  @Test func strictRefusesALayersError() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "map.json",
      #"{"operationalLayers":[{"id":"gone","layerType":"ArcGISFeatureLayer","url":"gone.geojson"}],"#
        + #""version":"2.31"}"#)
    let service = try TestService(maps: [folder.path("map.json")])
    let loose = service.api("identify", #"{"at":[[0.5,0.5]]}"#)
    #expect(loose.status == 200)
    let strict = service.api("identify", #"{"at":[[0.5,0.5]],"strict":true}"#)
    #expect(strict.status != 200)
    let run = try ProgramRun(
      TestPaths.program("plumb"),
      ["identify", folder.path("map.json"), "--at", "0.5,0.5", "--strict", "--of", "json"])
    #expect(run.status == 1 && run.output == "")
    let error = try TestService.object(strict).object("error")
    let message = try #require(error["message"] as? String)
    let subject = message.prefix { $0 != ";" }
    #expect(run.errors.contains(subject), "\(run.errors) \(message)")
  }

  /// The lines are the command's, from the same code, for points of all kinds.
  @Test func plainIdentifyIsTheCommands() throws {
    let service = try TestService.sample.get()
    let points = [(18.86, -33.93), (18.42, -33.96), (0, 0), (18.6, -34.1)]
    let body =
      #"{"map":"cape","at":[\#(points.map { "[\($0.0),\($0.1)]" }.joined(separator: ","))],"#
      + #""tolerance":"12px","scale":50000}"#
    let reply = service.api("identify", body)
    #expect(reply.status == 200)
    let run = try ProgramRun(
      TestPaths.program("plumb"),
      ["identify", "rasters/cape.json"] + points.flatMap { ["--at", "\($0.0),\($0.1)"] }
        + ["--tolerance", "12px", "--scale", "50000", "--of", "json"])
    #expect(String(decoding: try reply.bytes(), as: UTF8.self) == run.output)
  }

  @Test func imagesAreSampled() throws {
    let service = try TestService.sample.get()
    let name = try #require(
      try service.json("").list("services").compactMap { $0["name"] as? String }
        .first { $0.hasPrefix("cape_") })
    let image = try service.json("\(name)/ImageServer")
    #expect(image["bandCount"] as? Int == 1)
    let reply = try service.json(
      "\(name)/ImageServer/getSamples",
      [
        "geometry": "{points:[[18.6,-34.1],[0,0]],spatialReference:{wkid:4326}}",
        "geometryType": "esriGeometryMultipoint",
      ])
    let samples = try reply.list("samples")
    #expect(samples.map { $0["locationId"] as? Int } == [0, 1])
    #expect(samples[1]["value"] as? String == "NoData")
    let one = try service.json(
      "\(name)/ImageServer/identify",
      ["geometry": "{x:18.6,y:-34.1,spatialReference:{wkid:4326}}"])
    #expect(one["value"] as? String == samples[0]["value"] as? String)
  }

  /// A cell that cannot be read differs from a cell without a value, regardless of the other
  /// parameters of the request.
  @Test func cellsThatCannotBeReadAreErrors() throws {
    let folder = try TemporaryFolder()
    var bytes = Array(
      try Data(contentsOf: URL(fileURLWithPath: TestPaths.rasters + "/evi_cape_town.tif")))
    for index in bytes.count * 6 / 10..<bytes.count * 7 / 10 { bytes[index] = 0xFF }
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path("evi.tif")))
    let service = try TestService(maps: [folder.path("evi.tif")])
    let points = (0..<900).map { (number: Int) -> (Double, Double) in
      let (row, column) = number.quotientAndRemainder(dividingBy: 30)
      return (18.3 + Double(column) / 50, -34.2 + Double(row) / 60)
    }
    let list = points.map { "[\($0.0),\($0.1)]" }.joined(separator: ",")
    let reply = try service.json(
      "evi_0/ImageServer/getSamples",
      [
        "geometry": "{points:[\(list)],spatialReference:{wkid:4326}}",
        "geometryType": "esriGeometryMultipoint",
      ])
    #expect(try reply.failure().code == 500 && reply["samples"] == nil)
    var read = 0
    let some = stride(from: 0, to: points.count, by: 9).map { points[$0] }
    for point in some {
      let one = try service.json(
        "evi_0/ImageServer/getSamples",
        ["geometry": "{x:\(point.0),y:\(point.1),spatialReference:{wkid:4326}}"])
      if one["samples"] != nil { read += 1 } else { #expect(try one.failure().code == 500) }
    }
    #expect(read > 10 && read < some.count - 2)
  }

  @Test func picturesAreDrawn() throws {
    let service = try TestService.sample.get()
    let box = ["bbox": "18,-34.5,19,-33.5", "bboxSR": "4326", "size": "200,100"]
    let reply = service.reply(
      "/arcgis/rest/services/cape/MapServer/export", box.merging(["f": "image"]) { $1 })
    #expect(reply.contentType == "image/png")
    #expect(try reply.bytes().starts(with: [0x89, 0x50, 0x4E, 0x47]))
    let exported = try service.json("cape/MapServer/export", box)
    #expect(exported["width"] as? Int == 200 && exported["height"] as? Int == 100)
    #expect((exported["href"] as? String)?.hasSuffix("f=image") == true)
    let large = try service.json(
      "cape/MapServer/export", box.merging(["size": "5000,5000"]) { $1 })
    #expect(try large.failure().code == 400)
    // A picture of only the wards differs from an empty picture.
    func picture(_ layers: String) throws -> [UInt8] {
      try service.reply(
        "/arcgis/rest/services/cape/MapServer/export",
        box.merging(["f": "image", "layers": layers]) { $1 }
      ).bytes()
    }
    #expect(try picture("show:2") != picture("show:4"))
    let none = try service.reply(
      "/arcgis/rest/services/cape/MapServer/export",
      box.merging(["f": "image", "layers": "show:2", "layerDefs": "2:WARD < 0"]) { $1 }
    ).bytes()
    #expect(try none == picture("show:4"))
  }
}
