import Foundation
import PlumbTestSupport
import Testing

/// Several sets of fences, unreadable feeds, and their messages.
@Suite struct MonitorFeedTests {
  let scene: MonitorScene

  init() throws { scene = try MonitorScene() }

  @Test("each of several --fences is a monitor; a fault of a row is reported once")
  func severalFences() throws {
    try scene.folder.write(
      "crates.geojson", MonitorScene.fences.replacingOccurrences(of: "Box", with: "Crate"))
    try scene.folder.write(
      "late.csv",
      """
      time,x,y
      10,-1,0.5
      20,0.5,0.5
      5,0.5,0.5
      30,-1,0.5

      """)
    let run = try scene.run(
      ["--fences", "fences.geojson", "--fences", "crates.geojson"], feed: "late.csv")
    #expect(run.status == 0)
    let events = try run.objects.map {
      "\($0["monitor"] ?? "") \($0["type"] ?? "") \($0["fence"] ?? "") \($0["index"] ?? "")"
    }
    #expect(
      events == [
        "fences entered Box 1", "crates entered Crate 1", "fences exited Box 3",
        "crates exited Crate 3",
      ])
    #expect(run.errors.components(separatedBy: "older than its entity's last").count == 2)
    #expect(run.errors.contains("crates: fence 8: a point needs a buffer distance"))
  }

  @Test("each of several --raster-fence is a monitor") func severalRegions() throws {
    let dem = TestPaths.rasters + "/dem/S34E018.tif"
    try scene.folder.write("climb.csv", "time,x,y\n1,18.4325,-33.9880\n2,18.4095,-33.9680\n")
    let run = try scene.run(
      ["--raster-fence", "\(dem): $value > 600", "--raster-fence", "\(dem): $value > -1000"],
      feed: "climb.csv")
    #expect(run.status == 0 && run.lines.count == 2, "\(run.errors)")
  }

  @Test("vehicles are distinguished by device_id, which is reported") func devices() throws {
    try scene.folder.write("devices.csv", "device_id,time,x,y\na,1,0.5,0.5\nb,1,0.5,0.5\n")
    let run = try scene.run(["--fences", "fences.geojson"], feed: "devices.csv")
    #expect(run.lines.count == 2)
    #expect(run.errors.contains("plumb: the column device_id identifies the entities"))
    let quiet = try scene.run(["--fences", "fences.geojson", "-q"], feed: "devices.csv")
    #expect(quiet.errors == "")
  }

  @Test("a feed without a single location ends with status 1 and names its format")
  func nothingRead() throws {
    try scene.folder.write("bad.csv", "time,x,y\nyesterday,1,2\n1,nowhere,2\n")
    let run = try scene.run(["--fences", "fences.geojson", "-q"], feed: "bad.csv")
    run.expectRefusal("bad.csv (CSV): no row has a location and a time")
    try scene.folder.write("none.csv", "time,x,y\n")
    try scene.run(["--fences", "fences.geojson", "-q"], feed: "none.csv")
      .expectRefusal("none.csv (CSV): no row has a location and a time")
    // An AIS message that does not contain a position.
    try scene.folder.write(
      "static.nmea", "!AIVDO,1,1,,A,401rN?Qva@b0702BO00BCp000000,0*0F\n")
    try scene.run(["--fences", "fences.geojson", "-q"], feed: "static.nmea")
      .expectRefusal("static.nmea (NMEA 0183): no row has a location and a time")
    let pipe = try scene.run(["--fences", "fences.geojson"], feed: "-", input: "time,x,y\na,b,c\n")
    #expect(pipe.status == 1 && pipe.errors.contains("standard input (CSV): no row"))
    #expect(
      try scene.run(["--fences", "fences.geojson", "-o", "no.csv"], feed: "bad.csv").status == 1)
    #expect(!FileManager.default.fileExists(atPath: scene.folder.path + "/no.csv"))
  }

  @Test("binary files and moving features are named") func otherKinds() throws {
    for (name, bytes, line) in [
      ("a.gpkg", "SQLite format 3\0", "a.gpkg is a GeoPackage or another SQLite database"),
      ("a.parquet", "PAR1abc", "a.parquet: damaged Parquet: 7 bytes are too few for a file"),
      ("a.zip", "PK\u{3}\u{4}", "a.zip is a ZIP archive"),
    ] {
      try scene.folder.write(name, bytes)
      let run = try scene.run(["--fences", "fences.geojson", "-q"], feed: name)
      #expect(run.status == 1 && run.errors.hasPrefix("plumb: \(line)"), "\(run.errors)")
    }
    try scene.folder.write(
      "moving.json",
      #"{"type":"Feature","temporalGeometry":{"type":"MovingPoint","datetimes":[1],"#
        + #""coordinates":[[0.5,0.5]]},"properties":{}}"#)
    let run = try scene.run(["--fences", "fences.geojson"], feed: "moving.json")
    #expect(run.status == 1 && run.errors.contains("OGC Moving Features JSON"), "\(run.errors)")
  }

  @Test("plain objects, arrays and OwnTracks are read as in the server") func objects()
    throws
  {
    let plain = [
      #"{"id":"a","time":1,"lon":0.5,"lat":0.5}"#, #"{"id":"a","time":2,"lon":1.5,"lat":0.5}"#,
    ]
    for (name, text) in [
      ("lines.jsonl", plain.joined(separator: "\n")),
      ("array.json", "[\n" + plain.joined(separator: ",\n") + "\n]\n"),
      (
        "tracks.jsonl",
        plain.map {
          $0.replacing(#""id":"a""#, with: #""_type":"location","topic":"owntracks/a/phone""#)
            .replacing(#""time""#, with: #""tst""#)
        }.joined(separator: "\n")
      ),
    ] {
      try scene.folder.write(name, text)
      #expect(try scene.brief(feed: name) == ["entered Box 0", "exited Box 1"], "\(name)")
      let pipe = try shell(
        "cat \(name) | $PLUMB monitor --feed - --fences fences.geojson", folder: scene.folder.path)
      #expect(pipe.lines.count == 2, "\(name) \(pipe.errors)")
    }
    // An object that spans several lines.
    try scene.folder.write("one.json", plain[0].replacing(",", with: ",\n"))
    #expect(try scene.brief(feed: "one.json") == ["entered Box 0"])
  }

  @Test("ships enter fences by their reports, at the available times") func ships() throws {
    let report = "!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C"
    try scene.folder.write(
      "harbour.geojson",
      #"{"type":"Feature","properties":{"name":"Harbour"},"geometry":{"type":"Polygon","#
        + #""coordinates":[[[-123,47],[-122,47],[-122,48],[-123,48],[-123,47]]]}}"#)
    for (name, text, time) in [
      ("bare.nmea", report, "1970-01-01T00:00:15Z"),
      ("tagged.nmea", "\\s:x,c:1777629607*00\\" + report, "2026-05-01T10:00:07Z"),
      (
        "station.nmea", "!AIVDO,1,1,,A,401rN?Qva@b0702BO00BCp000000,0*0F\n" + report,
        "2026-05-01T10:00:15Z"
      ),
    ] {
      try scene.folder.write(name, text + "\n")
      let run = try scene.run(["--fences", "harbour.geojson"], feed: name)
      #expect(run.status == 0, "\(run.errors)")
      let event = try #require(try run.objects.first, "\(run.errors)")
      #expect(event["entity"] as? String == "477553000" && event["time"] as? String == time)
      #expect(run.errors.contains("have no date") == (name == "bare.nmea"), "\(run.errors)")
    }
  }

  @Test("a time in the future does not block an entity") func future() throws {
    try scene.folder.write(
      "future.csv", "time,x,y\n1,-1,0.5\n4000000000,-1,0.5\n2,0.5,0.5\n3,-1,0.5\n")
    let brief = ["entered Box 2", "exited Box 3"]
    #expect(try scene.brief(["--max-ahead", "3600"], feed: "future.csv") == brief)
    let pipe = try shell(
      "cat future.csv | $PLUMB monitor --feed - --fences fences.geojson", folder: scene.folder.path)
    #expect(pipe.lines.count == 2 && pipe.errors.contains(" s ahead of the clock"))
    for arguments in [["--max-ahead", "nan"], ["--max-ahead", "1", "--simulate"]] {
      #expect(try scene.run(["--fences", "a"] + arguments).status == 64)
    }
  }

  @Test("warnings are limited, and those not shown are counted") func limited() throws {
    let rows = (0..<1500).map { "x\($0),1,2\n" }.joined() + "1,0.5,0.5\n"
    try scene.folder.write("wrong.csv", "time,x,y\n" + rows)
    let run = try scene.run(["--fences", "fences.geojson"], feed: "wrong.csv")
    #expect(run.status == 0 && run.lines.count == 1)
    #expect(run.errors.components(separatedBy: "invalid time").count == 1001)
    #expect(run.errors.contains("and 500 more rows with faults"))
  }
}
