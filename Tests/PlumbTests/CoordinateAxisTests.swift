import Foundation
import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

/// semantics.md §1, "CF axes": rasters are placed by their coordinate variables. The value of each
/// cell of `ClassicNetCDF.grid` is its number in file order.
@Suite struct CoordinateAxisTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ file: ClassicNetCDF, _ name: String = "a.nc") throws -> String {
    try file.write(to: folder.path(name))
    return folder.path(name)
  }

  private func sampleValues(
    _ path: String, x: [Double], y: [Double], reference: String? = "EPSG:4326",
    resampling: Resampling = .nearest
  ) throws -> [Double?] {
    let identifier = try RasterIdentifier(
      [RasterSampler.Request(try Raster.open(path))],
      reference: try reference.map { try SpatialReference($0) }, resampling: resampling)
    let answer = identifier.sample(x: x, y: y)[0]
    return x.indices.map { answer.columns[0][$0]?.real }
  }

  /// The cell with the nearest coordinate, by linear search.
  private static func nearest(_ values: [Double], _ value: Double, period: Double? = nil) -> Int {
    values.indices.min { a, b in
      distance(values[a], value, period) < distance(values[b], value, period)
    } ?? -1
  }

  private static func distance(_ a: Double, _ b: Double, _ period: Double?) -> Double {
    guard let period else { return (a - b).magnitude }
    let difference = a - b
    return (difference - (difference / period).rounded() * period).magnitude
  }

  /// The latitudes of a Gaussian grid: the zeros of a Legendre polynomial, by Newton's method.
  private static func gaussian(_ count: Int) -> [Double] {
    (0..<count).map { index in
      var x = cos(Double.pi * (Double(index) + 0.75) / (Double(count) + 0.5))
      for _ in 0..<20 {
        var (before, value) = (1.0, x)
        for degree in 2...count {
          let n = Double(degree)
          (before, value) = (value, ((2 * n - 1) * x * value - (n - 1) * before) / n)
        }
        x -= value / (Double(count) * (x * value - before) / (x * x - 1))
      }
      return asin(x) * 180 / .pi
    }
  }

  private static let north = ClassicNetCDF.north
  private static let east = ClassicNetCDF.east

  @Test(arguments: [false, true], [false, true])
  func gaussianLatitudesAreNotMadeEven(ascending: Bool, single: Bool) throws {
    var latitudes = Self.gaussian(64)
    if ascending { latitudes.reverse() }
    if single { latitudes = latitudes.map { Double(Float($0)) } }
    let longitudes = (0..<128).map { Double($0) * 2.8125 }
    let path = try write(
      .grid(
        rows: (
          "lat", single ? .float(latitudes.map { Float($0) }) : .double(latitudes), Self.north
        ),
        columns: ("lon", .double(longitudes), Self.east)))
    var generator = SeededGenerator(seed: 64)
    let x = (0..<400).map { _ in Double.random(in: -180...180, using: &generator) }
    let y = (0..<400).map { _ in Double.random(in: -89...89, using: &generator) }
    let numbers = x.indices.map { index in
      Self.nearest(latitudes, y[index]) * 128 + Self.nearest(longitudes, x[index], period: 360)
    }
    #expect(try sampleValues(path, x: x, y: y) == numbers.map { Double($0) })
  }

  @Test(arguments: 0..<24) func unevenAxesEqualTheNearestCoordinates(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(1000 + seed))
    func axis(_ count: Int, _ from: Double, _ largest: Double) -> [Double] {
      var value = from
      let values = (0..<count).map { _ in
        defer { value += Double.random(in: largest * 0.2...largest, using: &generator) }
        return value
      }
      return Bool.random(using: &generator) ? values : values.reversed()
    }
    let isProjected = seed % 3 == 0
    let (rows, columns) = (axis(3 + seed, -60, 4), axis(40 - seed, -170, 8))
    let isTransposed = seed % 4 == 1
    let path = try write(
      .grid(
        rows: (
          isProjected ? "y" : "lat", .double(rows),
          isProjected
            ? [("units", "m"), ("standard_name", "projection_y_coordinate")] : Self.north
        ),
        columns: (
          isProjected ? "x" : "lon", .double(columns),
          isProjected
            ? [("units", "m"), ("standard_name", "projection_x_coordinate")] : Self.east
        ), isTransposed: isTransposed))
    let x = (0..<100).map { _ in
      Double.random(in: columns.min()!...columns.max()!, using: &generator)
    }
    let y = (0..<100).map { _ in Double.random(in: rows.min()!...rows.max()!, using: &generator) }
    let numbers = x.indices.map { index in
      Self.nearest(rows, y[index]) * columns.count + Self.nearest(columns, x[index])
    }
    #expect(try sampleValues(path, x: x, y: y, reference: nil) == numbers.map { Double($0) })
  }

  @Test func nearlyEvenAxesAreNotMadeEven() throws {
    // GDAL treats steps that differ by less than 0.001 as equal.
    var value = 10.0
    let longitudes = (0..<200).map { index in
      defer { value += index % 2 == 0 ? 0.0040 : 0.0048 }
      return value
    }
    let path = try write(
      .grid(
        rows: ("lat", .double((0..<10).map { 50 + Double($0) * 0.01 }), Self.north),
        columns: ("lon", .double(longitudes), Self.east)))
    for index in [0, 1, 57, 120, 199] {
      #expect(try sampleValues(path, x: [longitudes[index]], y: [50]) == [Double(index)])
    }
  }

  @Test func evenAxesAreAPlainGrid() throws {
    let single = (0..<1440).map { Float(-180 + 0.25 * Double($0)) }
    let tenths = (0..<1800).map { Float(-89.95 + 0.1 * Double($0)) }
    let path = try write(
      .grid(
        rows: ("lat", .float(tenths), Self.north), columns: ("lon", .float(single), Self.east)))
    guard case .affine = try Raster.open(path).members[0].profile.mapping else {
      Issue.record("the axes are even but for rounding")
      return
    }
    #expect(try sampleValues(path, x: [-180, 179.8], y: [-89.95, -89.85]) == [0, 1440 + 1439])
  }

  @Test func degreesWithoutAGridMappingAreWGS84() throws {
    let path = try write(
      .grid(
        rows: ("lat", .double((0..<36).map { -87.5 + 5 * Double($0) }), Self.north),
        columns: ("lon", .double((0..<72).map { 2.5 + 5 * Double($0) }), Self.east)))
    let raster = try Raster.open(path)
    #expect(raster.references == ["EPSG:4326"])
    #expect(raster.members[0].profile.note?.contains("EPSG:4326") == true)
    let cell = Double(20 * 72 + 56)
    #expect(
      try sampleValues(path, x: [-75.5, 284.5], y: [12, 12], reference: nil) == [cell, cell])
    let identifier = try RasterIdentifier([raster])
    #expect(identifier.referenceWarnings.contains { $0.contains("EPSG:4326") })
  }

  @Test func aSingleRowNeedsBounds() throws {
    let columns = (name: "lon", values: ClassicNetCDF.Values.double([0, 1, 3, 6]), Self.east)
    let bounded = try write(
      .grid(rows: ("lat", .double([10]), Self.north), columns: columns, rowBounds: [5, 20]))
    #expect(
      try sampleValues(bounded, x: [0, 2.1, 2.1, 2.1], y: [10, 19.9, 20.1, 4.9]) == [
        0, 2, nil, nil,
      ])
    let bare = try write(.grid(rows: ("lat", .double([10]), Self.north), columns: columns), "b.nc")
    let error = #expect(throws: RasterError.self) { try sampleValues(bare, x: [0], y: [10]) }
    #expect(error?.description.contains("b is not georeferenced: its only row") == true)
    let column = try write(
      .grid(
        rows: ("lat", .double([10, 20]), Self.north), columns: ("lon", .double([5]), Self.east)),
      "c.nc")
    #expect(throws: RasterError.self) { try sampleValues(column, x: [5], y: [10]) }
    let cells = try RasterIdentifier([try Raster.open(column).inCells()])
    let answer = cells.sample(x: [0, 0, 0, 1], y: [0, 1.9, 2, 0])[0]
    // GDAL's first row is the last row of the file.
    #expect((0..<4).map { answer.columns[0][$0]?.real } == [1, 0, nil, nil])
  }

  @Test func boundsOfUnevenRowsCount() throws {
    let path = try write(
      .grid(
        rows: ("lat", .double([0, 10, 30]), Self.north),
        columns: ("lon", .double([0, 1]), Self.east), rowBounds: [-5, 2, 2, 25, 25, 35]))
    #expect(try sampleValues(path, x: [0, 0, 0, 0], y: [1.9, 2.1, 24.9, 25.1]) == [0, 2, 2, 4])
  }

  /// Bounds of evenly spaced coordinates that are not the midpoints between them.
  @Test(
    arguments: [
      // The coordinates are edges of the cells.
      ([40, 41, 42.0], [40, 41, 41, 42, 42, 43], [40.7, 42.9, 39.8], [0, 2, nil], true),
      ([42, 41, 40.0], [42, 43, 41, 42, 40, 41], [40.7, 42.9, 39.8], [2, 0, nil], true),
      // Two coordinates are always evenly spaced.
      ([-45, 30.0], [-90, 0, 0, 90], [-5, 5, -85, 80], [0, 1, 0, 1], true),
      ([-45, 30.0], [-90, -10, -10, 90], [-5, -15, -85, 80], [1, 0, 0, 1], false),
      // Bounds that end at the poles.
      (
        [-90, -45, 0, 45, 90.0], [-90, -67.5, -67.5, -22.5, -22.5, 22.5, 22.5, 67.5, 67.5, 90],
        [-89, -67, 67, 89], [0, 1, 3, 4], true
      ),
      // Rounded bounds, and bounds of another unit or of other cells, are ignored.
      (
        [40, 40.3, 40.6], [39.86, 40.14, 40.14, 40.46, 40.46, 40.74], [40.1, 40.2], [0, 1], true
      ),
      ([40, 41, 42.0], [40000, 41000, 41000, 42000, 42000, 43000], [40.2, 41.4], [0, 1], true),
      ([40, 41, 42.0], [43, 44, 44, 45, 45, 46], [40.2, 41.4], [0, 1], true),
      // Cells that are not adjacent, and a last cell that ends earlier.
      ([40, 41, 42.0], [39.6, 40.4, 40.6, 41.4, 41.6, 42.4], [40.45, 41.4], [0, 1], true),
      ([40, 41, 42.0], [39.5, 40.5, 40.5, 41.5, 41.5, 42.2], [40.45, 42.1], [0, 2], true),
      // Damaged bounds are ignored.
      ([40, 41, 42.0], [0, 0, 0, 0, 0, 0], [40.7, 41.2, 39.8], [1, 1, 0], true),
    ] as [([Double], [Double], [Double], [Int?], Bool)])
  func boundsOfEvenRowsCount(
    rows: [Double], bounds: [Double], latitudes: [Double], wanted: [Int?], isPlain: Bool
  ) throws {
    let path = try write(
      .grid(
        rows: ("lat", .double(rows), Self.north), columns: ("lon", .double([0, 1]), Self.east),
        rowBounds: bounds))
    let found = try sampleValues(path, x: latitudes.map { _ in 1 }, y: latitudes)
    #expect(found == wanted.map { $0.map { Double(2 * $0 + 1) } })
    if case .affine = try Raster.open(path).members[0].profile.mapping {
      #expect(isPlain)
    } else {
      #expect(!isPlain)
    }
  }

  @Test func longitudesMayPassThe360thDegree() throws {
    let path = try write(
      .grid(
        rows: ("lat", .double([0, 1, 2]), Self.north),
        columns: ("lon", .double([340, 350, 0, 10, 30]), Self.east)))
    #expect(
      try sampleValues(path, x: [-20, 349, 359, 1, 8, 31, 371], y: [0, 0, 0, 0, 0, 0, 0])
        == [0, 1, 2, 2, 3, 4, 3])
  }

  @Test func interpolationIsBetweenTheCoordinates() throws {
    let path = try write(
      .grid(
        rows: ("lat", .double([0, 10, 30]), Self.north),
        columns: ("lon", .double([0, 1, 5]), Self.east)))
    // Cells 0, 1 and 3, 4 have weights of a half and a quarter.
    #expect(try sampleValues(path, x: [0.5], y: [2.5], resampling: .bilinear) == [1.25])
    #expect(throws: RasterError.self) { try sampleValues(path, x: [0], y: [0], resampling: .cubic) }
  }

  @Test func aCellsOutlineIsItsEdges() throws {
    let path = try write(
      .grid(
        rows: ("lat", .double([0, 10, 30]), Self.north),
        columns: ("lon", .double([0, 1, 5]), Self.east)))
    let identifier = try RasterIdentifier([try Raster.open(path)])
    let answers = identifier.sample(x: [1.5], y: [12], keepsProvenance: true)
    let results = try IdentifyResultMaker(identifier).results(at: 0, of: answers, x: 1.5)
    guard case .cell(let cell)? = results.first?.geoElements.first else {
      Issue.record("no cell")
      return
    }
    #expect(cell.footprint.map(\.x) == [0.5, 3, 3, 0.5, 0.5])
    #expect(cell.footprint.map(\.y) == [5, 5, 20, 20, 5])
  }

  /// 16 x 8 cells numbered from the north, on the Gaussian grid of 4 parallels.
  private static let gaussianGRIB = """
    47524942000000020000000000000128000000150100ffffff02000007b20101000000ffff000000
    0502000000480300000000800000002805ffffffffffffffffffffffffffffff0000001000000008
    00000000ffffffff8466162d00000000300466162d141dd760015752a00000000440000000220400
    000000ffffff00ff0000000000000000000000000000ffffffffffff000000150500000080000000
    0000000000000007010000000606ff0000007507e1c7973e9d7b77f1e7d7bf9f7f7fc187163c9973
    67d1a756bd9b776fa146953a956b57b166d5bb976f5f81061438916347912654b993674f60c59336
    8d5b3770e5d3b78f5f3f4085123489532750a552b58b572f20449132854b173064d1b3874f1f0004
    1030814307102450b183470f37373737
    """

  /// The bytes of `gaussianGRIB`, in which some octets of the grid definition section are changed.
  private static func message(_ octets: [Int: UInt8] = [:]) -> [UInt8] {
    let digits = Array(gaussianGRIB.filter { !$0.isWhitespace })
    var bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
    for (octet, value) in octets { bytes[42 + octet - 1] = value }
    return bytes
  }

  @Test func gaussianRowsOfGRIBAreNotMadeEven() throws {
    try Data(Self.message()).write(to: URL(fileURLWithPath: folder.path("g.grb")))
    let latitudes = Self.gaussian(8)
    for row in 0..<8 {
      for offset in [-5.0, 0, 5] {
        let y = latitudes[row] + offset
        #expect(
          try sampleValues(folder.path("g.grb"), x: [23], y: [y], reference: nil)
            == [Double(Self.nearest(latitudes, y) * 16 + 1)])
      }
    }
  }

  /// GDAL uses a wrong distance between columns if the message does not contain it.
  @Test func columnsOfGRIBWithoutIncrements() throws {
    let missing: [Int: UInt8] = [64: 0xFF, 65: 0xFF, 66: 0xFF, 67: 0xFF]
    for (index, octets) in [missing, missing.merging([55: 0]) { $1 }, [64: 9, 55: 0]].enumerated() {
      let path = folder.path("\(index).grb")
      try Data(Self.message(octets)).write(to: URL(fileURLWithPath: path))
      let columns = (0..<16).map { 22.5 * Double($0) }
      #expect(
        try sampleValues(path, x: columns, y: columns.map { _ in 80 }, reference: nil)
          == (0..<16).map { Double($0) })
    }
  }

  /// A message of edition 1 with 4 x 2 cells, numbered from the north-west.
  ///
  /// - Parameters:
  ///   - flags: the upper bits of the flags of the binary data section.
  ///   - bitmap: the number of a bitmap that is not in the file; nil for a message without a bitmap.
  private static func message1(flags: UInt8, bitmap: UInt8? = nil) -> [UInt8] {
    let product: [UInt8] = [
      0, 0, 28, 2, 98, 1, 255, bitmap == nil ? 0x80 : 0xC0, 61, 1, 0, 0, 21, 1, 1, 0, 0, 1, 0, 0, 0,
      0, 0, 0, 21, 0, 0, 0,
    ]
    let grid: [UInt8] = [
      0, 0, 32, 0, 255, 0, 0, 4, 0, 2, 0, 0x27, 0x10, 0, 0, 0, 0x80, 0, 0, 0, 0, 0x75, 0x30, 0x27,
      0x10, 0x27, 0x10, 0, 0, 0, 0, 0,
    ]
    let mask: [UInt8] = bitmap.map { [0, 0, 6, 0, 0, $0] } ?? []
    let data: [UInt8] = [0, 0, 20, flags | 8, 0, 0, 0, 0, 0, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 0]
    let rest = product + grid + mask + data + Array("7777".utf8)
    return Array("GRIB".utf8) + [0, 0, UInt8(rest.count + 8), 1] + rest
  }

  /// GDAL decodes only simple packing of edition 1, and returns arbitrary values for other packings.
  @Test func packingsOfGRIB() throws {
    func path(_ bytes: [UInt8]) throws -> String {
      let path = folder.path("\(bytes.hashValue).grb")
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      return path
    }
    for flags: UInt8 in [0, 0x20] {
      #expect(
        try sampleValues(
          path(Self.message1(flags: flags)), x: [0, 20, 30], y: [10, 0, 0], reference: nil)
          == [0, 6, 7])
    }
    let others = [0x10, 0x30, 0x40, 0x50, 0x80, 0xC0].map { Self.message1(flags: $0) }
    for bytes in others + [Self.message1(flags: 0, bitmap: 3)] {
      for (start, number) in [([], 1), (Self.message1(flags: 0), 2)] {
        let error = #expect(throws: (any Error).self) { try Raster.open(path(start + bytes)) }
        let text = "GDAL does not decode the packing of the values of message \(number)"
        #expect(error.map { "\($0)".contains(text) } == true, "\(error.map { "\($0)" } ?? "")")
      }
    }
  }

  @Test func messagesOfGRIBHaveOneGrid() throws {
    func open(_ bytes: [UInt8]) throws -> Int {
      let path = folder.path("\(bytes.count)-\(bytes.hashValue).grb")
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      return try Raster.open(path).bands.count
    }
    // The flags of resolution do not place cells. Other bytes may be between two messages.
    #expect(try open(Self.message() + Self.message([55: 8])) == 2)
    #expect(try open(Self.message() + [0, 0x47, 0x52] + Self.message()) == 2)
    // Any number of other bytes, and the mark of a message alone.
    let zeros = [UInt8](repeating: 0, count: 200_000)
    #expect(throws: (any Error).self) {
      try open(Self.message() + zeros + Array("GRIBFILE".utf8) + Self.message([54: 0x80]))
    }
    let others: [(octets: [Int: UInt8], text: String)] = [
      ([54: 0x80], "the grid of message 3 differs from the grid of the first message"),
      ([72: 0x80], "its rows run from east to west"),
      ([66: 0x80], "the increments of its grid do not lead from the first to the last cell"),
    ]
    for (octets, text) in others {
      let error = #expect(throws: (any Error).self) {
        try open(Self.message() + Self.message() + Self.message(octets))
      }
      #expect(error.map { "\($0)".contains(text) } == true)
    }
  }

  @Test func mosaicsMayHaveUnevenFiles() throws {
    for (name, left) in [("a.nc", 0.0), ("b.nc", 20)] {
      _ = try write(
        .grid(
          rows: ("lat", .double([0, 10, 30]), Self.north),
          columns: ("lon", .double([left, left + 1, left + 5]), Self.east)), name)
    }
    #expect(
      try sampleValues(folder.path("[ab].nc"), x: [1.4, 24, 10, 384], y: [2, 29, 0, 12])
        == [1, 8, nil, 5])
  }

  @Test func axesThatMayCountCellsPlaceNothing() throws {
    let path = try write(
      .grid(rows: ("y", .double([0, 1, 3]), []), columns: ("x", .double([0, 1, 3]), [])))
    let error = #expect(throws: RasterError.self) { try sampleValues(path, x: [0], y: [0]) }
    #expect(error?.description.contains("not georeferenced") == true)
  }

  @Test(arguments: [(4, 4), (2, 4)])
  func geolocationArraysCoverTheirRaster(width: Int, height: Int) throws {
    func raster(_ name: String, _ width: Int, _ height: Int, _ value: (Int, Int) -> Double) throws {
      var writer = try RasterWriter(
        path: folder.path(name), width: width, height: height, pixelType: .float64)
      try writer.write(
        (0..<width * height).map { value($0 % width, $0 / width) })
      try writer.close()
    }
    try raster("x.tif", width, height) { column, _ in 10 + Double(column) }
    try raster("y.tif", width, height) { _, row in 50 - Double(row) }
    try raster("v.tif", 8, 4) { column, row in Double(row * 8 + column) }
    let step = width == 4 ? 2 : 1
    let items = [
      ("X_DATASET", folder.path("x.tif")), ("X_BAND", "1"), ("Y_DATASET", folder.path("y.tif")),
      ("Y_BAND", "1"), ("PIXEL_OFFSET", "0"), ("PIXEL_STEP", "\(step)"), ("LINE_OFFSET", "0"),
      ("LINE_STEP", "1"), ("SRS", "EPSG:4326"),
    ].map { "<MDI key=\"\($0)\">\($1)</MDI>" }.joined()
    try folder.write(
      "v.vrt",
      """
      <VRTDataset rasterXSize="8" rasterYSize="4"><Metadata domain="GEOLOCATION">\(items)</Metadata>
      <VRTRasterBand dataType="Float64" band="1"><SimpleSource><SourceFilename relativeToVRT="1">v.tif\
      </SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>
      """)
    let raster = try Raster.open(folder.path("v.vrt"))
    guard case .none(let reason) = raster.members[0].profile.mapping else {
      #expect(raster.members[0].profile.mapping == .source && width == 4)
      return
    }
    #expect(width == 2 && reason.contains("do not cover its 8 x 4 cells"), "\(reason)")
  }

  @Test func stationsAreNotRasters() throws {
    var file = ClassicNetCDF()
    file.attributes.append(("featureType", "timeSeries"))
    for (name, size) in [("station", 3), ("time", 4)] { file.addDimension(name, size) }
    file.addVariable("lat", ["station"], .float([1, 2, 3]), Self.north)
    file.addVariable("lon", ["station"], .float([4, 5, 6]), Self.east)
    file.addVariable("time", ["time"], .int([0, 1, 2, 3]), [("units", "days since 2000-01-01")])
    file.addVariable(
      "pr", ["station", "time"], .float((0..<12).map { Float($0) }), [("coordinates", "lat lon")])
    let path = try write(file)
    let error = #expect(throws: GDALError.self) { try Raster.open(path) }
    #expect(error?.message.contains("pr holds time series of stations") == true)
    file.attributes.removeLast()
    let unnamed = try write(file, "b.nc")
    let other = #expect(throws: GDALError.self) { try Raster.open(unnamed) }
    #expect(other?.message.contains("values at separate places") == true)
  }

  @Test func sectionsThroughTimeAreNotMaps() throws {
    let path = try write(
      .grid(
        rows: ("time", .double([0, 1, 2]), [("units", "days since 2000-01-01")]),
        columns: ("lon", .double([0, 1, 2]), Self.east)))
    let error = #expect(throws: GDALError.self) { try Raster.open(path) }
    #expect(error?.message.contains("time is a dimension of time") == true)
  }
}
