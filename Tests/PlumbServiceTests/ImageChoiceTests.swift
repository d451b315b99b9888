import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// `mosaicRule`, `interpolation`, `pixelSize` and `bandIds` of image services.
@Suite struct ImageChoiceTests {
  private static func grid(_ columns: Int, _ rows: Int, cell: Double, _ value: Int) -> String {
    let line = Array(repeating: "\(value)", count: columns).joined(separator: " ")
    return "ncols \(columns)\nnrows \(rows)\nxllcorner 0\nyllcorner 0\ncellsize \(cell)\n"
      + Array(repeating: line, count: rows).joined(separator: "\n") + "\n"
  }

  /// A file with the value 1 from 0 to 4 and, below it, a file with the value 2 from 0 to 8.
  private static func mosaic(_ folder: TemporaryFolder) throws -> TestService {
    try folder.write("t_a.asc", grid(4, 4, cell: 1, 1))
    try folder.write("t_b.asc", grid(8, 8, cell: 1, 2))
    for name in ["a", "b"] {
      try folder.write(
        "t_\(name).prj",
        #"PROJCS["WGS 84 / Pseudo-Mercator",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84","#
          + #"6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],"#
          + #"PROJECTION["Mercator_1SP"],PARAMETER["central_meridian",0],PARAMETER["scale_factor",1],"#
          + #"PARAMETER["false_easting",0],PARAMETER["false_northing",0],UNIT["metre",1]]"#)
    }
    try folder.write(
      "map.json",
      #"{"operationalLayers":[{"id":"m","layerType":"RasterLayer","url":"t_*.asc"}],"#
        + #""version":"2.31"}"#)
    return try TestService(maps: [folder.path("map.json")])
  }

  private static let points = ["geometry": "{points:[[1.5,1.5],[6.5,1.5]]}"]

  @Test(arguments: [
    ("", ["1", "2"], [1, 2]), ("{}", ["1", "2"], [1, 2]), ("null", ["1", "2"], [1, 2]),
    (#"{"mosaicMethod":"esriMosaicNone","ascending":true,"where":""}"#, ["1", "2"], [1, 2]),
    (#"{"mosaicMethod":"esriMosaicLockRaster","lockRasterIds":[2]}"#, ["2", "2"], [2, 2]),
    (#"{mosaicMethod:"LockRaster",LockRasterIDs:"2,1"}"#, ["2", "2"], [2, 2]),
    (#"{"lockRasterIds":[1,2],"mosaicOperation":"MT_FIRST"}"#, ["1", "2"], [1, 2]),
    (#"{"lockRasterIds":[1]}"#, ["1", "NoData"], [1, 1]),
    (#"{"fids":[1]}"#, ["1", "NoData"], [1, 1]),
    (#"{"fids":[2,1]}"#, ["1", "2"], [1, 2]),
    (#"{"lockRasterIds":[2,1],"fids":[1]}"#, ["1", "NoData"], [1, 1]),
    (#"{"fids":[]}"#, ["1", "2"], [1, 2]),
  ])
  func filesAreChosen(rule: String, values: [String], files: [Int]) throws {
    let folder = try TemporaryFolder()
    let service = try Self.mosaic(folder)
    let reply = try service.json(
      "map_0/ImageServer/getSamples", Self.points.merging(["mosaicRule": rule]) { $1 })
    let samples = try reply.list("samples")
    #expect(samples.compactMap { $0["value"] as? String } == values)
    #expect(samples.compactMap { $0["rasterId"] as? Int } == files)
    for (point, value) in zip(["1.5,1.5", "6.5,1.5"], values) {
      let one = try service.json(
        "map_0/ImageServer/identify", ["geometry": point, "mosaicRule": rule])
      #expect(one["value"] as? String == value)
    }
  }

  @Test func picturesAreOfTheFilesThatAreChosen() throws {
    let folder = try TemporaryFolder()
    let service = try Self.mosaic(folder)
    func picture(_ rule: String) throws -> [UInt8] {
      let reply = service.reply(
        "/arcgis/rest/services/map_0/ImageServer/exportImage",
        ["bbox": "0,0,8,8", "size": "16,16", "f": "image", "mosaicRule": rule])
      #expect(reply.contentType == "image/png")
      return try reply.bytes()
    }
    let all = try picture("")
    #expect(try picture(#"{"lockRasterIds":[1,2]}"#) == all)
    let upper = try picture(#"{"lockRasterIds":[1]}"#)
    #expect(try upper != all && picture(#"{"lockRasterIds":[2]}"#) != upper)
    #expect(try picture(#"{"fids":[1]}"#) == upper)
    let image = try service.json("map_0/ImageServer")
    #expect(image["allowedMosaicMethods"] as? String == "None,LockRaster")
  }

  @Test(arguments: [
    (
      #"{"lockRasterIds":[3]}"#,
      "is invalid: the raster 3 in lockRasterIds does not exist; rasters are numbered 1 to 2"
    ),
    (
      #"{"fids":[0]}"#,
      "is invalid: the raster 0 in fids does not exist; rasters are numbered 1 to 2"
    ),
    (
      #"{"fids":"x"}"#,
      "is invalid: the raster x in fids does not exist; rasters are numbered 1 to 2"
    ),
    (
      #"{"fids":true}"#,
      "is invalid: the raster ? in fids does not exist; rasters are numbered 1 to 2"
    ),
    (
      #"{"lockRasterIds":[1],"fids":[2]}"#,
      "is invalid: no raster is both in lockRasterIds and in fids"
    ),
    (#"{"mosaicMethod":"esriMosaicLockRaster"}"#, "is invalid: lockRasterIds is missing"),
    (
      #"{"mosaicMethod":"esriMosaicNorthwest"}"#,
      "is not supported: mosaicmethod of a mosaic rule; choose files with lockRasterIds and fids"
    ),
    (
      #"{"where":"id=1"}"#,
      "is not supported: where of a mosaic rule; choose files with lockRasterIds and fids"
    ),
    (
      #"{"ascending":false}"#,
      "is not supported: ascending of a mosaic rule; choose files with lockRasterIds and fids"
    ),
    ("[1]", "is invalid: expected an object"), ("1", "is invalid: expected an object"),
  ])
  func otherRulesAreRefused(rule: String, message: String) throws {
    let folder = try TemporaryFolder()
    let service = try Self.mosaic(folder)
    for (operation, more) in [
      ("getSamples", Self.points), ("identify", ["geometry": "1,1"]),
      ("exportImage", ["bbox": "0,0,8,8"]),
    ] {
      let reply = try service.json(
        "map_0/ImageServer/" + operation, more.merging(["mosaicRule": rule, "f": "image"]) { $1 })
      #expect(try reply.failure().message == "'mosaicRule' parameter " + message)
    }
  }

  @Test(arguments: [
    ("RSP_NearestNeighbor", Resampling.nearest), ("rsp_bilinearinterpolation", .bilinear),
    ("RSP_CubicConvolution", .cubic), ("", .nearest),
  ])
  func valuesAreInterpolated(word: String, resampling: Resampling) throws {
    let service = try TestService(maps: [TestPaths.rasters + "/evi_cape_town.tif"])
    let raster = try #require(try [Raster].open([TestPaths.rasters + "/evi_cape_town.tif"]).first)
    let library = try RasterIdentifier(
      [RasterSampler.Request(raster)], reference: .wgs84, resampling: resampling)
    let points = (0..<50).map { (number: Int) -> (Double, Double) in
      let step = Double(number)
      return (18.4 + step / 173, -34.1 + step / 311)
    }
    let expected = library.sample(x: points.map(\.0), y: points.map(\.1))[0]
    let list = points.map { "[\($0.0),\($0.1)]" }.joined(separator: ",")
    let reply = try service.json(
      "evi_cape_town_0/ImageServer/getSamples",
      [
        "geometry": "{points:[\(list)],spatialReference:{wkid:4326}}", "interpolation": word,
      ])
    let values = try reply.list("samples").compactMap { $0["value"] as? String }
    #expect(
      values.map { Double($0) } == points.indices.map { expected.columns[0][$0]?.real })
    #expect(Set(values).count > 10)
    let one = try service.json(
      "evi_cape_town_0/ImageServer/identify",
      [
        "geometry": "{x:\(points[7].0),y:\(points[7].1),spatialReference:{wkid:4326}}",
        "interpolation": word,
      ])
    #expect(one["value"] as? String == values[7])
  }

  @Test func otherInterpolationsAreRefused() throws {
    let service = try TestService(maps: [TestPaths.rasters + "/evi_cape_town.tif"])
    let samples = try service.json(
      "evi_cape_town_0/ImageServer/getSamples",
      ["geometry": "18.6,-34.1", "sr": "4326", "interpolation": "RSP_Majority"])
    #expect(
      try samples.failure().message.hasPrefix(
        "'interpolation' parameter is not supported: RSP_Majority; write RSP_NearestNeighbor"))
  }

  /// Pictures are drawn from the values that `getSamples` returns.
  @Test func picturesAreInterpolated() throws {
    let folder = try TemporaryFolder()
    // Heights of a plane, which interpolation preserves.
    let rows = (0..<8).map { row in
      (0..<8).map { "\((7 - row) * 20 + $0 * 10)" }.joined(separator: " ")
    }
    let head = "ncols 8\nnrows 8\nxllcorner 0\nyllcorner 0\ncellsize 1\n"
    try folder.write("coarse.asc", head + rows.joined(separator: "\n") + "\n")
    // The same plane in cells of an eighth, from the centres of the outer cells inwards.
    let fine = (0..<56).map { row in
      (0..<56).map { "\((55.5 - Double(row)) * 2.5 + (Double($0) + 0.5) * 1.25)" }
        .joined(separator: " ")
    }
    try folder.write(
      "fine.asc",
      "ncols 56\nnrows 56\nxllcorner 0.5\nyllcorner 0.5\ncellsize 0.125\n"
        + fine.joined(separator: "\n") + "\n")
    let service = try TestService(maps: [folder.path("coarse.asc"), folder.path("fine.asc")])
    func picture(_ map: String, _ interpolation: String) throws -> [UInt8] {
      let reply = service.reply(
        "/arcgis/rest/services/\(map)_0/ImageServer/exportImage",
        ["bbox": "1,1,7,7", "size": "48,48", "f": "image", "interpolation": interpolation])
      #expect(reply.contentType == "image/png")
      return try reply.bytes()
    }
    let nearest = try picture("coarse", "RSP_NearestNeighbor")
    #expect(try picture("coarse", "") == nearest)
    let plane = try picture("fine", "")
    #expect(plane != nearest)
    #expect(try picture("coarse", "RSP_BilinearInterpolation") == plane)
    #expect(try picture("coarse", "RSP_CubicConvolution") == plane)
    let reply = try service.json(
      "coarse_0/ImageServer/exportImage", ["bbox": "1,1,7,7", "interpolation": "RSP_Majority"])
    #expect(try reply.failure().message.hasPrefix("'interpolation' parameter is not supported"))
  }

  /// Larger cells are read from the file's overviews.
  @Test func pixelSizesChooseTheCells() throws {
    let folder = try TemporaryFolder()
    try folder.write("own.asc", Self.grid(8, 8, cell: 1, 3))
    try folder.write("half.asc", Self.grid(4, 4, cell: 2, 50))
    let source = { (file: String) in
      "<SourceFilename relativeToVRT=\"1\">\(file)</SourceFilename><SourceBand>1</SourceBand>"
    }
    try folder.write(
      "v.vrt",
      "<VRTDataset rasterXSize=\"8\" rasterYSize=\"8\"><SRS>EPSG:3857</SRS>"
        + "<GeoTransform>0,1,0,8,0,-1</GeoTransform><VRTRasterBand dataType=\"Int32\" band=\"1\">"
        + "<SimpleSource>\(source("own.asc"))</SimpleSource>"
        + "<Overview>\(source("half.asc"))</Overview></VRTRasterBand></VRTDataset>")
    let service = try TestService(maps: [folder.path("v.vrt")])
    func value(_ size: String) throws -> String? {
      let reply = try service.json(
        "v_0/ImageServer/identify", ["geometry": "1.5,1.5", "pixelSize": size])
      return reply["error"] == nil ? reply["value"] as? String : try reply.failure().message
    }
    for size in ["", "1", "1,1", "0.2,0.2", #"{"x":1.5,"y":1.5}"#] {
      #expect(try value(size) == "3", "\(size)")
    }
    for size in [
      "2", "2,2", "3.9,3.9", "100,100", "{x:2,y:2}", "1.9999,1.9999",
      #"{"x":2,"y":2,"spatialReference":{"wkid":102100}}"#,
      #"{"x":0.00002,"y":0.00002,"spatialReference":{"wkid":4326}}"#,
    ] { #expect(try value(size) == "50", "\(size)") }
    for size in ["0", "-1,-1", "x", "1,2,3", "{}", "{x:0,y:0}", "1e400"] {
      #expect(try value(size)?.hasPrefix("'pixelSize' parameter is invalid") == true, "\(size)")
    }
    let sample = try service.json(
      "v_0/ImageServer/getSamples", ["geometry": "1.5,1.5", "pixelSize": "2,2"]
    ).list("samples")[0]
    #expect(sample["value"] as? String == "50" && sample["resolution"] as? Double == 2)
  }

  @Test func bandsAreChosen() throws {
    let folder = try TemporaryFolder()
    for (name, value) in [("r", 10), ("g", 20), ("b", 30)] {
      try folder.write("\(name).asc", Self.grid(4, 4, cell: 1, value))
    }
    let bands = ["r", "g", "b"].enumerated().map { number, name in
      "<VRTRasterBand dataType=\"Int32\" band=\"\(number + 1)\"><SimpleSource><SourceFilename "
        + "relativeToVRT=\"1\">\(name).asc</SourceFilename><SourceBand>1</SourceBand>"
        + "</SimpleSource></VRTRasterBand>"
    }
    try folder.write(
      "v.vrt",
      "<VRTDataset rasterXSize=\"4\" rasterYSize=\"4\"><SRS>EPSG:3857</SRS>"
        + "<GeoTransform>0,1,0,4,0,-1</GeoTransform>\(bands.joined())</VRTDataset>")
    let service = try TestService(maps: [folder.path("v.vrt")])
    for (ids, expected) in [
      ("", "10 20 30"), ("0", "10"), ("2,0", "30 10"), ("[1]", "20"), ("1,1", "20 20"),
    ] {
      for operation in ["identify", "getSamples"] {
        let reply = try service.json(
          "v_0/ImageServer/" + operation, ["geometry": "1.5,1.5", "bandIds": ids])
        let found = reply["value"] ?? (try? reply.list("samples"))?.first?["value"]
        #expect(found as? String == expected, "\(operation) \(ids): \(reply)")
      }
    }
    for ids in ["3", "-1", "x", "1.5"] {
      let reply = try service.json(
        "v_0/ImageServer/identify", ["geometry": "1.5,1.5", "bandIds": ids])
      #expect(try reply.failure().message.hasPrefix("'bandIds' parameter is invalid"), "\(ids)")
    }
  }

  /// The limits are those of the chosen band, at any position in the list.
  @Test func bandsAreStretchedByTheirOwnLimits() throws {
    let folder = try TemporaryFolder()
    let rows = (0..<8).map { row in
      (0..<8).map { "\(row * 8 + $0)" }.joined(separator: " ")
    }
    try folder.write(
      "v.asc",
      "ncols 8\nnrows 8\nxllcorner 0\nyllcorner 0\ncellsize 1\n" + rows.joined(separator: "\n")
        + "\n")
    let band = { (number: Int) in
      "<VRTRasterBand dataType=\"Int32\" band=\"\(number)\"><SimpleSource><SourceFilename "
        + "relativeToVRT=\"1\">v.asc</SourceFilename><SourceBand>1</SourceBand></SimpleSource>"
        + "</VRTRasterBand>"
    }
    try folder.write(
      "v.vrt",
      "<VRTDataset rasterXSize=\"8\" rasterYSize=\"8\"><SRS>EPSG:3857</SRS>"
        + "<GeoTransform>0,1,0,8,0,-1</GeoTransform>\((1...3).map(band).joined())</VRTDataset>")
    let limits = ["[0,63,1,1]", "[10,20,1,1]", "[30,90,1,1]"]
    func map(_ name: String, _ statistics: [String]) throws -> String {
      try folder.write(
        name + ".json",
        #"{"operationalLayers":[{"id":"v","layerType":"RasterLayer","url":"v.vrt","layerDefinition":"#
          + #"{"drawingInfo":{"renderer":{"type":"rasterStretch","stretchType":"minMax","#
          + #""statistics":[\#(statistics.joined(separator: ","))]}}}}],"version":"2.31"}"#)
      return folder.path(name + ".json")
    }
    let service = try TestService(maps: [
      map("all", limits), map("turned", limits.reversed()), map("two", Array(limits[1...1])),
      map("three", Array(limits[2...2])),
    ])
    func picture(_ map: String, _ bands: String) throws -> [UInt8] {
      let reply = service.reply(
        "/arcgis/rest/services/\(map)_0/ImageServer/exportImage",
        ["bbox": "0,0,8,8", "size": "16,16", "f": "image", "bandIds": bands])
      #expect(reply.contentType == "image/png", "\(map) \(bands)")
      return try reply.bytes()
    }
    // The bands have the same values, so that only the limits distinguish them.
    #expect(try picture("all", "1") == picture("two", "0"))
    #expect(try picture("all", "2") == picture("three", "0"))
    #expect(try picture("all", "2,1,0") == picture("turned", "0,1,2"))
    #expect(try picture("all", "2,1,0") != picture("all", "0,1,2"))
  }

  /// Three bands of bytes, each a separate ramp, and also their single files in another order.
  @Test func picturesAreOfTheBandsThatAreChosen() throws {
    let folder = try TemporaryFolder()
    for (name, step) in [("r", 3), ("g", 17), ("b", 29)] {
      let rows = (0..<8).map { row in
        (0..<8).map { "\((row * 8 + $0) * step % 251)" }.joined(separator: " ")
      }
      try folder.write(
        "\(name).asc",
        "ncols 8\nnrows 8\nxllcorner 0\nyllcorner 0\ncellsize 1\n"
          + rows.joined(separator: "\n") + "\n")
    }
    func stack(_ name: String, _ files: [String]) throws -> String {
      let colors = files.count == 3 ? ["Red", "Green", "Blue"] : ["Gray"]
      let bands = zip(files, colors).enumerated().map { number, band in
        "<VRTRasterBand dataType=\"Byte\" band=\"\(number + 1)\"><ColorInterp>\(band.1)"
          + "</ColorInterp><SimpleSource><SourceFilename relativeToVRT=\"1\">\(band.0).asc"
          + "</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand>"
      }
      try folder.write(
        name + ".vrt",
        "<VRTDataset rasterXSize=\"8\" rasterYSize=\"8\"><SRS>EPSG:3857</SRS>"
          + "<GeoTransform>0,1,0,8,0,-1</GeoTransform>\(bands.joined())</VRTDataset>")
      return folder.path(name + ".vrt")
    }
    let service = try TestService(maps: [
      stack("rgb", ["r", "g", "b"]), stack("bgr", ["b", "g", "r"]), stack("grr", ["g", "r", "r"]),
      stack("g1", ["g"]),
    ])
    func picture(_ map: String, _ bands: String) throws -> [UInt8] {
      let reply = service.reply(
        "/arcgis/rest/services/\(map)_0/ImageServer/exportImage",
        ["bbox": "0,0,8,8", "size": "16,16", "f": "image", "bandIds": bands])
      #expect(reply.contentType == "image/png", "\(map) \(bands)")
      return try reply.bytes()
    }
    let usual = try picture("rgb", "")
    #expect(try picture("rgb", "0,1,2") == usual)
    for (bands, map) in [("2,1,0", "bgr"), ("1,0,0", "grr"), ("1", "g1")] {
      let found = try picture("rgb", bands)
      #expect(try found == picture(map, "") && found != usual, "\(bands)")
    }
    for (bands, message) in [
      ("0,1", "'bandIds' parameter is invalid: a picture takes one band, or three"),
      ("0,1,2,0", "'bandIds' parameter is invalid: a picture takes one band, or three"),
      ("3", "'bandIds' parameter is invalid: band 3 does not exist; bands are numbered 0 to 2"),
    ] {
      let reply = try service.json(
        "rgb_0/ImageServer/exportImage", ["bbox": "0,0,8,8", "bandIds": bands])
      #expect(try reply.failure().message == message)
    }
  }
}
