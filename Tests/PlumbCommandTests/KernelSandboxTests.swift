import Foundation
import PlumbTestSupport
import Testing

/// The kernel's restrictions on a run of the command, which are independent of the library's
/// checks.
@Suite(.enabled(if: hasSandbox, "this kernel has no Landlock or seccomp"))
struct KernelSandboxTests {
  /// A mosaic of two tiles in `map/tiles`; `outside` has a different second tile.
  private func mosaic() throws -> Fixture {
    let fixture = try Fixture()
    for name in ["map/tiles", "outside"] {
      try FileManager.default.createDirectory(
        atPath: fixture.path(name), withIntermediateDirectories: true)
    }
    try fixture.raster(
      "map/tiles/a.tif", .int16, width: 2, bands: [[Int16](repeating: 1, count: 4)])
    for (name, value) in [("map/tiles/b.tif", 2), ("outside/b.tif", 4242)] {
      try fixture.raster(
        name, .int16, width: 2, bands: [[Int16](repeating: Int16(value), count: 4)], left: 2)
    }
    try fixture.map(
      [#"{"id":"t","title":"t","layerType":"RasterLayer","url":"tiles"}"#], named: "map/map.json")
    return fixture
  }

  /// Runs a command that waits for its points while `meanwhile` is executed; `$pid` is the process
  /// id of the command.
  private func waiting(_ options: String, meanwhile: String, in fixture: Fixture) throws
    -> ProgramRun
  {
    try boundedShell(
      """
      mkfifo p
      "$PLUMB" identify map/map.json --points p --explain \(options) > out 2> err & pid=$!
      exec 3> p
      printf 'x,y\\n0.5,-0.5\\n' >&3
      # The map's layers are open when the first raster is explained.
      n=0
      while ! grep -q 't: ' err && [ $n -lt 600 ]; do sleep 0.05; n=$((n + 1)); done
      \(meanwhile)
      printf '2.5,-0.5\\n' >&3
      exec 3>&-
      wait
      cat out
      cat err >&2
      """, folder: fixture.folder.path)
  }

  @Test func `every thread of a run with a map is sandboxed, and none with --allow-outside`()
    throws
  {
    let fixture = try mosaic()
    let look = "cat /proc/$pid/task/*/status | grep -E '^(NoNewPrivs|Seccomp):' | sort | uniq"
    let run = try waiting("", meanwhile: look, in: fixture)
    #expect(run.output.hasPrefix("NoNewPrivs:\t1\nSeccomp:\t2\nx,y,t\n"), "\(run)")
    #expect(run.output.hasSuffix("0.5,-0.5,1\n2.5,-0.5,2\n"), "\(run)")
    try FileManager.default.removeItem(atPath: fixture.path("p"))
    let open = try waiting("--allow-outside", meanwhile: look, in: fixture)
    #expect(open.output.hasPrefix("NoNewPrivs:\t0\nSeccomp:\t0\nx,y,t\n"), "\(open)")
    #expect(!open.errors.contains("the kernel"))
  }

  /// The library checks each file when it opens the map, and opens it again to read it.
  @Test func `a file that is replaced by a link after the check is not read`() throws {
    let swap = "ln -sf ../../outside/b.tif map/tiles/b.tif"
    let run = try waiting("", meanwhile: swap, in: try mosaic())
    #expect(run.output == "x,y,t\n0.5,-0.5,1\n2.5,-0.5,\n", "\(run)")
    #expect(
      run.errors.contains("warning: t: 1 row is read_error; map/tiles/b.tif: "), "\(run)")
    // Without the sandbox the file is read.
    let open = try waiting("--allow-outside", meanwhile: swap, in: try mosaic())
    #expect(open.output == "x,y,t\n0.5,-0.5,1\n2.5,-0.5,4242\n", "\(open)")
  }

  @Test func `inputs and outputs elsewhere can be opened as usual`() throws {
    let fixture = try mosaic()
    for name in ["in", "res"] {
      try FileManager.default.createDirectory(
        atPath: fixture.path(name), withIntermediateDirectories: true)
    }
    try fixture.folder.write("in/p.csv", "x,y\n0.5,-0.5\n")
    try FileManager.default.createSymbolicLink(
      atPath: fixture.path("link.csv"), withDestinationPath: "in/p.csv")
    try fixture.folder.write("res/old.csv", "old\n")
    try FileManager.default.createSymbolicLink(
      atPath: fixture.path("old.csv"), withDestinationPath: "res/old.csv")
    try fixture.folder.write(
      "in/p.geojson",
      #"{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[0.5,-0.5]}}"#)
    #expect(
      try boundedShell(
        "\"$PLUMB\" buffer in/p.geojson --distance 0.1 -o in/p.shp --of 'ESRI Shapefile'; "
          + "\"$PLUMB\" buffer in/p.geojson --distance 0.1 -o in/q.gpkg",
        folder: fixture.folder.path
      ).status == 0)
    let result = "x,y,t\n0.5,-0.5,1\n"
    for (options, output) in [
      ("--points in/p.csv", result),
      ("--points link.csv -o old.csv --overwrite; cat res/old.csv", result),
      ("--points in/p.csv -o res/x.csv; cat res/x.csv", result),
      ("--points in/p.csv -o /dev/stdout > res/y.csv; cat res/y.csv", result),
      ("--points in/p.csv -o /dev/fd/3 3> res/z.csv; cat res/z.csv", result),
      ("--points in/p.csv -o /dev/stdout | cat", result),
      ("--points - < in/p.csv", result),
      ("--points - -o res/g.gpkg < in/p.geojson; ls res/g.gpkg", "res/g.gpkg\n"),
    ] {
      let run = try boundedShell(
        "\"$PLUMB\" identify map/map.json " + options, folder: fixture.folder.path)
      #expect(run.status == 0 && run.output == output && run.errors == "", "\(options): \(run)")
    }
    for points in ["in/p.shp", "in/q.gpkg", "in/p.geojson"] {
      let run = try boundedShell(
        "\"$PLUMB\" identify map/map.json --points \(points) --of jsonl",
        folder: fixture.folder.path)
      #expect(
        run.status == 0 && run.errors == "" || run.errors.contains("not points"), "\(run)")
      #expect(run.lines.count == 1, "\(run)")
    }
  }

  @Test func `a run with points of any kind is sandboxed`() throws {
    let fixture = try mosaic()
    try FileManager.default.createDirectory(
      atPath: fixture.path("in/more"), withIntermediateDirectories: true)
    try fixture.folder.write(
      "in/p.gml",
      "<gml:FeatureCollection xmlns:gml='http://www.opengis.net/gml' xmlns:o='http://o'>"
        + "<gml:featureMember><o:p fid='p.1'><o:name>a</o:name><gml:pointProperty><gml:Point>"
        + "<gml:coordinates>0.5,-0.5</gml:coordinates></gml:Point></gml:pointProperty></o:p>"
        + "</gml:featureMember></gml:FeatureCollection>")
    try fixture.folder.write("in/more/c.csv", "name,lon,lat\na,0.5,-0.5\n")
    try fixture.folder.write(
      "in/p.vrt",
      "<OGRVRTDataSource><OGRVRTLayer name='c'><SrcDataSource relativeToVRT='1'>more/c.csv"
        + "</SrcDataSource><GeometryType>wkbPoint</GeometryType>"
        + "<GeometryField encoding='PointFromColumns' x='lon' y='lat'/></OGRVRTLayer>"
        + "</OGRVRTDataSource>")
    try fixture.folder.write(
      "in/p.mif",
      "Version 300\nCharset \"Neutral\"\nDelimiter \",\"\nColumns 1\n  name Char(8)\nData\n\n"
        + "Point 0.5 -0.5\n")
    try fixture.folder.write("in/p.mid", "\"a\"\n")
    // A file whose type and associated files are unknown.
    try fixture.folder.write(
      "in/p.odd",
      #"{"type":"Feature","properties":{"name":"a"},"#
        + #""geometry":{"type":"Point","coordinates":[0.5,-0.5]}}"#)
    for points in ["p.gml", "p.vrt", "p.mif", "p.odd"] {
      let run = try boundedShell(
        "\"$PLUMB\" identify map/map.json --points in/\(points) --of csv --explain",
        folder: fixture.folder.path)
      #expect(run.output.hasSuffix(",1\n"), "\(points): \(run)")
      #expect(
        run.errors.contains("the kernel restricts this run: reading"), "\(points): \(run)")
    }
  }

  @Test func `a run without a remote argument opens no socket`() throws {
    let fixture = try Fixture()
    try fixture.grid("g.tif")
    let script = """
      mkfifo p
      "$PLUMB" identify g.tif --points p & pid=$!
      exec 3> p
      grep -h '^Seccomp:' /proc/$pid/status
      printf 'x,y\\n0.5,-0.5\\n' >&3
      exec 3>&-
      wait
      """
    let run = try boundedShell(script, folder: fixture.folder.path)
    #expect(run.output == "Seccomp:\t2\nx,y,g\n0.5,-0.5,0\n", "\(run)")
    let remote = try plumb(
      ["identify", "/vsicurl/http://127.0.0.1:9/r.tif", "--at", "1,1"], isSpawned: true)
    remote.expectRefusal("127.0.0.1:9", "no response from the server")
  }
}

private let hasSandbox: Bool = {
  guard let fixture = try? Fixture(), let map = try? fixture.map([]) else { return false }
  let run = try? plumb(["identify", map, "--at", "0,0", "--explain"], isSpawned: true)
  return run?.errors.contains("plumb: the kernel restricts this run: reading") == true
}()
