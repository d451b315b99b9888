import Foundation
import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

/// VRTs of windows of other rasters, read through these rasters and compared with GDAL's reading of
/// the VRT.
@Suite struct VirtualMosaicTests {
  /// A source raster of a VRT.
  private struct Source {
    var name: String
    var width: Int
    var height: Int
    var tile: Int
    var bands = 1
    var isInterleaved = true
  }

  private static func write(
    _ source: Source, _ type: PixelType, in folder: TemporaryFolder,
    using generator: inout SeededGenerator
  ) throws {
    var writer = try RasterWriter(
      path: folder.path(source.name), width: source.width, height: source.height,
      bandCount: source.bands, pixelType: type,
      options: [
        ("COMPRESS", "DEFLATE"), ("TILED", "YES"), ("BLOCKXSIZE", "\(source.tile)"),
        ("BLOCKYSIZE", "\(source.tile)"), ("INTERLEAVE", source.isInterleaved ? "PIXEL" : "BAND"),
      ])
    var pattern = CellPattern(type: type, style: .tame)
    pattern.noDataBits = CellPattern.noData(of: type).bits
    for band in 1...source.bands {
      let bytes = pattern.cells(source.width * source.height, using: &generator)
      try bytes.withUnsafeBytes {
        try writer.write(
          $0, band: band, column: 0, row: 0, width: source.width, height: source.height)
      }
    }
    try writer.close()
  }

  private static let typeNames: [PixelType: String] = [
    .uint8: "Byte", .int16: "Int16", .uint16: "UInt16", .int32: "Int32", .float32: "Float32",
    .float64: "Float64",
  ]

  /// The XML of one source: a window of the source, and its destination.
  private static func element(
    _ source: Source, band: Int, _ type: PixelType, from: (Int, Int), to: (Int, Int),
    size: (Int, Int), noData: String?
  ) -> String {
    let kind = noData == nil ? "SimpleSource" : "ComplexSource"
    return """
      <\(kind)><SourceFilename relativeToVRT="1">\(source.name)</SourceFilename>
      <SourceBand>\(band)</SourceBand>
      <SourceProperties RasterXSize="\(source.width)" RasterYSize="\(source.height)" \
      DataType="\(typeNames[type]!)" BlockXSize="\(source.tile)" BlockYSize="\(source.tile)" />
      <SrcRect xOff="\(from.0)" yOff="\(from.1)" xSize="\(size.0)" ySize="\(size.1)" />
      <DstRect xOff="\(to.0)" yOff="\(to.1)" xSize="\(size.0)" ySize="\(size.1)" />
      \(noData.map { "<NODATA>\($0)</NODATA>" } ?? "")</\(kind)>
      """
  }

  private static func writeVRT(
    _ path: String, width: Int, height: Int, _ type: PixelType, noData: String?,
    bands: [[String]]
  ) throws {
    let elements = bands.enumerated().map { index, sources in
      """
      <VRTRasterBand dataType="\(typeNames[type]!)" band="\(index + 1)">
      \(noData.map { "<NoDataValue>\($0)</NoDataValue>" } ?? "")
      \(sources.joined(separator: "\n"))
      </VRTRasterBand>
      """
    }
    let text = """
      <VRTDataset rasterXSize="\(width)" rasterYSize="\(height)">
      <GeoTransform>18, 0.008, 0, -34, 0, -0.008</GeoTransform><SRS>EPSG:4326</SRS>
      \(elements.joined(separator: "\n"))
      </VRTDataset>
      """
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  /// Tiles of 16 cells that are aligned with the VRT's grid or not, adjacent or overlapping, with
  /// transparent cells, cut off by the edge, and in two bands.
  @Test(arguments: [PixelType.uint8, .int16, .uint16, .int32, .float32, .float64])
  func agreesWithGDAL(type: PixelType) throws {
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: UInt64(type.rawValue) + 3)
    var check = OracleCheck()
    guard case .double(let hole) = CellPattern.noData(of: type).value else { return }
    let holes = hole.description
    for number in 0..<14 {
      let isOnLattice = number % 2 == 0
      let bands = number % 5 == 4 ? 2 : 1
      let sources = (0..<Int.random(in: 1...6, using: &generator)).map { index in
        Source(
          name: "source-\(number)-\(index).tif",
          width: Int.random(in: 20...60, using: &generator),
          height: Int.random(in: 20...60, using: &generator), tile: 16, bands: bands,
          isInterleaved: number % 3 == 0)
      }
      for source in sources { try Self.write(source, type, in: folder, using: &generator) }
      let (width, height) = (90, 70)
      var lists = [[String]](repeating: [], count: bands)
      for source in sources {
        let step = isOnLattice ? 16 : 1
        let from = (
          Int.random(in: 0..<10, using: &generator), Int.random(in: 0..<10, using: &generator)
        )
        let size = (
          Int.random(in: 1...source.width - from.0, using: &generator),
          Int.random(in: 1...source.height - from.1, using: &generator)
        )
        let to = (
          Int.random(in: -20 / step...80 / step, using: &generator) * step
            + (isOnLattice ? from.0 : 0),
          Int.random(in: -20 / step...60 / step, using: &generator) * step
            + (isOnLattice ? from.1 : 0)
        )
        let noData = Bool.random(using: &generator) ? holes : nil
        for band in 0..<bands {
          lists[band].append(
            Self.element(
              source, band: band + 1, type, from: from, to: to, size: size, noData: noData))
        }
      }
      let path = folder.path("mosaic-\(number).vrt")
      try Self.writeVRT(
        path, width: width, height: height, type, noData: number % 4 < 2 ? holes : nil,
        bands: lists)
      let route = try check.check(path: path, seeded: 300, seed: UInt64(number))
      // Sources completely outside of the raster are ignored.
      #expect(route == "Plumb" || sources.count == 1)
      let examples = check.removeExamples()
      #expect(examples.isEmpty, "\(path)\n\(examples.joined(separator: "\n"))")
    }
    report("oracle, VRTs of \(type): \(check.summary)")
    #expect(check.files == 14)
  }

  /// VRTs that only GDAL can read, and sources that are missing or differ from their description in
  /// the VRT.
  @Test func leavesOtherVRTsToGDAL() throws {
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: 5)
    let source = Source(name: "source.tif", width: 40, height: 40, tile: 16)
    try Self.write(source, .int16, in: folder, using: &generator)
    func element(_ type: PixelType = .int16, size: (Int, Int) = (40, 40)) -> String {
      Self.element(source, band: 1, type, from: (0, 0), to: (5, 5), size: size, noData: nil)
    }
    let scaled = element().replacing("SimpleSource", with: "ComplexSource")
      .replacing("</ComplexSource>", with: "<ScaleRatio>2</ScaleRatio></ComplexSource>")
    let stretched = element().replacing(
      "xSize=\"40\" ySize=\"40\" />\n<Dst", with: "xSize=\"20\" ySize=\"20\" />\n<Dst")
    var check = OracleCheck()
    for (number, (text, type, route)) in [
      (scaled, PixelType.int16, "GDAL"), (stretched, .int16, "GDAL"),
      // Detected when the source is opened.
      (element(.int32), .int32, "Plumb"),
    ].enumerated() {
      let path = folder.path("other-\(number).vrt")
      try Self.writeVRT(path, width: 60, height: 60, type, noData: nil, bands: [[text]])
      #expect(try check.check(path: path) == route, "\(number)")
      let examples = check.removeExamples()
      #expect(examples.isEmpty, "\(number)\n\(examples.joined(separator: "\n"))")
    }
    let missing = folder.path("missing.vrt")
    try Self.writeVRT(
      missing, width: 60, height: 60, .int16, noData: nil,
      bands: [[element().replacing("source.tif", with: "gone.tif")]])
    let answer = try RasterIdentifier([Raster.open(missing)]).sample(x: [18.1], y: [-34.1])[0]
    #expect(answer.columns[0].status(at: 0) == .readError)
  }
}
