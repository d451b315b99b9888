import Foundation
import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

@testable import PlumbSources

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Folders of tiles with an index: the results are the same, and only tiles that contain points are
/// opened.
@Suite struct FolderIndexTests {
  /// Three adjacent tiles, each filled with its number.
  private static func makeTiles(in folder: String) throws {
    mkdir(folder, 0o777)
    for number in 0..<3 { try makeTile(number, in: folder, value: UInt8(number + 1)) }
  }

  private static func makeTile(_ number: Int, in folder: String, value: UInt8) throws {
    var writer = try RasterWriter(
      path: folder + "/tile-\(number).tif", width: 10, height: 10, bandCount: 1,
      pixelType: .uint8, options: [("COMPRESS", "DEFLATE")])
    try writer.setGeotransform([Double(number) * 10, 1, 0, 10, 0, -1])
    try writer.setReference("EPSG:32734")
    try writer.setNodata(.double(0))
    try writer.write(
      [UInt8](repeating: value, count: 100), band: 1, column: 0, row: 0, width: 10, height: 10)
    try writer.close()
  }

  private static func values(_ folder: String, x: [Double]) throws -> [CellValue?] {
    let column = try RasterIdentifier([Raster.open(folder)])
      .sample(x: x, y: x.map { _ in 5 })[0].columns[0]
    return (0..<column.count).map { column[$0] }
  }

  /// Changes the last bytes of a file, but not its size and times.
  private static func damage(_ path: String) throws {
    var facts = stat()
    #expect(stat(path, &facts) == 0)
    let file = open(path, O_WRONLY)
    let garbage = [UInt8](repeating: 0xAA, count: 8)
    #expect(pwrite(file, garbage, 8, 0) == 8)
    #if canImport(Darwin)
      var times = [facts.st_atimespec, facts.st_mtimespec]
    #else
      var times = [facts.st_atim, facts.st_mtim]
    #endif
    #expect(futimens(file, &times) == 0)
    close(file)
  }

  @Test func opensOnlyTheTilesThatAreNeeded() throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.path("tiles")
    try Self.makeTiles(in: folder)
    let expected: [CellValue?] = [.unsigned(1), .unsigned(2), .unsigned(3), nil]
    #expect(try Self.values(folder, x: [5, 15, 25, 35]) == expected)
    let path = try Raster.writeIndex(ofFolder: folder)
    #expect(path == folder + "/.plumb-index.json")
    #expect(try Self.values(folder, x: [5, 15, 25, 35]) == expected)

    // A tile that is not queried may have any content; a tile that is queried is read.
    try Self.damage(folder + "/tile-2.tif")
    #expect(try Self.values(folder, x: [5, 15]) == [.unsigned(1), .unsigned(2)])
    #expect(try Self.values(folder, x: [5, 25]) == [.unsigned(1), nil])
    #expect(unlink(path) == 0)
    #expect(throws: (any Error).self) { try Self.values(folder, x: [5]) }
  }

  @Test func tilesThatChangedAreOpened() throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.path("tiles")
    try Self.makeTiles(in: folder)
    let path = try Raster.writeIndex(ofFolder: folder)
    try Self.makeTile(1, in: folder, value: 77)
    try Self.makeTile(3, in: folder, value: 4)
    #expect(unlink(folder + "/tile-0.tif") == 0)
    let expected: [CellValue?] = [nil, .unsigned(77), .unsigned(3), .unsigned(4)]
    #expect(try Self.values(folder, x: [5, 15, 25, 35]) == expected)

    // A side file can move a tile.
    let side = "<PAMDataset><GeoTransform>100, 1, 0, 10, 0, -1</GeoTransform></PAMDataset>"
    let file = open(folder + "/tile-2.tif.aux.xml", O_WRONLY | O_CREAT, 0o666)
    #expect(write(file, side, side.utf8.count) == side.utf8.count)
    close(file)
    #expect(try Self.values(folder, x: [25, 105]) == [nil, .unsigned(3)])

    // An invalid index is ignored.
    let other = open(path, O_WRONLY | O_TRUNC)
    #expect(write(other, "{\"version\":2,\"tiles\":{\"a/b\":3}}", 32) == 32)
    close(other)
    #expect(try Self.values(folder, x: [15, 105]) == [.unsigned(77), .unsigned(3)])
  }

  /// An index of another program in which one member of a tile's profile or band is changed: the
  /// index is ignored, or the tile is found to differ.
  @Test(arguments: [
    (#""tile":\[10,10\]"#, #""tile":[2000000000,2000000000]"#, true),
    (#""size":\[10,10\]"#, #""size":[2000000000,2000000000]"#, false),
    (#""size":\[10,10\]"#, #""size":[0,-5]"#, true),
    (#""type":"uint8""#, #""type":"float64""#, false),
    (#""nodata":[0-9.]+"#, #""alpha":7"#, true),
    (#""nodata":[0-9.]+"#, #""alpha":9000000000000000000"#, true),
    (#""nodata":[0-9.]+"#, #""nodata":2"#, false),
    (#""scale":1"#, #""scale":2"#, false),
    (#""reference":"[^}]*"#, #""reference":"+proj=utm +zone=34 +nadgrids=/etc/passwd""#, true),
    (#""transform":\[[^]]*\]"#, #""transform":[1e308,0,0,0,1e308,0]"#, false),
    (#""bands":\[[^]]*\]"#, #""bands":[]"#, true),
  ])
  func `an index with another profile is never a wrong value`(
    pattern: String, replacement: String, isIgnored: Bool
  ) throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.path("tiles")
    try Self.makeTiles(in: folder)
    let path = try Raster.writeIndex(ofFolder: folder)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let changed = text.replacingOccurrences(
      of: pattern, with: replacement, options: .regularExpression)
    try #require(changed != text)
    try changed.write(toFile: path, atomically: true, encoding: .utf8)
    let expected: [CellValue?] = [.unsigned(1), .unsigned(2), .unsigned(3), nil]
    let values = try Self.values(folder, x: [5, 15, 25, 35])
    if isIgnored {
      #expect(values == expected)
    } else {
      #expect(zip(values, expected).allSatisfy { $0 == nil || $0 == $1 }, "\(values)")
    }
  }

  @Test func keepsWhatRastersAre() throws {
    let folder = try TemporaryFolder()
    var paths = ["evi_cape_town.tif", "dem/S35E018.tif"].map { TestPaths.root + "/rasters/" + $0 }
    for (number, type) in PixelType.allCases.enumerated() {
      let path = folder.path("type-\(number).tif")
      var writer = try RasterWriter(
        path: path, width: 3, height: 2, bandCount: 1, pixelType: type)
      try writer.setNodata(CellPattern.noData(of: type).value)
      try writer.close()
      paths.append(path)
    }
    for path in paths {
      let source = try Raster.open(path).members[0]
      let parent = String(path[..<path.lastIndex(of: "/")!])
      let index = FolderIndex(of: [source], folder: parent)
      let again = try #require(FolderIndex(index.tree), "\(path)")
      #expect(again.tiles.count == 1)
      for (name, tile) in index.tiles {
        let read = try #require(again.tiles[name])
        #expect(
          String(describing: read.profile.bands.map(\.validity))
            == String(describing: tile.profile.bands.map(\.validity)), "\(path)")
        #expect(read.profile.grid == tile.profile.grid)
        #expect(read.profile.mapping == tile.profile.mapping)
        #expect(read.profile.reference == tile.profile.reference)
        #expect(read.profile.longitudePeriod == tile.profile.longitudePeriod)
        #expect(read.profile.bands.map(\.pixelType) == tile.profile.bands.map(\.pixelType))
        #expect(read.profile.bands.map(\.unit) == tile.profile.bands.map(\.unit))
        #expect(read.stamp == tile.stamp && read.route == tile.route && read.files == tile.files)
      }
    }
  }
}
