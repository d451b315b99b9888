import Foundation
import PlumbTestSupport
import Testing

/// Several sets of fences, feeds that cannot be read, and what is said of them.
@Suite struct MonitorFeedTests {
  let scene: MonitorScene

  init() throws { scene = try MonitorScene() }

  @Test("each of several --fences is a monitor; what is wrong with a row is said once")
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

  @Test("vehicles are distinguished by device_id, and a note says so") func devices() throws {
    try scene.folder.write("devices.csv", "device_id,time,x,y\na,1,0.5,0.5\nb,1,0.5,0.5\n")
    let run = try scene.run(["--fences", "fences.geojson"], feed: "devices.csv")
    #expect(run.lines.count == 2)
    #expect(run.errors.contains("plumb: the column device_id tells the entities apart"))
    let quiet = try scene.run(["--fences", "fences.geojson", "-q"], feed: "devices.csv")
    #expect(quiet.errors == "")
  }

  @Test("a run that could read no row ends with status 1, one without rows with 0")
  func nothingRead() throws {
    try scene.folder.write("bad.csv", "time,x,y\nyesterday,1,2\n1,nowhere,2\n")
    let run = try scene.run(["--fences", "fences.geojson", "-q"], feed: "bad.csv")
    run.expectRefusal("bad.csv: no row has a location and a time")
    try scene.folder.write("none.csv", "time,x,y\n")
    #expect(try scene.run(["--fences", "fences.geojson"], feed: "none.csv").status == 0)
    let pipe = try scene.run(["--fences", "fences.geojson"], feed: "-", input: "time,x,y\na,b,c\n")
    #expect(pipe.status == 1 && pipe.errors.contains("standard input: no row"))
    #expect(
      try scene.run(["--fences", "fences.geojson", "-o", "no.csv"], feed: "bad.csv").status == 1)
    #expect(!FileManager.default.fileExists(atPath: scene.folder.path + "/no.csv"))
  }

  @Test("a time from the future does not end an entity") func future() throws {
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
    #expect(run.errors.components(separatedBy: "no time").count == 1001)
    #expect(run.errors.contains("and 500 more rows that are wrong"))
  }
}
