import Foundation
import Plumb
import PlumbDrawing
import PlumbRaster
import PlumbTestSupport
import Testing

/// The overviews of a raster, which pictures use if they do not need more detail.
@Suite struct OverviewTests {
  /// Images of one value each in one TIFF. The first covers one and a half degrees at 18° E, 33° S.
  private static func tiff(_ images: [(side: Int, value: UInt8)]) -> [UInt8] {
    var bytes: [UInt8] = [0x49, 0x49, 42, 0]
    func add(_ value: Int, _ count: Int) {
      for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
    add(8, 4)
    for (number, image) in images.enumerated() {
      let isFirst = number == 0
      let entries = isFirst ? 14 : 11
      let data = bytes.count + 2 + 12 * entries + 4
      let size = image.side * image.side
      let extra = data + size
      add(entries, 2)
      func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) {
        add(tag, 2)
        add(type, 2)
        add(count, 4)
        add(value, 4)
      }
      entry(254, 4, 1, isFirst ? 0 : 1)
      entry(256, 4, 1, image.side)
      entry(257, 4, 1, image.side)
      entry(258, 3, 1, 8)
      entry(259, 3, 1, 1)
      entry(262, 3, 1, 1)
      entry(273, 4, 1, data)
      entry(277, 3, 1, 1)
      entry(278, 4, 1, image.side)
      entry(279, 4, 1, size)
      entry(284, 3, 1, 1)
      if isFirst {
        entry(33550, 12, 3, extra)
        entry(33922, 12, 6, extra + 24)
        entry(34735, 3, 16, extra + 72)
      }
      let isLast = number == images.count - 1
      add(isLast ? 0 : extra + (isFirst ? 104 : 0), 4)
      bytes += [UInt8](repeating: image.value, count: size)
      guard isFirst else { continue }
      let cell = 1.5 / Double(image.side)
      for real in [cell, cell, 0, 0, 0, 0, 18, -33, 0] as [Double] {
        add(Int(bitPattern: UInt(real.bitPattern)), 8)
      }
      // EPSG:4326, cells are areas.
      for key in [1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326] { add(key, 2) }
    }
    return bytes
  }

  private static func value(_ raster: Raster) throws -> Double? {
    try RasterIdentifier([raster]).sample(x: [18.7], y: [-33.7])[0].columns[0][0]?.real
  }

  /// Plumb's reader and GDAL's; overviews in the file, and in a file next to it.
  @Test(
    arguments: [
      ["r.tif": [(64, 10), (32, 20), (16, 40)]],
      ["r.tif": [(64, 10)], "r.tif.ovr": [(32, 20), (16, 40)]],
    ] as [[String: [(Int, UInt8)]]])
  func largestCellsThatAreSmallEnough(files: [String: [(Int, UInt8)]]) throws {
    let folder = try TemporaryFolder()
    for (name, images) in files {
      try Data(Self.tiff(images)).write(to: URL(fileURLWithPath: folder.path(name)))
    }
    let raster = try Raster.open(folder.path("r.tif"))
    for (factor, width, value) in [
      (0.5, 64, 10), (1.9, 64, 10), (2, 32, 20), (3.9, 32, 20), (4, 16, 40), (1e300, 16, 40),
      (.infinity, 16, 40), (.nan, 64, 10),
    ] as [(Double, Int, Double)] {
      let found = raster.overview(atMost: factor)
      #expect(found.members[0].profile.grid.width == width, "\(factor)")
      #expect(try Self.value(found) == value)
      // The same object is used each time, so that the cache contains its tiles.
      #expect(found === raster.overview(atMost: factor))
    }
  }

  @Test func picturesTakeThem() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r.tif")
    try Data(Self.tiff([(64, 10), (32, 20), (16, 40)])).write(to: URL(fileURLWithPath: path))
    let map = try Map.any(path: path)
    let extent = Envelope(xMin: 18, yMin: -34.5, xMax: 19.5, yMax: -33)
    for (side, label) in [(200, "10 to 10"), (50, "10 to 10"), (20, "20 to 20"), (8, "40 to 40")] {
      let view = try DrawnView(extent: extent, width: side, height: side, reference: .wgs84)
      var painter = MapPainter(view, on: try Canvas(width: side, height: side, format: .png))
      painter.draw(map)
      #expect(painter.warnings == [])
      #expect(painter.legend.first?.entries.first?.label == label, "\(side)")
    }
  }
}
