/// The physical type of a column, which determines the storage of its values.
enum PhysicalType: Int32 {
  case boolean, int32, int64, int96, float, double, byteArray, fixedByteArray
}

/// The encoding of a page's values.
enum PageEncoding: Int32 {
  case plain = 0
  case plainDictionary = 2
  case rle = 3
  case bitPacked = 4
  case deltaBinaryPacked = 5
  case deltaLengthByteArray = 6
  case deltaByteArray = 7
  case rleDictionary = 8
  case byteStreamSplit = 9

  var isDictionary: Bool { self == .plainDictionary || self == .rleDictionary }
}

/// The compression of a column's pages.
enum CompressionCodec: Int32 {
  case uncompressed, snappy, gzip, lzo, brotli, lz4, zstd, lz4Raw

  var name: String {
    switch self {
    case .uncompressed: "UNCOMPRESSED"
    case .snappy: "SNAPPY"
    case .gzip: "GZIP"
    case .lzo: "LZO"
    case .brotli: "BROTLI"
    case .lz4: "LZ4"
    case .zstd: "ZSTD"
    case .lz4Raw: "LZ4_RAW"
    }
  }
}

/// The meaning of a column's values in metadata since Parquet 2.4.
enum LogicalType: Equatable {
  case text, map, list, enumeration, date, json, bson, uuid, float16, variant, null
  case decimal(scale: Int, precision: Int)
  case time(TimeUnit)
  case timestamp(TimeUnit, isUTC: Bool)
  case integer(bits: Int, isSigned: Bool)
  /// WKB, with its CRS; nil for longitude and latitude.
  case geometry(crs: String?, isGeography: Bool)
  /// A type that later versions of Parquet define.
  case unknown
}

/// The meaning of a column's values in older metadata.
enum ConvertedType: Int32 {
  case utf8, map, mapKeyValue, list, enumeration, decimal, date
  case timeMilliseconds, timeMicroseconds, timestampMilliseconds, timestampMicroseconds
  case uint8, uint16, uint32, uint64, int8, int16, int32, int64
  case json, bson, interval
}
