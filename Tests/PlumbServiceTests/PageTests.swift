import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// The page's files, and its requests compared with other requests.
@Suite struct PageTests {
  private func text(_ reply: ServiceReply) throws -> String {
    String(decoding: try reply.bytes(), as: UTF8.self)
  }

  private func post(_ path: String, _ body: String, query: String = "") throws -> ServiceReply {
    try TestService.sample.get().service.reply(
      ServiceRequest(
        .post, path, query: query,
        contentType: body.hasPrefix("{") ? "application/json" : "text/csv", body: Array(body.utf8)))
  }

  // MARK: Files

  @Test func allFilesOfThePageAreServed() throws {
    let folder = TestPaths.root + "/Sources/CPage/page"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(PageFiles.names == names)
    let page = PageFiles()
    let types = [
      "html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml",
    ]
    for name in names {
      let reply = try #require(page.reply(at: "/page/" + name))
      let file = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
      #expect(try reply.bytes() == Array(file), "\(name): build again")
      let type = try #require(types[String(name.split(separator: ".").last ?? "")])
      #expect(reply.contentType == type + "; charset=utf-8")
      let policy = reply.headers.first { $0.name == "Content-Security-Policy" }?.value
      #expect(policy?.contains("script-src 'self'") == true)
    }
    #expect(try text(#require(page.reply(at: "/"))).lowercased().hasPrefix("<!doctype html>"))
    #expect(page.reply(at: "/page/none.js")?.status == 404)
    #expect(page.reply(at: "/page")?.status == 404)
    #expect(page.reply(at: "/arcgis/rest/services") == nil)
  }

  /// Addresses are relative, so that the page works below another path.
  @Test func thePageNamesNoOtherHost() throws {
    for name in PageFiles.names {
      let source = try text(#require(PageFiles().reply(at: "/page/" + name)))
        .replacing("http://www.w3.org/2000/svg", with: "")
      #expect(!source.contains("http://") && !source.contains("https://"), "\(name)")
      #expect(!source.contains("innerHTML") && !source.contains("eval("), "\(name)")
      #expect(!source.contains("src=\"/") && !source.contains("href=\"/"), "\(name)")
    }
  }

  @Test func onlyFilesOfLeafletAreServed() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("leaflet/images"), withIntermediateDirectories: true)
    try folder.write("leaflet/leaflet.js", "L")
    try folder.write("leaflet/images/layers.png", "png")
    try folder.write("leaflet/.hidden.js", "no")
    try folder.write("leaflet/notes.txt", "no")
    try folder.write("secret.js", "no")
    let page = PageFiles(leaflet: folder.path("leaflet"))
    #expect(try text(#require(page.reply(at: "/leaflet/leaflet.js"))) == "L")
    #expect(page.reply(at: "/leaflet/images/layers.png")?.contentType == "image/png")
    for path in [
      "", "/", "/../secret.js", "/%2e%2e/secret.js", "/images/../../secret.js", "/.hidden.js",
      "/notes.txt", "/images", "/none.js", "/images/a/b.png", "//secret.js", "/a\\b.js",
    ] {
      #expect(page.reply(at: "/leaflet" + path)?.status == 404, "\(path)")
    }
    let none = PageFiles(leaflet: folder.path("none"))
    #expect(none.reply(at: "/leaflet/leaflet.js")?.status == 404)
  }

  // MARK: Requests

  @Test func thePageKnowsMapsAndNetworks() throws {
    let reply = try TestService.sample.get().reply("/api/page")
    let page = try TestService.object(reply)
    let map = try #require(page.list("maps").first)
    #expect(map["name"] as? String == "cape")
    let extent = try #require(map["extent"] as? [Double])
    #expect(extent.count == 4 && extent[0] < 18.4 && extent[2] > 18.9 && extent[3] > -33.9)
    let images = try map.list("images")
    #expect(images.contains { $0["service"] as? String == "cape_\($0["layer"] ?? "")" })
    let network = try #require(page.list("networks").first)
    #expect(network["name"] as? String == "gas")
    #expect((network["categories"] as? [String])?.contains("Isolating") == true)
    #expect((network["types"] as? [String])?.contains("isolation") == true)
    #expect((network["extent"] as? [Double])?.count == 4)
    #expect(page["needsToken"] as? Bool == false)
    #expect(page["monitors"] as? [String] == [])
  }

  @Test func referencesSayWhereTheyAreFor() throws {
    let service = try TestService.sample.get()
    // The request is from Esri's sample of buffers. The area in PROJ's database is that of the
    // sample.
    let texas = try TestService.object(service.reply("/api/reference", ["crs": "EPSG:32038"]))
    #expect(texas["areaOfUse"] as? [Double] == [-103.07, 31.72, -94, 34.58])
    #expect(texas["name"] as? String == "NAD27 / Texas North Central")
    #expect(texas["isGeographic"] as? Bool == false)
    #expect((texas["unit"] as? String)?.contains("foot") == true, "\(texas)")
    let world = try TestService.object(service.reply("/api/reference", ["crs": "4326"]))
    #expect(world["areaOfUse"] as? [Double] == [-180, -90, 180, 90])
    // It is not registered.
    let description = try TestService.object(
      service.reply("/api/reference", ["crs": "+proj=laea +lat_0=10 +lon_0=20"]))
    #expect(description["areaOfUse"] is NSNull)
    for wrong in ["", "EPSG:1", "banana"] {
      #expect(service.reply("/api/reference", ["crs": wrong]).status == 400)
    }
    #expect(try post("/api/reference", "{}").status == 405)
  }

  @Test func layersThatAreShownAnswerAlone() throws {
    let service = try TestService.sample.get()
    let layers = try service.json("cape/MapServer").list("layers")
    func number(_ name: String) throws -> Int {
      try #require(layers.first { $0["name"] as? String == name }?["id"] as? Int)
    }
    let (wards, dem) = (try number("wards"), try number("dem"))
    func names(_ layers: String) throws -> [String] {
      let reply = try post(
        "/api/identify", #"{"at":[[18.42,-33.93]],"layers":"\#(layers)"}"#)
      return try TestService.object(reply).list("results").compactMap {
        ($0["layer"] as? [String: Any])?["name"] as? String
      }
    }
    #expect(try names("show:\(wards)") == ["wards"])
    #expect(try names("show:\(wards),\(dem)").sorted() == ["dem", "wards"])
    #expect(try names("show:") == [])
    for wrong in ["hide:1", "show:x", "show:9999", "1"] {
      let reply = try post("/api/identify", #"{"at":[[18.42,-33.93]],"layers":"\#(wrong)"}"#)
      #expect(reply.status == 400, "\(wrong)")
    }
    let sampled = try text(
      post("/api/sample", "x,y\n18.42,-33.93\n", query: "layers=show:\(dem)"))
    #expect(sampled.split(separator: "\n")[0] == "x,y,dem", "\(sampled)")
  }

  /// The initial extent of maps: across 180 degrees, without a CRS, and with all layers hidden.
  @Test func mapsOpenWhereTheyAre() throws {
    let folder = try TemporaryFolder()
    func extent(_ layers: String, reference: String = #""spatialReference":{"wkid":4326},"#) throws
      -> [Double]?
    {
      try folder.write("m.json", "{\(reference)\"operationalLayers\":[\(layers)]}")
      let service = try TestService(maps: [folder.path("m.json")])
      let page = try TestService.object(service.reply("/api/page"))
      return try #require(page.list("maps").first)["extent"] as? [Double]
    }
    func layer(_ file: String, more: String = "") -> String {
      #"{"id":"\#(file)","layerType":"ArcGISFeatureLayer","url":"\#(file)"\#(more)}"#
    }
    func line(_ coordinates: String, crs: String = "") -> String {
      #"{"type":"FeatureCollection",\#(crs)"features":[{"type":"Feature","properties":{},"#
        + #""geometry":{"type":"LineString","coordinates":\#(coordinates)}}]}"#
    }
    // UTM zone 60 ends at 180 degrees, but this line continues beyond.
    let crs = #""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::32660"}},"#
    try folder.write("seam.geojson", line("[[600000,5700000],[900000,5800000]]", crs: crs))
    let seam = try #require(
      try extent(layer("seam.geojson"), reference: #""spatialReference":{"wkid":32660},"#))
    #expect(seam[0] > 178 && seam[0] < 179 && seam[2] < -176 && seam[2] > -178, "\(seam)")
    try folder.write("here.geojson", line("[[18.4,-34],[18.6,-33.9]]"))
    let hidden = try #require(try extent(layer("here.geojson", more: #","visibility":false"#)))
    #expect(abs(hidden[0] - 18.4) < 1e-9 && abs(hidden[3] + 33.9) < 1e-9, "\(hidden)")
  }

  @Test func picturesSayWhatIsMissing() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "m.json",
      #"{"spatialReference":{"wkid":4326},"operationalLayers":[{"id":"gone","title":"gone","#
        + #""layerType":"ArcGISFeatureLayer","url":"gone.geojson"}]}"#)
    let service = try TestService(maps: [folder.path("m.json")])
    let reply = service.reply(
      "/arcgis/rest/services/m/MapServer/export",
      ["f": "image", "bbox": "0,0,1,1", "bboxSR": "4326", "size": "20,20"])
    #expect(reply.contentType == "image/png")
    #expect(reply.warnings.count == 1)
    #expect(reply.warnings.first?.hasPrefix("gone is not drawn: ") == true, "\(reply.warnings)")
  }

  /// If a picture is for a display with twice as many pixels, its symbols are twice as large.
  @Test func symbolsAreMeasuredInInches() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "p.geojson",
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"#
        + #""geometry":{"type":"Point","coordinates":[18.5,-34]}}]}"#)
    let service = try TestService(maps: [folder.path("p.geojson")])
    func drawn(side: Int, dpi: String?) throws -> Double {
      var parameters = [
        "f": "image", "bbox": "18,-34.5,19,-33.5", "bboxSR": "4326", "size": "\(side),\(side)",
      ]
      parameters["dpi"] = dpi
      let reply = service.reply("/arcgis/rest/services/p/MapServer/export", parameters)
      #expect(reply.contentType == "image/png")
      let path = folder.path("\(side)-\(dpi ?? "").png")
      try Data(reply.bytes()).write(to: URL(fileURLWithPath: path))
      let identifier = try RasterIdentifier(
        [RasterSampler.Request(try Raster.open(path).inCells(), bands: [0])])
      let x = (0..<side * side).map { Double($0 % side) + 0.5 }
      let y = (0..<side * side).map { Double($0 / side) + 0.5 }
      let column = identifier.sample(x: x, y: y)[0].columns[0]
      return (0..<side * side).reduce(0) { sum, index in
        sum + (1 - (column[index]?.real ?? 255) / 255)
      }
    }
    let usual = try drawn(side: 40, dpi: nil)
    #expect(usual > 5)
    #expect(abs(try drawn(side: 40, dpi: "96") - usual) < 1e-9)
    #expect(abs(try drawn(side: 80, dpi: nil) / usual - 1) < 0.2)
    #expect(abs(try drawn(side: 80, dpi: "192") / usual - 4) < 0.4)
  }
}
