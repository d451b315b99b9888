import PlumbGDAL
import PlumbService
import PlumbTestSupport
import Testing

/// Rasters queried by column and row, one of them without a georeference.
struct CellTests {
  private let folder = try! TemporaryFolder()

  /// A raster of 4 x 3 cells with ascending values.
  private func raster(_ name: String = "p", transform: Bool = false) throws -> String {
    let path = folder.path(name + ".tif")
    var writer = try RasterWriter(path: path, width: 4, height: 3, pixelType: .int16)
    if transform { try writer.setGeotransform([18, 1, 0, 3, 0, -1]) }
    try writer.write((0..<12).map { Int16($0) })
    try writer.close()
    return path
  }

  private func command(_ arguments: [String]) throws -> ProgramRun {
    try ProgramRun(TestPaths.program("plumb"), ["identify"] + arguments)
  }

  @Test(arguments: [false, true])
  func `cells are those that the command prints`(isGeoreferenced: Bool) throws {
    let path = try raster(transform: isGeoreferenced)
    let service = try TestService(maps: [path])
    let reply = service.api("identify", #"{"pixel":[[1,2],[3.9,0.2],[4,0]]}"#)
    let run = try command(
      [path, "--of", "json", "--pixel", "1,2", "--pixel", "3.9,0.2", "--pixel", "4,0"])
    #expect(reply.status == 200)
    #expect(String(decoding: try reply.bytes(), as: UTF8.self) == run.output)
    #expect(run.output.contains(#""Band_0":9"#))
    let rows = "id,column,row\na,0,0\nb,3,2\nc,4,0\nd,x,-1\n"
    try folder.write("cells.csv", rows)
    let sampled = service.service.reply(
      ServiceRequest(
        .post, "/api/sample", query: "pixels=true&status=true", contentType: "text/csv",
        body: Array(rows.utf8)))
    let written = try command([path, "--pixels", folder.path("cells.csv"), "--status"])
    #expect(String(decoding: try sampled.bytes(), as: UTF8.self) == written.output)
    #expect(sampled.warnings.map { "plumb: warning: \($0)\n" }.joined() == written.errors)
    #expect(written.output.contains("b,3,2,11,ok"))
  }

  @Test func `coordinates for a raster without them are an error that names the option`() throws {
    let service = try TestService(maps: [try raster()])
    let reply = service.api("identify", #"{"at":[1.5,1.5]}"#)
    let text = String(decoding: try reply.bytes(), as: UTF8.self)
    #expect(text.contains("p is not georeferenced") && text.contains("with pixel"), "\(text)")
  }

  @Test(arguments: [
    (#"{"pixel":[[1,1]],"at":[[1,1]]}"#, "give exactly one of at and pixel"),
    (#"{"pixel":[[1,1]],"crs":"EPSG:4326"}"#, "crs cannot be combined with pixel"),
    (#"{"pixel":[]}"#, "give exactly one of at and pixel"),
    (#"{"pixel":"one"}"#, "pixel: a list of points"),
    (#"{"pixel":[[1,1]],"tolerance":"50m"}"#, "tolerance cannot be combined with pixel"),
  ])
  func `options that do not apply to cells are rejected`(body: String, words: String) throws {
    let reply = try TestService(maps: [try raster()]).api("identify", body)
    let text = String(decoding: try reply.bytes(), as: UTF8.self)
    #expect(reply.status == 400 && text.contains(words), "\(text)")
  }

  @Test func `maps have no cells`() throws {
    let service = try TestService.sample.get()
    for reply in [
      service.api("identify", #"{"pixel":[[1,1]]}"#),
      service.service.reply(
        ServiceRequest(
          .post, "/api/sample", query: "pixels=true", contentType: "text/csv",
          body: Array("column,row\n1,1\n".utf8))),
    ] {
      let text = String(decoding: try reply.bytes(), as: UTF8.self)
      #expect(reply.status == 400 && text.contains("cells belong to rasters"), "\(text)")
    }
  }
}
