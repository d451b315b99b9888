import Foundation
import PlumbTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Rasters at a URL: range requests are used, and missing side files are not requested.
struct RemoteRasterTests {
  /// A tiled raster of several megabytes without compression.
  private func fixture() throws -> Fixture {
    let fixture = try Fixture()
    try fixture.raster(
      "big.tif", .int16, width: 1024, bands: [(0..<1024 * 1024).map { Int16($0 % 1024) }],
      options: [("TILED", "YES"), ("BLOCKXSIZE", "256"), ("BLOCKYSIZE", "256")])
    return fixture
  }

  private func run(_ arguments: [String]) throws -> ProgramRun {
    try plumb(arguments)
  }

  @Test(arguments: [true, false])
  func `a URL is read in parts, with few requests`(lists: Bool) throws {
    let fixture = try fixture()
    let server = try RangeServer(folder: fixture.folder.path, lists: lists)
    let run = try run([
      "identify", server.url("big.tif"), "--at", "700.5,-300.5", "--format", "json",
    ])
    #expect(run.status == 0 && run.output.contains("\"Band_0\":700"), "\(run.errors)\(run.output)")
    #expect(run.output.contains("\"name\":\"big\""), "\(run.output)")
    let requests = server.requests
    let bytes = requests.reduce(0) { $0 + $1.byteCount }
    #expect(requests.count <= 6, "\(requests)")
    #expect(bytes < 1_000_000, "\(requests)")
    #expect(!requests.contains { $0.path.contains(".aux") || $0.path.contains(".msk") })
    let info = try self.run(["info", server.url("big.tif")])
    #expect(info.status == 0 && info.output.contains("1024"), "\(info.errors)")
  }

  /// If the existing side file were ignored, the cells would have a different meaning.
  @Test func `a side file that cannot be fetched is an error`() throws {
    let fixture = try fixture()
    try fixture.folder.write(
      "big.tif.aux.xml",
      "<PAMDataset><PAMRasterBand band=\"1\"><NoDataValue>700</NoDataValue></PAMRasterBand></PAMDataset>"
    )
    let server = try RangeServer(folder: fixture.folder.path, lists: true) { _, request in
      request.path.hasSuffix(".aux.xml") ? .status("403 Forbidden") : nil
    }
    let run = try run(["identify", server.url("big.tif"), "--at", "700.5,-300.5"])
    #expect(run.status == 1 && run.output == "", "\(run.output)")
    #expect(run.errors.contains("big.tif.aux.xml: the server answers 403"), "\(run.errors)")
  }

  @Test func `side files are read where the folder lists them`() throws {
    let fixture = try fixture()
    try fixture.folder.write(
      "big.tif.aux.xml",
      "<PAMDataset><PAMRasterBand band=\"1\"><NoDataValue>700</NoDataValue></PAMRasterBand></PAMDataset>"
    )
    for lists in [true, false] {
      let server = try RangeServer(folder: fixture.folder.path, lists: lists)
      try fixture.folder.write("p.csv", "x,y\n700.5,-300.5\n")
      let run = try run([
        "identify", "b=" + server.url("big.tif"), "--points", fixture.path("p.csv"), "--status",
        "-q",
      ])
      #expect(run.lines.last == "700.5,-300.5," + (lists ? ",nodata" : "700,ok"), "\(run.errors)")
      #expect(server.requests.contains { $0.path.hasSuffix(".aux.xml") } == lists)
    }
  }

  @Test func `a query is part of the URL, and a server without range requests is accepted`() throws
  {
    let fixture = try fixture()
    let server = try RangeServer(folder: fixture.folder.path)
    let named = try run(["identify", server.url("big.tif?key=a,b"), "--at", "5.5,-0.5"])
    #expect(named.status == 0 && named.output.contains("5"), "\(named.errors)")
    let whole = try RangeServer(folder: fixture.folder.path, hasRanges: false)
    let run = try run(["identify", whole.url("big.tif"), "--at", "700.5,-0.5", "-q"])
    #expect(run.status == 0 && run.output.contains("700"), "\(run.errors)")
    let missing = try self.run(["identify", server.url("none.tif"), "--at", "1,1", "-q"])
    #expect(missing.status == 1 && missing.errors.contains("none.tif"))
  }

  // MARK: Faults

  /// 64 tiles of noise, larger than the first request.
  private func noise() throws -> Fixture {
    let fixture = try Fixture()
    var generator = SeededGenerator(seed: 8)
    try fixture.raster(
      "n.tif", .int16, width: 512,
      bands: [(0..<512 * 512).map { _ in Int16.random(in: 0...30000, using: &generator) }],
      options: [
        ("TILED", "YES"), ("BLOCKXSIZE", "64"), ("BLOCKYSIZE", "64"), ("COMPRESS", "DEFLATE"),
      ])
    var rows = "x,y\n"
    for _ in 0..<200 {
      // Tiles in every other column, so that few of them are adjacent in the file.
      let column = Int.random(in: 0..<4, using: &generator) * 128
      rows += "\(Double(column) + Double.random(in: 0..<64, using: &generator)),"
      rows += "\(-Double.random(in: 0..<512, using: &generator))\n"
    }
    try fixture.folder.write("p.csv", rows)
    return fixture
  }

  private func identify(_ fixture: Fixture, _ path: String, _ more: String...) throws -> ProgramRun
  {
    try run(
      ["identify", "n=" + path, "--points", fixture.path("p.csv"), "--status"] + more)
  }

  @Test(
    arguments: [
      .short(50), .shortUnsaid(50), .reset(50), .status("500 Oops"),
      .status("429 Slowly", headers: "Retry-After: 0"),
    ] as [RangeServer.Fault])
  func `a temporary fault changes nothing`(fault: RangeServer.Fault) throws {
    let fixture = try noise()
    let server = try RangeServer(folder: fixture.folder.path) { number, _ in
      [0, 3, 4, 5].contains(number) ? fault : nil
    }
    let local = try identify(fixture, fixture.path("n.tif"), "-q")
    let far = try identify(fixture, server.url("n.tif"))
    #expect(far.status == 0 && far.errors.isEmpty && far.output == local.output, "\(far.errors)")
  }

  @Test(
    arguments: [
      (.long(9), "more than requested"), (.noContentRange, "(Content-Range)"),
      (.contentRange("bytes 0-9/600000"), "requested"),
      (.status("404 Not Found"), "404 (not found)"),
      (.packed, "Content-Encoding"), (.status("403 Forbidden"), "403 (not allowed)"),
    ] as [(RangeServer.Fault, String)])
  func `a permanent fault is never a value`(fault: RangeServer.Fault, words: String) throws {
    let fixture = try noise()
    // The page of the folder and the start of the file are sent without a fault.
    let server = try RangeServer(folder: fixture.folder.path) { number, _ in
      number > 2 ? fault : nil
    }
    let local = try identify(fixture, fixture.path("n.tif"), "-q")
    let far = try identify(fixture, server.url("n.tif"))
    #expect(far.errors.contains(words) && !far.errors.contains("/vsi"), "\(far.errors)")
    #expect(far.status == 1 || far.errors.contains("read_error"))
    for (expected, other) in zip(local.lines, far.lines) where expected != other {
      #expect(other.hasSuffix(",,read_error"), "\(expected) \(other)")
    }
    #expect(far.lines.isEmpty || far.lines.count == local.lines.count)
    let strict = try identify(fixture, server.url("n.tif"), "--strict", "-q")
    #expect(strict.status == 1)
  }

  @Test func `a file that is replaced while it is read is an error`() throws {
    let fixture = try noise()
    let (path, other) = (fixture.path("n.tif"), fixture.path("m.tif"))
    var generator = SeededGenerator(seed: 9)
    try fixture.raster(
      "m.tif", .int16, width: 512,
      bands: [(0..<512 * 512).map { _ in Int16.random(in: 0...30000, using: &generator) }],
      options: [
        ("TILED", "YES"), ("BLOCKXSIZE", "64"), ("BLOCKYSIZE", "64"), ("COMPRESS", "DEFLATE"),
      ])
    let local = try identify(fixture, path, "-q")
    let server = try RangeServer(folder: fixture.folder.path) { number, _ in
      if number == 4 { rename(other, path) }
      return nil
    }
    let far = try identify(fixture, server.url("n.tif"))
    #expect(far.errors.contains("the file was replaced while it was being read"), "\(far.errors)")
    for (expected, row) in zip(local.lines, far.lines) where expected != row {
      #expect(row.hasSuffix(",,read_error"), "\(expected) \(row)")
    }
  }

  @Test func `a file that cannot be opened is one line`() throws {
    let fixture = try noise()
    for (status, words) in [("404 Not Found", "404 (not found)"), ("403 No", "403 (not allowed)")] {
      let server = try RangeServer(folder: fixture.folder.path) { _, _ in .status(status) }
      try identify(fixture, server.url("n.tif"), "-q").expectRefusal(
        server.url("n.tif") + ": the server answers " + words)
      // One request for the folder's page, and one for the file.
      #expect(server.requests.count <= 2)
    }
  }

  // MARK: Messages

  @Test func `explain reports requests and bytes before and after`() throws {
    let fixture = try noise()
    let server = try RangeServer(folder: fixture.folder.path)
    let far = try identify(
      fixture, server.url("n.tif"), "--explain", "--connections", "3", "-o", fixture.path("o.csv"))
    #expect(far.status == 0, "\(far.errors)")
    let planned = try #require(
      far.errors.firstMatch(
        of:
          /tiles touched, .* by Plumb on .*; (\d+) requests? for \d+ kB, at most 3 at once/)
    )
    let sent = try #require(far.errors.firstMatch(of: /n: (\d+) requests sent, (\d+) kB fetched/))
    let requests = server.requests
    #expect(Int(sent.1) == requests.count)
    #expect(Int(sent.2) == requests.reduce(0) { $0 + $1.byteCount } >> 10)
    // In addition to the planned requests, the start of the file and the folder's page are
    // requested.
    #expect(Int(planned.1).map { $0 + 2 } == requests.count)
    #expect(server.connections <= 3)
    let none = try run(["identify", "x.tif", "--at", "1,1", "--connections", "0"])
    #expect(
      none.status == 64 && none.errors.contains("--connections 0: a whole number from 1 to 256"))
  }

  // MARK: Other names

  @Test func `GDAL's names of URLs and buckets are read the same way`() throws {
    let fixture = try noise()
    try FileManager.default.createDirectory(
      atPath: fixture.path("bucket"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: fixture.path("n.tif"), toPath: fixture.path("bucket/n.tif"))
    let local = try identify(fixture, fixture.path("bucket/n.tif"), "-q")
    let server = try RangeServer(folder: fixture.folder.path)
    let curl = try identify(fixture, "/vsicurl/" + server.url("bucket/n.tif"), "-q")
    #expect(curl.output == local.output, "\(curl.errors)")
    #expect(server.requests.allSatisfy { $0.method == "GET" })
    let host = "127.0.0.1:\(server.port)"
    for (name, environment) in [
      (
        "/vsis3/bucket/n.tif",
        "AWS_S3_ENDPOINT=\(host) AWS_HTTPS=NO AWS_VIRTUAL_HOSTING=NO AWS_ACCESS_KEY_ID=a "
          + "AWS_SECRET_ACCESS_KEY=b AWS_REGION=eu-west-1"
      ),
      (
        "/vsis3/bucket/n.tif",
        "AWS_S3_ENDPOINT=\(host) AWS_HTTPS=NO AWS_VIRTUAL_HOSTING=NO AWS_NO_SIGN_REQUEST=YES"
      ),
    ] {
      server.forget()
      let far = try shell(
        "\(environment) $PLUMB identify n=\(name) --points \(fixture.path("p.csv")) --status -q")
      #expect(far.output == local.output, "\(name) \(far.errors)")
      let requested = server.requests.filter { $0.path.hasPrefix("/bucket/n.tif") }
      #expect(
        requested.allSatisfy { $0.method == "GET" } && requested.count < 50, "\(server.requests)")
      #expect(
        requested.allSatisfy { $0.path.contains("X-Amz-Signature") == environment.contains("KEY") })
    }
  }

  @Test func `a document reads the files of an allowed bucket only`() throws {
    let fixture = try Fixture()
    var generator = SeededGenerator(seed: 10)
    try fixture.raster(
      "n.tif", .int16, width: 64,
      bands: [(0..<64 * 64).map { _ in Int16.random(in: 0...30000, using: &generator) }], top: 60)
    let rows = (0..<50).map { _ in
      "\(Double.random(in: 0..<64, using: &generator)),\(Double.random(in: -4..<60, using: &generator))\n"
    }
    try fixture.folder.write("p.csv", "lon,lat\n" + rows.joined())
    for name in ["bucket", "other"] {
      try FileManager.default.createDirectory(
        atPath: fixture.path(name), withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: fixture.path("n.tif"), toPath: fixture.path(name + "/n.tif"))
    }
    let server = try RangeServer(folder: fixture.folder.path)
    let host = "127.0.0.1:\(server.port)"
    func identify(_ url: String, _ options: String) throws -> ProgramRun {
      try fixture.folder.write(
        "map.json",
        #"{"operationalLayers":[{"id":"n","title":"n","layerType":"RasterLayer","url":"#
          + "\"\(url)\"}]}")
      return try shell(
        "AWS_ENDPOINT_URL=http://\(host) AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b "
          + "AWS_REGION=eu-west-1 $PLUMB identify \(fixture.path("map.json")) "
          + "--points \(fixture.path("p.csv")) --status -q \(options)")
    }
    let local = try identify("n.tif", "")
    #expect(local.status == 0 && local.lines.count == 51, "\(local.errors)")
    for options in [
      "", "--allow-host \(host)", "--allow-host s3://other", "--allow-host gs://bucket",
    ] {
      let refused = try identify("s3://bucket/n.tif", options)
      #expect(refused.status == 1 && refused.output != local.output)
      #expect(
        refused.errors.contains("s3://bucket is not an allowed bucket")
          && refused.errors.contains("--allow-host s3://bucket"), "\(refused.errors)")
    }
    for url in ["s3://bucket/../other/n.tif", "s3://other/n.tif", "/vsis3/bucket/n.tif"] {
      #expect(try identify(url, "--allow-host s3://bucket").status == 1, "\(url)")
    }
    #expect(server.requests.isEmpty)
    for options in ["--allow-host s3://bucket", "--allow-host e.org --allow-host S3://bucket/"] {
      server.forget()
      let far = try identify("s3://bucket/n.tif", options)
      #expect(far.output == local.output, "\(far.errors)")
      let requested = server.requests.filter { $0.path.hasPrefix("/bucket/n.tif") }
      #expect(!requested.isEmpty && requested.allSatisfy { $0.path.contains("X-Amz-Signature") })
      #expect(server.requests.allSatisfy { $0.path.hasPrefix("/bucket") }, "\(server.requests)")
    }
    for entry in ["s3://bucket/n.tif", "s3://", "s3://user@bucket", "s3://bucket?x", "'s3://*'"] {
      let usage = try identify("n.tif", "--allow-host \(entry)")
      #expect(
        usage.status == 64
          && usage.errors.contains("expected HOST, HOST:PORT, s3://BUCKET, gs://BUCKET or "),
        "\(usage.errors)")
    }
  }

  @Test func `GDAL settings for HTTP apply to the requests`() throws {
    let fixture = try noise()
    let server = try RangeServer(folder: fixture.folder.path) { _, request in
      request.lines.contains("X-Key: a,b") && request.lines.contains("Cookie: c=d")
        && request.lines.contains("Authorization: Basic bmFtZTp3b3Jk")
        ? nil : .status("403 Forbidden")
    }
    let call = "identify n=\(server.url("n.tif")) --points \(fixture.path("p.csv")) -q"
    let run = try shell(
      "GDAL_HTTP_HEADERS='\"X-Key: a,b\",X-Other: 1' GDAL_HTTP_COOKIE=c=d "
        + "GDAL_HTTP_USERPWD=name:word $PLUMB \(call)")
    #expect(run.status == 0 && run.lines.count == 201, "\(run.errors)")
    try shell("$PLUMB \(call)").expectRefusal("403 (not allowed)")
  }
}
