import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

// Sample begins
/// The cell of a raster under a tapped pixel: Esri's sample "Identify raster cell", without a screen.
struct IdentifyRasterCellModel {
  let view: MapView
  let layerID: String

  /// The text of the callout: a line for each attribute, and the position of the cell's lower left
  /// corner; nil outside the raster.
  func callout(tappedAt screenPoint: SIMD2<Double>) throws -> String? {
    let result = try view.identifyLayer(
      layerID, screenPoint: screenPoint, tolerance: 10, returnPopupsOnly: false,
      maximumResultsPerLayer: 1)
    guard case .cell(let cell)? = result.geoElements.first else { return nil }
    var lines = cell.attributes.map { "\($0.name): \(Self.text($0.value))" }
    if let x = cell.footprint.map(\.x).min(), let y = cell.footprint.map(\.y).min() {
      lines += ["X: \(x)", "Y: \(y)"]
    }
    return lines.joined(separator: "\n")
  }

  private static func text(_ value: RasterCell.Value) -> String {
    switch value {
    case .null: "null"
    case .text(let text): text
    case .cell(let value): value.description
    case .real(let value): value.description
    }
  }
}
// Sample ends

/// Rule: the sample's callout (`Pixel.Type`, `Band_0` with the stored value, a float in its
/// shortest form; the cell's lower left corner); never a value of an overview or of a rendering.
@Suite struct IdentifyRasterCellSampleTests {
  private let folder: TemporaryFolder

  /// Two by two tiles of an NDVI in web mercator, with 8 × 8 cells of 200 m each; the sea is NaN.
  init() throws {
    folder = try TemporaryFolder()
    var random = SeededGenerator(seed: 81)
    for (name, column, row) in [("a", 0, 0), ("b", 8, 0), ("c", 0, 8), ("d", 8, 8)] {
      var writer = try RasterWriter(
        path: folder.path("ndvi_\(name).tif"), width: 8, height: 8, bandCount: 1,
        pixelType: .float32)
      try writer.setGeotransform([
        2_026_000 + Double(column) * 200, 200, 0, -3_990_000 - Double(row) * 200, 0, -200,
      ])
      try writer.setReference("EPSG:3857")
      let values = (0..<64).map { cell in
        cell % 9 == 4 ? Float.nan : Float.random(in: -0.2...0.9, using: &random)
      }
      try writer.write(values, band: 1)
      try writer.close()
    }
  }

  private func model(rotation: Double = 0) throws -> IdentifyRasterCellModel {
    let layer = RasterLayer(
      LayerProperties(id: "ndvi", name: "NDVI"), raster: try Raster.open(folder.path))
    // The middle of the tiles; a cell is 20 px wide.
    let center = Point(x: 2_027_600, y: -3_991_600)
    return IdentifyRasterCellModel(
      view: try MapView(
        Map(layers: [layer]),
        viewpoint: Viewpoint(center: center, scale: 10 * 96 / 0.0254, rotation: rotation),
        width: 400, height: 400), layerID: "ndvi")
  }

  @Test func `each cell's callout has GDAL's value and the corner`() throws {
    let tiles = try ["a", "b", "c", "d"].map {
      try #require(OracleRaster(path: folder.path("ndvi_\($0).tif")))
    }
    let model = try model()
    var nodata = 0
    for row in 0..<16 {
      for column in 0..<16 {
        // The cells cover the middle 320 px.
        let tap = SIMD2(40 + Double(column) * 20 + 7, 40 + Double(row) * 20 + 13)
        let cell = tiles[row / 8 * 2 + column / 8].cell(
          band: 0, column: column % 8, row: row % 8)
        let value = Float(bitPattern: UInt32(truncatingIfNeeded: cell.bits.0))
        let x = 2_026_000 + Double(column) * 200
        let y = -3_990_000 - Double(row + 1) * 200
        let band = value.isNaN ? "null" : value.description
        nodata += value.isNaN ? 1 : 0
        #expect(
          try model.callout(tappedAt: tap)
            == "Pixel.Type: float32\nBand_0: \(band)\nX: \(x)\nY: \(y)")
      }
    }
    #expect(nodata == 28)
  }

  /// The tolerance applies to features: outside the raster there is no cell, however near the point
  /// is.
  @Test func `off the raster there is no callout`() throws {
    let model = try model()
    for tap in [SIMD2(39.0, 200), SIMD2(361.0, 200), SIMD2(200.0, 39), SIMD2(200.0, 361)] {
      #expect(try model.callout(tappedAt: tap) == nil)
    }
  }

  /// If the map is rotated by 180°, the cell is at the opposite pixel.
  @Test func `a turned view finds the same cells`() throws {
    let (upright, turned) = (try model(), try model(rotation: 180))
    var random = SeededGenerator(seed: 82)
    for _ in 0..<100 {
      let tap = SIMD2(
        Double.random(in: 41...359, using: &random), Double.random(in: 41...359, using: &random))
      let callout = try upright.callout(tappedAt: tap)
      #expect(callout != nil)
      #expect(try turned.callout(tappedAt: SIMD2(400, 400) - tap) == callout)
    }
  }
}
