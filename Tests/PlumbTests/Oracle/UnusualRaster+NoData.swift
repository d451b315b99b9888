import Plumb
import PlumbGDAL
import PlumbTestSupport

extension UnusualRaster {
  /// A raster with one nodata value for all bands.
  private static func noData(
    _ description: String, _ type: PixelType, _ value: RasterWriter.Nodata, bits: UInt64?,
    statuses: Set<SampleStatus> = [.ok, .nodata, .outside], style: CellPattern.Style = .wild
  ) -> UnusualRaster {
    UnusualRaster(
      description: "nodata \(description) of \(type)", type: type, style: style,
      noDataBits: bits, statuses: statuses,
      describe: { writer in try writer.setNodata(value) })
  }

  private static func bits(_ value: Float) -> UInt64 { UInt64(value.bitPattern) }

  static let noData: [UnusualRaster] = [
    noData("-9999.9, near", .float32, .double(-9999.9), bits: bits(-9999.9)),
    noData(
      "-9999.9, next", .float32, .double(-9999.9), bits: bits(Float(-9999.9).nextUp)),
    noData(
      "lowest", .float32, .double(-3.4028234663852886e38), bits: bits(-.greatestFiniteMagnitude)),
    noData("-3.4e38", .float32, .double(-3.4e38), bits: bits(-3.4e38)),
    noData(
      "below the lowest", .float32, .double(-3.40282347e38), bits: bits(-.greatestFiniteMagnitude)),
    noData("NaN", .float32, .double(.nan), bits: bits(.nan)),
    noData("infinity", .float32, .double(.infinity), bits: bits(.infinity)),
    noData("-infinity", .float64, .double(-.infinity), bits: (-Double.infinity).bitPattern),
    noData("0", .float32, .double(0), bits: bits(-0.0)),
    noData("0.1", .float64, .double(0.1), bits: (0.1 as Double).nextUp.bitPattern),
    noData(
      "-1.7e308", .float64, .double(-1.7976931348623157e308),
      bits: (-Double.greatestFiniteMagnitude).bitPattern),
    noData("NaN", .float64, .double(.nan), bits: Double.nan.bitPattern),
    noData("255", .uint8, .double(255), bits: 255),
    noData("300", .uint8, .double(300), bits: 44, statuses: [.ok]),
    noData("-1", .uint8, .double(-1), bits: 255, statuses: [.ok]),
    noData("5.5", .uint8, .double(5.5), bits: 5, statuses: [.ok]),
    noData("NaN", .uint8, .double(.nan), bits: 0, statuses: [.ok]),
    noData("NaN", .int16, .double(.nan), bits: 0, statuses: [.ok]),
    noData("-32768", .int16, .double(-32768), bits: UInt64(bitPattern: -32768)),
    noData("99999", .int16, .double(99999), bits: 34463, statuses: [.ok]),
    noData("-2.7", .int16, .double(-2.7), bits: UInt64(bitPattern: -2), statuses: [.ok]),
    noData("4294967295", .uint32, .double(4_294_967_295), bits: 0xFFFF_FFFF),
    noData(
      "-2147483648", .int32, .double(-2_147_483_648), bits: UInt64(bitPattern: -2_147_483_648)),
    noData("2^53 + 1", .int64, .int64(1 << 53 + 1), bits: 1 << 53 + 1),
    noData("lowest", .int64, .int64(.min), bits: 1 << 63),
    noData("highest", .uint64, .uint64(.max), bits: .max),
    noData("2^53 + 1", .uint64, .uint64(1 << 53 + 1), bits: 1 << 53 + 1),
    // GDAL 3.6 treats these as bytes above 127 and never finds them.
    noData("-128", .int8, .double(-128), bits: UInt64(bitPattern: -128)),
    noData("-1", .int8, .double(-1), bits: UInt64(bitPattern: -1)),
    noData("5", .int8, .double(5), bits: 5),
    noData("7", .complexInt16, .double(7), bits: 7),
    noData("7", .complexInt32, .double(7), bits: 7),
    noData("7", .complexFloat32, .double(7), bits: bits(7)),
    noData("7", .complexFloat64, .double(7), bits: (7 as Double).bitPattern),
    UnusualRaster(
      description: "nodata of each band its own", type: .int16, bandCount: 3,
      style: .below(4), statuses: [.ok, .nodata, .outside],
      describe: { writer in
        try writer.setNodata(.double(1), band: 1)
        try writer.setNodata(.double(2), band: 2)
      }),
    UnusualRaster(
      description: "nodata of each band its own, by cell", type: .float32, bandCount: 3,
      options: tiled + [("INTERLEAVE", "PIXEL"), ("COMPRESS", "DEFLATE")],
      noDataBits: bits(-9999.9), statuses: [.ok, .nodata, .outside],
      describe: { writer in
        try writer.setNodata(.double(-9999.9))
        try writer.setNodata(.double(.nan), band: 2)
        try writer.setNodata(.double(16_777_216), band: 3)
      }),
    UnusualRaster(
      description: "NODATA_VALUES", type: .uint8, bandCount: 3, style: .below(2),
      statuses: [.ok, .nodata, .outside],
      describe: { writer in try writer.setMetadata("NODATA_VALUES", "1 1 1") }),
    UnusualRaster(
      description: "NODATA_VALUES of int16", type: .int16, bandCount: 2, style: .below(2),
      statuses: [.ok, .nodata, .outside],
      describe: { writer in try writer.setMetadata("NODATA_VALUES", "0 1") }),
    UnusualRaster(
      description: "nodata and an internal mask", type: .int16, options: tiled, noDataBits: 7,
      describe: { writer in
        try writer.setNodata(.double(7))
        try writer.addMask(isInternal: true)
      },
      finish: { writer in
        try writer.writeMask((0..<width * height).map { $0 % 3 == 0 ? 0 : 255 })
      }),
  ]
}
