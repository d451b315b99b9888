import Foundation
import PlumbTestSupport
import Testing

/// Output files, which are either complete or absent.
struct OutputFileTests {
  private func fixture() throws -> Fixture {
    let fixture = try Fixture()
    try fixture.grid()
    try fixture.folder.write("p.csv", "x,y\n0.5,-0.5\n")
    return fixture
  }

  private func run(_ fixture: Fixture, _ options: [String]) throws -> ProgramRun {
    try plumb(
      ["identify", "grid.tif", "--points", "p.csv"] + options, folder: fixture.folder.path)
  }

  @Test func `an existing file needs --overwrite`() throws {
    let fixture = try fixture()
    try fixture.folder.write("o.csv", "old")
    try run(fixture, ["-o", "o.csv"]).expectRefusal("o.csv exists", "--overwrite")
    #expect(try fixture.text("o.csv") == "old")
    #expect(try run(fixture, ["-o", "o.csv", "--overwrite"]).status == 0)
    #expect(try fixture.text("o.csv") == "x,y,grid\n0.5,-0.5,0\n")
    try run(fixture, ["-o", "."]).expectRefusal("folder")
    try run(fixture, ["-o", "none/o.csv"]).expectRefusal("none/o.csv")
    #expect(try fixture.names == ["grid.tif", "o.csv", "p.csv"])
  }

  @Test func `the target of a link is replaced, and a Shapefile's files are not`() throws {
    let fixture = try fixture()
    let made = try shell(
      "echo old > real.csv; ln -s real.csv link.csv; echo mine > s.dbf",
      folder: fixture.folder.path)
    #expect(made.status == 0)
    #expect(try run(fixture, ["-o", "link.csv", "--overwrite"]).status == 0)
    #expect(try fixture.text("real.csv") == "x,y,grid\n0.5,-0.5,0\n")
    let kind = try FileManager.default.attributesOfItem(atPath: fixture.path("link.csv"))[.type]
    #expect(kind as? FileAttributeType == .typeSymbolicLink)
    try run(fixture, ["-o", "s.shp", "-q"]).expectRefusal("s.dbf exists")
    #expect(try fixture.text("s.dbf") == "mine\n")
    #expect(try !fixture.names.contains { $0.hasPrefix(".plumb") || $0 == "s.shp" })
  }

  @Test func `an output that is an input is refused, under any name`() throws {
    let fixture = try fixture()
    let made = try shell(
      "ln -s p.csv soft.csv; ln p.csv hard.csv; ln -s . here; cp grid.tif t.tif",
      folder: fixture.folder.path)
    #expect(made.status == 0)
    for name in ["p.csv", "soft.csv", "hard.csv", "here/p.csv", "grid.tif"] {
      try run(fixture, ["-o", name, "--overwrite", "--of", "csv"]).expectRefusal("is an input")
    }
    try fixture.folder.write(
      "v.vrt",
      """
      <VRTDataset rasterXSize="4" rasterYSize="3"><GeoTransform>0,1,0,0,0,-1</GeoTransform>
      <VRTRasterBand dataType="Int16" band="1">
      <SimpleSource><SourceFilename relativeToVRT="1">t.tif</SourceFilename></SimpleSource>
      </VRTRasterBand></VRTDataset>
      """)
    let vrt = try plumb(
      ["identify", "v.vrt", "--points", "p.csv", "-o", "t.tif", "--of", "csv", "--overwrite"],
      folder: fixture.folder.path)
    vrt.expectRefusal("is an input")
    let append = try shell(
      "\"$PLUMB\" identify grid.tif --points p.csv >> p.csv", folder: fixture.folder.path)
    append.expectRefusal("standard output is p.csv")
    #expect(try fixture.text("p.csv") == "x,y\n0.5,-0.5\n")
  }

  @Test func `formats are known by name and by file extension`() throws {
    let fixture = try fixture()
    try run(fixture, ["--of", "nope"]).expectRefusal("unknown format nope", "GPKG")
    try run(fixture, ["--of", "gpkg"]).expectRefusal("standard output")
    #expect(try run(fixture, ["--of", "GeoJSONSeq"]).lines.count == 1)
    #expect(try run(fixture, ["-o", "o.tsv"]).status == 0)
    #expect(try fixture.text("o.tsv") == "x\ty\tgrid\n0.5\t-0.5\t0\n")
    #expect(try run(fixture, ["-o", "plain"]).status == 0)
    #expect(try fixture.text("plain") == "x,y,grid\n0.5,-0.5,0\n")
    #expect(try run(fixture, ["-o", "o.json", "--of", "csv"]).status == 0)
    #expect(try fixture.text("o.json") == "x,y,grid\n0.5,-0.5,0\n")
    #expect(try run(fixture, ["-o", "s.shp", "--of", "shapefile", "-q"]).status == 0)
    #expect(try fixture.names.filter { $0.hasPrefix("s.") }.contains("s.dbf"))
  }

  @Test func `a failure leaves nothing behind`() throws {
    let fixture = try fixture()
    try fixture.folder.write("bad.csv", "x;y\n0.5;-0.5\n1,5;-0,5\n")
    for ending in ["csv", "gpkg", "shp", "geojson", "gdb"] {
      let run = try plumb(
        ["identify", "grid.tif", "--points", "bad.csv", "-o", "o.\(ending)", "-q"],
        folder: fixture.folder.path)
      run.expectRefusal("decimal comma")
    }
    let strict = try plumb(
      ["identify", "grid.tif", "--points", "-", "-o", "o.csv", "-q", "--strict"],
      input: "x,y\nno,-0.5\n", folder: fixture.folder.path)
    strict.expectRefusal("bad_point")
    #expect(try fixture.names == ["bad.csv", "grid.tif", "p.csv"])
  }

  @Test(arguments: ["INT", "TERM", "HUP"], ["csv", "gpkg"])
  func `a signal leaves nothing behind`(signal: String, ending: String) throws {
    let fixture = try fixture()
    // Without job control, the shell's background jobs ignore SIGINT.
    let run = try shell(
      """
      set -m
      mkfifo pipe
      { printf 'x,y\\n0.5,-0.5\\n'; exec sleep 60; } > pipe & S=$!
      "$PLUMB" identify grid.tif --points - -o o.\(ending) < pipe & P=$!
      n=0; until ls -A | grep -q '^.plumb-'; do
        sleep 0.05; n=$((n + 1)); [ $n -gt 400 ] && break
      done
      kill -\(signal) $P; wait $P; code=$?
      kill $S; rm pipe
      exit $code
      """, folder: fixture.folder.path)
    let number: Int32 = signal == "INT" ? 2 : signal == "TERM" ? 15 : 1
    #expect(run.status == 128 + number, "\(run.errors)")
    #expect(try fixture.names == ["grid.tif", "p.csv"])
  }

  @Test func `the next run deletes temporary files of a killed run, but not of a running one`()
    throws
  {
    let fixture = try fixture()
    let run = try shell(
      """
      wait_for() { n=0; until [ "$(ls -dA .plumb-* 2>/dev/null | wc -l)" = $1 ]; do
        sleep 0.05; n=$((n + 1)); [ $n -gt 400 ] && break
      done; }
      mkfifo pipe other
      { printf 'x,y\\n0.5,-0.5\\n'; exec sleep 60; } > pipe & S=$!
      "$PLUMB" identify grid.tif --points - -o o.csv < pipe & P=$!
      wait_for 1
      kill -9 $P; wait $P 2>/dev/null
      ls -A | grep -c '^.plumb-'
      { printf 'x,y\\n0.5,-0.5\\n'; exec sleep 60; } > other & T=$!
      "$PLUMB" identify grid.tif --points - -o live.csv < other & Q=$!
      n=0; until ls .plumb-*/live.csv > /dev/null 2>&1; do
        sleep 0.05; n=$((n + 1)); [ $n -gt 400 ] && break
      done
      ls -A | grep -c '^.plumb-'
      "$PLUMB" identify grid.tif --points p.csv -o done.csv; code=$?
      ls -A | grep -c '^.plumb-'
      kill -9 $Q; kill $S $T; rm pipe other
      exit $code
      """, folder: fixture.folder.path)
    #expect(run.status == 0 && run.lines == ["1", "1", "1"], "\(run.lines) \(run.errors)")
    #expect(try fixture.names.filter { !$0.hasPrefix(".") } == ["done.csv", "grid.tif", "p.csv"])
  }

  @Test func `a closed pipe ends quietly`() throws {
    let fixture = try fixture()
    let rows = (0..<200_000).map { _ in "0.5,-0.5\n" }.joined()
    try fixture.folder.write("many.csv", "x,y\n" + rows)
    for format in ["csv", "jsonl", "geojson"] {
      let run = try shell(
        """
        { "$PLUMB" identify grid.tif --points many.csv --of \(format); echo $? > code; } | head -1
        """, folder: fixture.folder.path)
      #expect(run.errors == "" && run.lines.count == 1)
      #expect(try fixture.text("code") == "0\n")
    }
  }

  @Test func `a full disk is a one-line error`() throws {
    let fixture = try fixture()
    if FileManager.default.fileExists(atPath: "/dev/full") {
      try run(fixture, ["-o", "/dev/full"]).expectRefusal("No space left")
      let output = try shell(
        "\"$PLUMB\" identify grid.tif --points p.csv > /dev/full", folder: fixture.folder.path)
      output.expectRefusal("No space left")
    }
    let rows = (0..<20_000).map { _ in "0.5,-0.5\n" }.joined()
    try fixture.folder.write("many.csv", "x,y\n" + rows)
    for ending in ["csv", "gpkg", "shp", "fgb", "geojson"] {
      // A limit on file sizes simulates a full disk; its signal must not end the run.
      let run = try shell(
        "ulimit -f 60; \"$PLUMB\" identify grid.tif --points many.csv -o o.\(ending) -q",
        folder: fixture.folder.path)
      #expect(run.status == 1, "\(ending): \(run.status) \(run.errors)")
      #expect(run.errors.hasPrefix("plumb: ") && run.errors.count < 1000, "\(run.errors)")
      #expect(try fixture.names == ["grid.tif", "many.csv", "p.csv"], "\(ending)")
    }
  }

  @Test func `devices are written to, not replaced`() throws {
    let fixture = try fixture()
    #expect(try run(fixture, ["-o", "/dev/stdout"]).output == "x,y,grid\n0.5,-0.5,0\n")
    #expect(try run(fixture, ["-o", "/dev/null"]).status == 0)
    let kind = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type]
    #expect(kind as? FileAttributeType == .typeCharacterSpecial)
    try run(fixture, ["-o", "/dev/null", "--of", "gpkg"]).expectRefusal("name a file")
  }

  @Test func `closed standard files are errors`() throws {
    let fixture = try fixture()
    for (redirection, words) in [
      ("--points p.csv >&-", "Bad file descriptor"), ("--points - <&-", "Bad file descriptor"),
    ] {
      let run = try shell(
        "\"$PLUMB\" identify grid.tif \(redirection)", folder: fixture.folder.path)
      run.expectRefusal(words)
    }
    let silent = try shell(
      "\"$PLUMB\" identify grid.tif --points p.csv -o o.gpkg >&- 2>&- <&-",
      folder: fixture.folder.path)
    #expect(silent.status == 0)
    #expect(
      try plumb([
        "identify", "g=" + fixture.path("grid.tif"), "--points",
        fixture.path("o.gpkg"), "--of", "csv",
      ]).lines.count == 2)
  }

  @Test func `no file is written next to the rasters`() throws {
    let fixture = try fixture()
    let copied = try shell(
      "cp '\(TestPaths.rasters)'/*.tif* . && gzip -k grid.tif && chmod u+w *; true",
      folder: fixture.folder.path)
    #expect(copied.status == 0)
    let before = try listing(fixture)
    for name in before.keys.sorted() where name.contains(".tif") && !name.hasSuffix(".xml") {
      let path = name.hasSuffix(".gz") ? "/vsigzip/" + fixture.path(name) : name
      for arguments in [
        ["info", path], ["identify", path, "--at", "18.5,-33.9", "--crs", "4326", "-q"],
        ["identify", path, "--points", "p.csv", "-r", "cubic", "--crs", "4326", "-q", "--explain"],
      ] {
        let run = try plumb(arguments, folder: fixture.folder.path)
        #expect(run.status == 0, "\(arguments): \(run.errors)")
      }
    }
    #expect(try listing(fixture) == before)
  }

  private func listing(_ fixture: Fixture) throws -> [String: Date] {
    var result: [String: Date] = [:]
    for name in try fixture.names {
      let facts = try FileManager.default.attributesOfItem(atPath: fixture.path(name))
      result[name] = facts[.modificationDate] as? Date
    }
    return result
  }

  @Test func `--explain reports before and after`() throws {
    let fixture = try fixture()
    let run = try run(fixture, ["--explain", "--threads", "3"])
    let lines = run.errors.split(separator: "\n").map(String.init)
    #expect(lines.count == 4, "\(run.errors)")
    #expect(lines[0].hasPrefix("plumb: grid: 1 tiles touched, "))
    #expect(lines[0].hasSuffix("to decode, by Plumb on 3 threads"))
    #expect(lines[1].contains("tiles decoded") && lines[1].contains("cache hits"))
    #expect(lines[2] == "plumb: grid: 1 ok")
    #expect(lines[3].contains("1 rows in ") && lines[3].hasSuffix(" rows/s"))
    let at = try plumb(
      ["identify", "grid.tif", "--at", "0.5,-0.5", "--explain"], folder: fixture.folder.path)
    #expect(at.errors.hasPrefix("plumb: grid: 1 tiles touched, "))
  }
}
