import Foundation
import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

/// TIFFs of every pixel type in every layout have the same values over a network as in the local
/// file.
@Suite struct RemoteMatrixTests {
  /// The complete results at some points, as text.
  private func values(_ raster: Raster, _ points: [(x: Double, y: Double)]) throws -> [String] {
    let identifier = try RasterIdentifier([raster], reference: nil)
    let answer = identifier.sample(x: points.map(\.x), y: points.map(\.y))[0]
    return points.indices.flatMap { point in
      answer.columns.map { "\($0.status(at: point)) \(String(describing: $0[point]))" }
    }
  }

  @Test func agreesWithTheFileInEveryLayout() throws {
    let compressions = RasterRecipe.compressions.filter {
      RasterMatrixTests.driverOptions.contains(">\($0)<")
    }
    let recipes = RasterRecipe.allPairs(compressions: compressions)
    let folder = try TemporaryFolder()
    let server = try RangeServer(folder: folder.path)
    var routes: [String: Int] = [:]
    // Most files are larger than the first request.
    let (width, height) = (320, 200)
    for (number, recipe) in recipes.enumerated() where number % 3 == 0 {
      let name = "matrix-\(number).tif"
      var generator = SeededGenerator(seed: UInt64(number))
      _ = try recipe.write(
        to: folder.path(name), width: width, height: height, using: &generator)
      let points = (0..<40).map { _ in
        (
          x: 18 + Double.random(in: -0.1..<Double(width) / 120 + 0.1, using: &generator),
          y: -34 - Double.random(in: 0..<Double(height) / 120, using: &generator)
        )
      }
      let local = try Raster.open(folder.path(name))
      let far = try Raster.open(server.url(name))
      #expect(try values(far, points) == values(local, points), "\(recipe)")
      #expect(far.members[0].route == local.members[0].route && far.members[0].isRemote)
      routes[far.members[0].route, default: 0] += 1
    }
    #expect(routes["Plumb"] ?? 0 > 5 && routes["GDAL"] ?? 0 > 5, "\(routes)")
    #expect(server.requests.allSatisfy { $0.method == "GET" })
  }

  /// Points in scattered tiles, few of which are adjacent in the file.
  private func scattered(_ count: Int, _ tiles: Int, seed: UInt64) -> [(x: Double, y: Double)] {
    var generator = SeededGenerator(seed: seed)
    let chosen = (0..<900).shuffled(using: &generator).prefix(tiles)
    return (0..<count).map { number in
      let tile = chosen[number % tiles]
      return (
        x: Double(tile % 30 * 32) + Double.random(in: 0..<32, using: &generator),
        y: -Double(tile / 30 * 32) - Double.random(in: 0..<32, using: &generator)
      )
    }
  }

  @Test(arguments: ["DEFLATE", "LZW", "NONE", "JPEG", "LERC"], [true, false])
  func requestsAndBytesAreFew(compression: String, isBig: Bool) throws {
    guard RasterMatrixTests.driverOptions.contains(">\(compression)<") || compression == "NONE"
    else { return }
    let folder = try TemporaryFolder()
    var writer = try RasterWriter(
      path: folder.path("a.tif"), width: 960, height: 960, bandCount: 1, pixelType: .uint8,
      options: [
        ("TILED", "YES"), ("BLOCKXSIZE", "32"), ("BLOCKYSIZE", "32"), ("COMPRESS", compression),
        ("BIGTIFF", isBig ? "YES" : "NO"),
      ])
    try writer.setGeotransform([0, 1, 0, 0, 0, -1])
    var generator = SeededGenerator(seed: 3)
    try writer.write(
      (0..<960 * 960).map { _ in UInt8.random(in: 0...255, using: &generator) }, band: 1)
    try writer.close()
    let server = try RangeServer(folder: folder.path, lists: true)
    let local = try Raster.open(folder.path("a.tif"))
    let far = try Raster.open(server.url("a.tif"))
    let points = scattered(600, 120, seed: 9)
    let identifier = try RasterIdentifier([far], reference: nil)
    let planned = identifier.explanation(x: points.map(\.x), y: points.map(\.y))
    #expect(planned.count == 1 && planned[0].contains("120 tiles touched"), "\(planned)")
    let opening = server.requests
    #expect(opening.count <= 3, "\(opening)")
    server.forget()
    #expect(try values(far, points) == values(local, points))
    let requests = server.requests
    let bytes = requests.reduce(0) { $0 + $1.byteCount }
    #expect(
      planned[0].contains("; \(requests.count) requests for "), "\(planned) \(requests.count)")
    // There is at most one request for each run of adjacent tiles, and few bytes are read in
    // addition to the tiles.
    let chosen = Set(points.map { Int(-$0.y / 32) * 30 + Int($0.x / 32) })
    let runs = chosen.count { !chosen.contains($0 - 1) }
    #expect(requests.count <= runs)
    let size = Double(try folder.size(of: "a.tif")) / 900
    #expect(Double(bytes) < 1.2 * size * Double(chosen.count), "\(bytes) \(size)")
    #expect(Set(requests.compactMap(\.range)).count == requests.count)
    // The number of sent bytes equals the reported number.
    let sum = far.members[0].fetched
    #expect(sum.requests == opening.count + requests.count)
    #expect(sum.bytes == opening.reduce(0) { $0 + $1.byteCount } + bytes)
  }

  @Test func aBatchOpensAFileOnce() throws {
    let folder = try TemporaryFolder()
    let path = TestPaths.rasters + "/evi_cape_town.tif"
    try folder.copy(path, to: "e.tif")
    let server = try RangeServer(folder: folder.path, lists: true)
    let rasters = try [Raster].open(["a=" + server.url("e.tif"), "b=" + server.url("e.tif")])
    let heads = server.requests.filter { $0.range == "bytes=0-65535" }
    #expect(heads.count <= 2)
    let local = try Raster.open(path)
    let points = [(x: 18.6, y: -34.1), (x: 18.4, y: -33.9)]
    for raster in rasters {
      #expect(try values(raster, points) == values(local, points))
      #expect(raster.references == local.references)
    }
    // A raster that is opened later has the same values.
    server.forget()
    let again = try Raster.open(server.url("e.tif"))
    #expect(try values(again, points) == values(local, points))
    #expect(!server.requests.contains { $0.range == "bytes=0-65535" })
    withExtendedLifetime(rasters) {}
  }

  @Test func interpolationFetchesAheadToo() throws {
    let folder = try TemporaryFolder()
    let recipe = RasterRecipe(
      type: .int16, layout: .tiled, bands: .one, compression: "DEFLATE", predictor: 2,
      isBig: false, isBigEndian: false, hasNoData: true)
    var generator = SeededGenerator(seed: 12)
    _ = try recipe.write(to: folder.path("a.tif"), width: 640, height: 400, using: &generator)
    let server = try RangeServer(folder: folder.path)
    let points = (0..<200).map { _ in
      (
        x: 18 + Double.random(in: 0..<640.0 / 120, using: &generator),
        y: -34 - Double.random(in: 0..<400.0 / 120, using: &generator)
      )
    }
    for resampling in [Resampling.bilinear, .cubic] {
      server.forget()
      let values = try [folder.path("a.tif"), server.url("a.tif")].map { path in
        let identifier = try RasterIdentifier(
          [RasterSampler.Request(try Raster.open(path))], reference: nil, resampling: resampling)
        let column = identifier.sample(x: points.map(\.x), y: points.map(\.y))[0].columns[0]
        return points.indices.map { "\(column.status(at: $0)) \(String(describing: column[$0]))" }
      }
      #expect(values[0] == values[1])
      // No tile is fetched twice.
      let ranges = server.requests.compactMap(\.range)
      #expect(Set(ranges).count == ranges.count && ranges.count > 20, "\(ranges)")
    }
  }
}

extension TemporaryFolder {
  fileprivate func size(of name: String) throws -> Int {
    let facts = try FileManager.default.attributesOfItem(atPath: path(name))
    return facts[.size] as? Int ?? 0
  }

  fileprivate func copy(_ path: String, to name: String) throws {
    try FileManager.default.copyItem(atPath: path, toPath: self.path(name))
  }
}
