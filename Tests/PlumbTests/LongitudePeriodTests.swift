import Foundation
import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

/// semantics.md §1: "Longitude has a period". The value of each cell is its number, so a result
/// identifies its cell.
@Suite struct LongitudePeriodTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes a raster whose cells are numbered from `first`.
  @discardableResult
  private func write(
    _ name: String, width: Int, height: Int = 4, left: Double, step: Double, top: Double = 2,
    reference: String = "EPSG:4326", first: Int = 0
  ) throws -> String {
    var writer = try RasterWriter(
      path: folder.path(name), width: width, height: height, pixelType: .int32)
    try writer.setGeotransform([left, step, 0, top, 0, -1])
    try writer.setReference(reference)
    try writer.write((0..<width * height).map { Int32(first + $0) })
    try writer.close()
    return folder.path(name)
  }

  private func sampleValues(
    _ path: String, x: [Double], y: Double = 1.5, reference: String? = nil,
    resampling: Resampling = .nearest
  ) throws -> [Double?] {
    let identifier = try RasterIdentifier(
      [RasterSampler.Request(try Raster.open(path))],
      reference: try reference.map { try SpatialReference($0) }, resampling: resampling)
    let answer = identifier.sample(x: x, y: x.map { _ in y })[0]
    return x.indices.map { answer.columns[0][$0]?.real }
  }

  @Test func aRasterOf0To360AnswersWesternLongitudes() throws {
    let path = try write("a.tif", width: 360, left: 0, step: 1)
    #expect(
      try sampleValues(path, x: [-75, 285, -0.5, 359.5, -1e-9]) == [285, 285, 359, 359, 359])
    #expect(try sampleValues(path, x: [360, 720, -360, 0, 361]) == [0, 0, 0, 0, 1])
    #expect(try sampleValues(path, x: [-75, 285], y: 2.5) == [nil, nil])
    // Shifted by half a cell, as in the grids of weather models.
    let shifted = try write("b.tif", width: 360, left: -0.5, step: 1)
    #expect(try sampleValues(shifted, x: [-75, 359.75, 359.4999, -0.5]) == [285, 0, 359, 0])
  }

  @Test func aRasterOfMinus180To180AnswersTheEasternWayRound() throws {
    let path = try write("a.tif", width: 360, left: -180, step: 1)
    #expect(try sampleValues(path, x: [181, -179, 180, -180, 285, 540]) == [1, 1, 0, 0, 105, 0])
    // A truncated cell size leaves a gap at the right edge.
    let halved = try write("b.tif", width: 4320, left: -180, step: 0.0833333333)
    #expect(try sampleValues(halved, x: [179.9999999, 180, 180.01, 179.99]) == [0, 0, 0, 4319])
    // The left and right edges of a part of the world do not meet.
    let part = try write("c.tif", width: 20, left: 170, step: 1)
    #expect(
      try sampleValues(part, x: [-175, 185, 170, 190, -170, -170.5]) == [15, 15, 0, nil, nil, 19])
  }

  @Test func everyReferenceWithLongitudesHasAPeriod() throws {
    let nad = try write("a.tif", width: 360, left: 0, step: 1, reference: "EPSG:4267")
    #expect(try sampleValues(nad, x: [-75.5], y: 1.5) == [284])
    #expect(try sampleValues(nad, x: [-75.5], y: 1.5, reference: "EPSG:4326") == [284])
    let wrapped = try write("b.tif", width: 360, left: -180, step: 1)
    #expect(
      try sampleValues(wrapped, x: [284.5], reference: "+proj=longlat +lon_wrap=180") == [104])
    #expect(
      try sampleValues(wrapped, x: [284.5], reference: "+proj=longlat +datum=NAD27 +lon_wrap=180")
        == [104])
    let grads = try write("c.tif", width: 400, left: 0, step: 1, reference: "EPSG:4807")
    #expect(try sampleValues(grads, x: [-75.5, 400]) == [324, 0])
    let pole = "+proj=ob_tran +o_proj=longlat +o_lon_p=0 +o_lat_p=39.25 +lon_0=18 +R=6371229"
    let rotated = try write("d.tif", width: 40, left: 340, step: 1, reference: pole)
    #expect(try sampleValues(rotated, x: [350.5, -9.5, 10.5]) == [10, 10, 30])
    // The same point in geographic degrees, by PROJ.
    let there = try Transformation(
      from: try SpatialReference(pole), to: .wgs84)
    var (x, y) = ([-9.5], [1.5])
    there.apply(x: &x, y: &y, count: 1)
    #expect(try sampleValues(rotated, x: x, y: y[0], reference: "EPSG:4326") == [10])
    // Coordinates in metres are not periodic.
    let metres = try write("e.tif", width: 360, left: 0, step: 1, reference: "EPSG:32734")
    #expect(try sampleValues(metres, x: [-75, 361]) == [nil, nil])
  }

  @Test func tilesOfAMosaicAreFoundPeriodsAway() throws {
    for number in 0..<36 {
      try write(
        "t\(number).tif", width: 10, left: Double(number) * 10, step: 1, first: number * 100)
    }
    let x = (0..<720).map { Double($0) - 359.5 }
    let found = try sampleValues(folder.path("t*.tif"), x: x)
    let expected = x.map { x -> Double? in
      let column = Int((x < 0 ? x + 360 : x).rounded(.down))
      return Double(column / 10 * 100 + column % 10)
    }
    #expect(found == expected)
    #expect(try sampleValues(folder.path("t*.tif"), x: [-75.5, 284.5, 360]) == [2804, 2804, 0])
    // The order of the files determines the value, regardless of their shift.
    try write("u1.tif", width: 10, left: 280, step: 1, first: 7000)
    try write("u2.tif", width: 10, left: -80, step: 1, first: 8000)
    #expect(try sampleValues(folder.path("u*.tif"), x: [-75.5, 284.5]) == [7004, 7004])
  }

  @Test func probesAgreeWithBatches() throws {
    let raster = try Raster.open(try write("a.tif", width: 360, left: 0, step: 1))
    let probe = try CellProbe(raster, band: 0, cache: TileCache())
    #expect(probe.value(x: -75, y: 1.5).value?.real == 285)
    #expect(probe.value(x: 360, y: 1.5).value?.real == 0)
    #expect(probe.value(x: -75, y: 5).status == .outside)
  }

  @Test func interpolationContinuesAcrossTheSeam() throws {
    let path = try write("a.tif", width: 360, left: 0, step: 1)
    for method in [Resampling.bilinear, .cubic] {
      // The points are halfway between the centres of cells 359 and 0.
      let values = try sampleValues(path, x: [0, 360, -360], y: 0.5, resampling: method)
      #expect(values == [Double?](repeating: values[0], count: 3))
    }
    let values = try sampleValues(path, x: [0, 359.75, 0.25, -0.25], y: 1.5, resampling: .bilinear)
    #expect(values == [179.5, 269.25, 89.75, 269.25])
    // Values are not interpolated across the edges of a raster that covers a part of the world.
    let part = try write("b.tif", width: 20, left: 170, step: 1)
    #expect(try sampleValues(part, x: [170, -170.25], resampling: .bilinear) == [0, 19])
  }

  @Test func manyPointsByPolynomialsAgreeWithPROJ() throws {
    // 20,000 points in UTM on a raster from 0 to 360: enough for polynomials to replace PROJ.
    let path = try write(
      "a.tif", width: 36000, height: 1, left: 0, step: 0.01, top: 41, reference: "EPSG:4326")
    var generator = SeededGenerator(seed: 5)
    let x = (0..<20_000).map { _ in Double.random(in: 450_000...550_000, using: &generator) }
    let y = 4_500_000.0
    let many = try sampleValues(path, x: x, y: y, reference: "EPSG:32618")
    let transformation = try Transformation(
      from: try SpatialReference("EPSG:32618"), to: .wgs84)
    var (longitude, latitude) = (x, x.map { _ in y })
    transformation.apply(x: &longitude, y: &latitude, count: x.count)
    let expected = longitude.map { Double(Int((($0 + 360) / 0.01).rounded(.down))) }
    let wrong = zip(many, expected).count { $0 != $1 }
    // The division in this test can be wrong at a border.
    #expect(wrong <= 2)
  }

  @Test func aFootprintSurroundsThePoint() throws {
    let path = try write("a.tif", width: 360, left: 0, step: 1)
    let identifier = try RasterIdentifier([try Raster.open(path)])
    let answers = identifier.sample(x: [-75.5], y: [1.5], keepsProvenance: true)
    let results = try IdentifyResultMaker(identifier).results(at: 0, of: answers, x: -75.5)
    guard case .cell(let cell)? = results.first?.geoElements.first else {
      Issue.record("no cell")
      return
    }
    #expect(cell.footprint.map(\.x).min() == -76 && cell.footprint.map(\.x).max() == -75)
    #expect((cell.column, cell.row) == (284, 0))
  }
}
