import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// `rotation` of `export`: a picture is rotated counter-clockwise around its centre.
@Suite struct TurnedPictureTests {
  private static func picture(
    _ service: TestService, _ map: String, _ box: String, _ more: [String: String] = [:]
  ) throws -> [UInt8] {
    let parameters = ["bbox": box, "f": "image"]
    let reply = service.reply(
      "/arcgis/rest/services/\(map)/MapServer/export", parameters.merging(more) { $1 })
    #expect(reply.contentType == "image/png")
    return try reply.bytes()
  }

  // MARK: Rasters

  private static let side = 12

  private static func raster(
    _ name: String, in folder: TemporaryFolder, _ value: (_ row: Int, _ column: Int) -> Int
  ) throws -> String {
    let rows = (0..<side).map { row in
      (0..<side).map { "\(value(row, $0))" }.joined(separator: " ")
    }
    try folder.write(
      name + ".asc",
      "ncols \(side)\nnrows \(side)\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -1\n"
        + rows.joined(separator: "\n") + "\n")
    return folder.path(name + ".asc")
  }

  private static func value(_ row: Int, _ column: Int) -> Int {
    row == 2 && column == 5 ? -1 : (row * 37 + column * 11) % 101
  }

  /// A raster with rotated cells is drawn like a raster in a rotated picture.
  @Test func quarterTurnsOfRastersAreThoseOfTheirCells() throws {
    let folder = try TemporaryFolder()
    let last = Self.side - 1
    let turned: [(angle: String, Int, (Int, Int) -> Int)] = [
      ("0", 0, { Self.value($0, $1) }), ("90", 90, { Self.value($1, last - $0) }),
      ("180", 180, { Self.value(last - $0, last - $1) }),
      ("-90", 270, { Self.value(last - $1, $0) }), ("450", 450, { Self.value($1, last - $0) }),
    ]
    let turnedPath = try Self.raster("own", in: folder, Self.value)
    for (angle, number, cells) in turned {
      let path = try Self.raster("t\(number)", in: folder, cells)
      let service = try TestService(maps: [turnedPath, path])
      let box = "-10,-10,130,130"
      let size = ["size": "140,140"]
      #expect(
        try Self.picture(service, "own", box, size.merging(["rotation": angle]) { $1 })
          == Self.picture(service, "t\(number)", box, size), "\(angle)")
    }
  }

  @Test func theCornersOfATurnedPictureAreDrawn() throws {
    let folder = try TemporaryFolder()
    // A raster with one value: if it is rotated by 45°, every pixel of a square inside it has this
    // value.
    let path = try Self.raster("own", in: folder) { _, _ in 7 }
    let service = try TestService(maps: [path])
    let size = ["size": "60,60"]
    #expect(
      try Self.picture(service, "own", "30,30,90,90", size.merging(["rotation": "45"]) { $1 })
        == Self.picture(service, "own", "30,30,90,90", size))
    // Here the corners are outside of the raster.
    #expect(
      try Self.picture(service, "own", "0,0,120,120", size.merging(["rotation": "45"]) { $1 })
        != Self.picture(service, "own", "0,0,120,120", size))
  }

  // MARK: Features

  private static func features(_ angle: Double, rotated isRotated: Bool) -> String {
    func position(_ x: Double, _ y: Double) -> String {
      guard isRotated else { return "[\(x),\(y)]" }
      let (cosine, sine) = (cos(angle * .pi / 180), sin(angle * .pi / 180))
      let (dx, dy) = (x - 50, y - 40)
      return "[\(50 + dx * cosine - dy * sine),\(40 + dx * sine + dy * cosine)]"
    }
    let corners = [(10.0, 10.0), (80.0, 15.0), (70.0, 60.0), (10.0, 10.0)].map {
      position($0.0, $0.1)
    }
    let line = [(-40.0, 60.0), (140.0, 70.0)].map { position($0.0, $0.1) }
    return #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:3857"}},"#
      + #""features":[{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":["#
      + "[\(corners.joined(separator: ","))]]}},"
      + #"{"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":["#
      + "\(line.joined(separator: ","))]}},"
      + #"{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":"#
      + "\(position(95, 75))}}]}"
  }

  /// Features rotated by the test are drawn as in a rotated picture.
  @Test(arguments: [90.0, -90, 180, 30, -75.5, 725])
  func featuresAreTurned(angle: Double) throws {
    let folder = try TemporaryFolder()
    let turnedService = try TestService.of(Self.features(angle, rotated: false), folder: folder)
    let box = "0,0,100,80"
    let size = ["size": "250,200", "format": "svg"]
    func shapes(_ service: TestService, _ more: [String: String]) throws -> [[Double]] {
      let reply = service.reply(
        "/arcgis/rest/services/map/MapServer/export",
        size.merging(["bbox": box, "f": "image"]) { $1 }.merging(more) { $1 })
      #expect(reply.contentType == "image/svg+xml")
      let text = String(decoding: try reply.bytes(), as: UTF8.self)
      return text.split(separator: " d=\"").dropFirst().map { path in
        path.prefix { $0 != "\"" }.split { !("0"..."9" ~= $0 || $0 == "." || $0 == "-") }
          .compactMap { Double($0) }
      }
    }
    let found = try shapes(turnedService, ["rotation": "\(angle)"])
    let turned = try TestService.of(Self.features(angle, rotated: true), folder: folder)
    let expected = try shapes(turned, [:])
    #expect(found.count == expected.count && found.count >= 2)
    for (found, expected) in zip(found, expected) {
      #expect(found.count == expected.count)
      // Cairo rounds to 1/256 pixel.
      #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 0.02 }, "\(found) \(expected)")
    }
    #expect(try shapes(turnedService, [:]) != found)
  }

  @Test func anglesThatAreNoneAreErrors() throws {
    let service = try TestService.sample.get()
    for angle in ["x", "1e400", "1e9"] {
      let reply = try service.json(
        "cape/MapServer/export", ["bbox": "18,-34.5,19,-33.5", "bboxSR": "4326", "rotation": angle])
      #expect(
        try reply.failure().message.hasPrefix("'rotation' parameter is invalid"), "\(angle)")
    }
  }
}
