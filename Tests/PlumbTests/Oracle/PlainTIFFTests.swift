import Foundation
@testable import Plumb
@testable import PlumbGDAL
@testable import PlumbSources
@testable import PlumbTIFF
import PlumbTestSupport
import Testing

/// GeoTIFFs with complete tags are opened without GDAL, with the same result as GDAL's. The
/// oracle's other suites compare all of their files in this way; this one tests keys, tags and side
/// files.
@Suite struct PlainTIFFTests {
  private func write(
    _ path: String, type: PixelType = .int16, bands: Int = 1, reference: String? = "EPSG:4326",
    coefficients: [Double] = [18, 0.25, 0, -33, 0, -0.25],
    options: [(String, String)] = [], _ describe: (inout RasterWriter) throws -> Void = { _ in }
  ) throws {
    var writer = try RasterWriter(
      path: path, width: 20, height: 10, bandCount: bands, pixelType: type, options: options)
    try writer.setGeotransform(coefficients)
    if let reference { try writer.setReference(reference) }
    try describe(&writer)
    let cells = [UInt8](repeating: 1, count: 200 * type.byteCount)
    for band in 1...bands {
      try cells.withUnsafeBytes {
        try writer.write($0, band: band, column: 0, row: 0, width: 20, height: 10)
      }
    }
    try writer.close()
  }

  private func differences(_ path: String) throws -> [String] {
    try Raster.open(path).members[0].profile.differences(
      from: GDALRasterSource(path: path).profile)
  }

  @Test func referencesAreThoseOfGDAL() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r.tif")
    let codes =
      [4326, 3857, 4258, 4269, 4267, 4230, 4275, 3035, 2193, 27700, 2154, 2263, 5070, 31370, 21781]
      + [22234, 2048, 4148, 4807, 3413, 4979, 4291, 2225, 28992] + Array(32601...32660)
      + Array(32701...32760)
    var common = 0
    for code in codes {
      try write(path, reference: "EPSG:\(code)")
      let differences = try differences(path)
      #expect(differences.isEmpty, "EPSG:\(code): \(differences)")
      if let plain = PlainTIFF(path: path), plain.geoKeys.code == code { common += 1 }
    }
    // Most CRSs have only the label of their code.
    #expect(common > 125)
    for text in [
      "+proj=sinu +R=6371007.181 +units=m", "+proj=laea +lat_0=-34 +lon_0=18 +ellps=GRS80",
      "+proj=longlat +ellps=bessel +pm=paris",
      "+proj=utm +zone=34 +south +datum=WGS84 +units=us-ft",
      "ESRI:102022", "EPSG:4326+5773", "EPSG:32734+3855", "+proj=tmerc +lon_0=19 +axis=wsu",
      "+proj=ob_tran +o_proj=longlat +o_lat_p=39 +o_lon_p=0 +lon_0=18 +R=6371229",
    ] {
      try write(path, reference: text)
      let differences = try differences(path)
      #expect(differences.isEmpty, "\(text): \(differences)")
    }
    try write(path, reference: nil)
    #expect(try differences(path).isEmpty)
  }

  /// Properties of CRSs that are known without PROJ are compared with PROJ's.
  @Test func commonReferencesAreThoseOfPROJ() throws {
    for code in [4326, 3857] + Array(32601...32660) + Array(32701...32760) {
      let known = try #require(SpatialReference.common("EPSG:\(code)"))
      // If the case of letters differs, the text is not in the built-in table.
      let expectedReference = try SpatialReference("epsg:\(code)")
      #expect(known.label == expectedReference.label)
      #expect(known.isGeographic == expectedReference.isGeographic)
      #expect(known.isGeoreferenced == expectedReference.isGeoreferenced)
      #expect(known.unit == expectedReference.unit)
      #expect(known.ellipsoid == expectedReference.ellipsoid)
    }
    for text in ["EPSG:4327", "EPSG:32600", "EPSG:32661", "EPSG:04326", "EPSG:", "EPSG:３857"] {
      #expect(SpatialReference.common(text) == nil, "\(text)")
    }
  }

  @Test func bandsAreThoseOfGDAL() throws {
    let folder = try TemporaryFolder()
    var plain = 0
    var files = 0
    func check(_ what: String) throws {
      let path = folder.path("r.tif")
      let differences = try differences(path)
      #expect(differences.isEmpty, "\(what): \(differences)")
      files += 1
      if PlainTIFF(path: path) != nil { plain += 1 }
      for side in ["r.tif.aux.xml", "r.tif"] {
        try? FileManager.default.removeItem(atPath: folder.path(side))
      }
    }
    let types: [PixelType] = [
      .uint8, .int8, .uint16, .int16, .uint32, .int32, .uint64, .int64, .float32, .float64,
    ]
    for type in types {
      for noData: RasterWriter.Nodata? in [
        nil, .double(0), .double(-9999), .double(255), .double(256), .double(0.5), .double(.nan),
        .double(-3.4028234663852886e38), .double(-3.40282e38), .double(1e39), .double(-1e300),
        .double(.infinity), .int64(.min), .uint64(.max), .double(4_294_967_295),
      ] {
        do {
          try write(folder.path("r.tif"), type: type) { writer in
            if let noData { try writer.setNodata(noData) }
          }
        } catch is GDALError {
          continue
        }
        try check("\(type) nodata \(noData.map { "\($0)" } ?? "none")")
      }
    }
    let described: [(String, @Sendable (inout RasterWriter) throws -> Void)] = [
      (
        "scale",
        {
          try $0.setScale(0.0001)
          try $0.setOffset(-1.5)
        }
      ),
      ("unit", { try $0.setUnit("m/s²") }), ("unit of marks", { try $0.setUnit("<a & b>") }),
      ("unit of spaces", { try $0.setUnit(" m ") }),
      ("description", { try $0.setDescription("NDVI", band: 1) }),
      ("description of marks", { try $0.setDescription("a & \"b\" < c", band: 1) }),
      ("metadata", { try $0.setMetadata("SOURCE", "x = 1; <b>") }),
      ("point", { try $0.setMetadata("AREA_OR_POINT", "Point") }),
      ("nodata values", { try $0.setMetadata("NODATA_VALUES", "1 1 1") }),
    ]
    for bands in [1, 2, 3, 4, 5] {
      for photometric in ["MINISBLACK", "RGB", "MINISWHITE"] {
        for alpha in ["NO", "YES", "UNSPECIFIED", "PREMULTIPLIED"] {
          guard photometric != "RGB" || bands >= 3 else { continue }
          try write(
            folder.path("r.tif"), type: .uint8, bands: bands,
            options: [("PHOTOMETRIC", photometric), ("ALPHA", alpha)])
          try check("\(bands) bands \(photometric) alpha \(alpha)")
        }
      }
      for (what, describe) in described {
        try write(folder.path("r.tif"), bands: bands, describe)
        try check("\(bands) bands \(what)")
      }
    }
    report("plain profiles: \(plain) of \(files) files")
    #expect(plain > files / 2)
  }

  @Test func sideFilesAreGDALsToRead() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("Tile.tif")
    try write(path)
    func open() throws -> [String] { try differences(path) }
    for (name, text) in [
      (
        "Tile.tif.aux.xml",
        "<PAMDataset><PAMRasterBand band=\"1\"><NoDataValue>1</NoDataValue></PAMRasterBand></PAMDataset>"
      ),
      ("tile.TFW", "1\n0\n0\n-1\n100\n200\n"), ("Tile.wld", "1\n0\n0\n-1\n100\n200\n"),
      ("Tile.tab", "!table\n!version 300\n"), ("tile.rpb", ""), ("Tile.IMD", ""),
    ] {
      let side = try folder.write(name, text)
      for isForMany in [false, true] {
        #expect(FolderNames(forMany: isForMany).hasSideFiles(path), "\(name)")
      }
      #expect(try open().isEmpty, "\(name)")
      try FileManager.default.removeItem(atPath: side)
    }
    try write(folder.path("mask.tif"), type: .uint8)
    try FileManager.default.moveItem(
      atPath: folder.path("mask.tif"), toPath: folder.path("Tile.tif.msk"))
    #expect(FolderNames().hasSideFiles(path))
    #expect(FolderNames(forMany: true).hasSideFiles(path))
    #expect(try open().isEmpty)
    try FileManager.default.removeItem(atPath: folder.path("Tile.tif.msk"))
    for name in ["Tile.csv", "Tile2.aux.xml", "OtherTile.tfw", "Tile.geojson"] {
      _ = try folder.write(name, "x")
    }
    #expect(!FolderNames().hasSideFiles(path))
    #expect(!FolderNames(forMany: true).hasSideFiles(path))
  }

  /// Files that are almost TIFFs are not accepted if GDAL reads them differently.
  @Test func damagedHeadsAreLeftToGDAL() throws {
    let folder = try TemporaryFolder()
    let (good, bad) = (folder.path("good.tif"), folder.path("bad.tif"))
    try write(
      good, bands: 2, options: [("TILED", "YES"), ("BLOCKXSIZE", "16"), ("BLOCKYSIZE", "16")]
    ) {
      try $0.setNodata(.double(-9999))
      try $0.setScale(0.1)
    }
    let whole = try Data(contentsOf: URL(fileURLWithPath: good))
    var generator = SeededGenerator(seed: 15)
    var (plain, compared) = (0, 0)
    for round in 0..<2000 {
      var data = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let position = Int.random(in: 0..<min(800, data.count), using: &generator)
        data[position] = UInt8.random(in: 0...255, using: &generator)
      }
      if round % 5 == 0 { data = data.prefix(Int.random(in: 0..<data.count, using: &generator)) }
      try data.write(to: URL(fileURLWithPath: bad))
      guard PlainTIFF(path: bad) != nil, let raster = try? Raster.open(bad) else { continue }
      plain += 1
      guard let general = try? GDALRasterSource(path: bad) else {
        Issue.record("round \(round): GDAL does not open what is taken for plain")
        continue
      }
      compared += 1
      let differences = raster.members[0].profile.differences(from: general.profile)
      #expect(differences.isEmpty, "round \(round): \(differences)")
    }
    report("damaged heads: \(plain) plain, \(compared) compared")
    #expect(compared > 100)
  }
}
