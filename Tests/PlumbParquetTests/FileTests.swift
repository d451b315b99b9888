import PlumbCore
import PlumbIO
import PlumbTestSupport
import Testing

@testable import PlumbParquet

@Suite struct FileTests {
  private func column(_ file: FileBytes) throws -> ValueColumn {
    let file = try ParquetFile(MemoryByteSource(file.bytes))
    return try file.read(rowGroup: 0, columns: [0], workers: Workers(count: 1)).columns[0]
  }

  private func integers(_ file: FileBytes) throws -> [Int32?] {
    let column = try column(file)
    guard case .int32(let values) = column.values else { return [] }
    return values.indices.map { column.isNull($0) ? nil : values[$0] }
  }

  private func texts(_ file: FileBytes) throws -> [String] {
    guard case .bytes(let offsets, let bytes) = try column(file).values else { return [] }
    return zip(offsets, offsets.dropFirst()).map {
      String(decoding: bytes[$0..<$1], as: UTF8.self)
    }
  }

  /// The message of the error that a file causes; nil if it is read.
  private func message(_ change: (inout FileBytes) -> Void) -> String? {
    var file = FileBytes()
    change(&file)
    do {
      _ = try column(file)
      return nil
    } catch {
      return PlumbError.message(of: error)
    }
  }

  @Test func plainValues() throws {
    #expect(try integers(FileBytes()) == [1, 2, 3])
  }

  @Test func noRowGroupAfterTheLast() throws {
    let groups = ParquetGroups(try ParquetFile(MemoryByteSource(FileBytes().bytes)))
    let workers = Workers(count: 1)
    #expect(try groups.next(columns: [0], workers: workers)?.rowCount == 3)
    for _ in 0..<2 { #expect(try groups.next(columns: [0], workers: workers)?.rowCount == nil) }
  }

  @Test func nulls() throws {
    // The levels 1, 0, 1 in a bit-packed run of 2 bytes, then two values.
    let levels: [UInt8] = [2, 0, 0, 0, 3, 0b101]
    let file = FileBytes(
      repetition: 1, body: levels + [7, 0, 0, 0, 9, 0, 0, 0])
    #expect(try integers(file) == [7, nil, 9])
    // A run of three levels 0, and no values.
    #expect(
      try integers(FileBytes(repetition: 1, body: [2, 0, 0, 0, 6, 0])) == [nil, nil, nil])
    // A run of three levels 1.
    let all = FileBytes(repetition: 1, body: [2, 0, 0, 0, 6, 1] + FileBytes().body)
    #expect(try column(all).validity == nil)
    #expect(try integers(all) == [1, 2, 3])
  }

  @Test func dictionary() throws {
    // Indices of 1 bit: 1, 0, 1.
    let file = FileBytes(
      encoding: 8, body: [1, 3, 0b101], dictionary: (2, [5, 0, 0, 0, 6, 0, 0, 0]))
    #expect(try integers(file) == [6, 5, 6])
    let texts = FileBytes(
      type: 6, encoding: 8, body: [1, 3, 0b101],
      dictionary: (2, [0, 0, 0, 0, 2, 0, 0, 0, 97, 98]))
    #expect(try self.texts(texts) == ["ab", "", "ab"])
  }

  @Test func differences() throws {
    // A block of 128 in 4 parts: the first value 7, then differences of at least -2 in 0 bits.
    let body: [UInt8] = [0x80, 1, 4, 3, 14, 3, 0, 0, 0, 0]
    #expect(try integers(FileBytes(encoding: 5, body: body)) == [7, 5, 3])
  }

  @Test func refusals() {
    #expect(message { $0.isEncrypted = true } == "encrypted Parquet is not supported")
    #expect(message { $0.codec = 3 }?.contains("LZO is not supported") == true)
    #expect(message { $0.codec = 4 }?.contains("BROTLI is not supported") == true)
    #expect(message { $0.codec = 99 }?.contains("compression 99 is not supported") == true)
    #expect(message { $0.encoding = 77 }?.contains("encoding 77 is not supported") == true)
    #expect(
      message { $0.chunkUnpackedSize = 400 << 20 }?.contains("row group 1 has 400 MB") == true)
  }

  @Test(
    arguments: [
      { $0.pageValueCount = 4 }, { $0.pageValueCount = 2 }, { $0.packedSize = 13 + 200 },
      { $0.packedSize = .max }, { $0.unpackedSize = .max }, { $0.dataOffset = 0 },
      { $0.dataOffset = .max }, { $0.chunkSize = .max }, { $0.chunkSize = 0 },
      { $0.checksum = 1 }, { $0.body.removeLast() }, { $0.encoding = 8 }, { $0.childCount = 2 },
      { $0.childCount = 0 }, { $0.rowCount = 1 << 40 }, { $0.codec = 1 }, { $0.codec = 2 },
      { $0.codec = 6 }, { $0.codec = 7 }, { $0.type = 9 },
      // An index outside the dictionary, and more values than the dictionary has.
      { ($0.encoding, $0.body, $0.dictionary) = (8, [1, 3, 0b111], (1, [5, 0, 0, 0])) },
      { ($0.encoding, $0.body, $0.dictionary) = (8, [1, 3, 0], (2, [5, 0, 0, 0])) },
      { ($0.encoding, $0.body, $0.dictionary) = (8, [33, 3, 0], (1, [5, 0, 0, 0])) },
      // Levels: larger than the page, and above the maximum.
      { ($0.repetition, $0.body) = (1, [255, 255, 255, 255, 6, 1]) },
      { ($0.repetition, $0.body) = (1, [2, 0, 0, 0, 6, 2] + FileBytes().body) },
      // Differences: zero parts, a different number of values, 65 bits.
      { ($0.encoding, $0.body) = (5, [0x80, 1, 0, 3, 14]) },
      { ($0.encoding, $0.body) = (5, [0x80, 1, 4, 9, 14, 3, 0, 0, 0, 0]) },
      { ($0.encoding, $0.body) = (5, [0x80, 1, 4, 3, 14, 3, 65, 0, 0, 0]) },
      // Texts: a length beyond the page, and a prefix longer than the previous text.
      { ($0.type, $0.body) = (6, [255, 255, 255, 127, 1, 0, 0, 0, 97, 1, 0, 0]) },
      {
        ($0.type, $0.encoding, $0.rowCount, $0.body) = (
          6, 7, 1, [0x80, 1, 4, 1, 2, 0x80, 1, 4, 1, 2, 97]
        )
      },
      { $0.keyValues = [("geo", "{")] }, { $0.keyValues = [("geo", "{}")] },
      { $0.keyValues = [("geo", #"{"primary_column":"g","columns":{}}"#)] },
    ] as [@Sendable (inout FileBytes) -> Void])
  func damage(_ change: @Sendable (inout FileBytes) -> Void) {
    #expect(message(change) != nil)
  }

  @Test func truncation() {
    let bytes = FileBytes().bytes
    for count in bytes.indices {
      #expect(throws: FormatError.self) {
        try ParquetFile(MemoryByteSource(Array(bytes[..<count])))
      }
    }
  }

  @Test func deepSchemaIsRefused() {
    // A list in a list in a list, and so on, in the metadata.
    let deep = [UInt8](repeating: 0x19, count: 5000)
    let size = [UInt8(truncatingIfNeeded: deep.count), UInt8(deep.count >> 8), 0, 0]
    let bytes = Array("PAR1".utf8) + deep + size + Array("PAR1".utf8)
    #expect(throws: FormatError.self) { try ParquetFile(MemoryByteSource(bytes)) }
  }

  /// A damaged file has some values or causes a typed error.
  @Test(arguments: 0..<40) func randomDamage(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let files = [
      FileBytes(), FileBytes(repetition: 1, body: [2, 0, 0, 0, 3, 5] + FileBytes().body),
      FileBytes(encoding: 8, body: [1, 3, 5], dictionary: (2, [5, 0, 0, 0, 6, 0, 0, 0])),
      FileBytes(
        type: 6, encoding: 7, rowCount: 2,
        body: [0x80, 1, 4, 2, 0, 2, 0, 0, 0, 0, 0x80, 1, 4, 2, 2, 0, 0, 0, 0, 0, 97, 98]),
    ]
    for file in files {
      for _ in 0..<100 {
        var bytes = file.bytes
        for _ in 0...Int.random(in: 0..<4, using: &random) {
          bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
            in: 0...255, using: &random)
        }
        do {
          let file = try ParquetFile(MemoryByteSource(bytes))
          for group in file.rowGroups.indices {
            _ = try file.read(
              rowGroup: group, columns: Array(file.fields.indices), workers: Workers(count: 1))
          }
        } catch is FormatError {
        } catch {
          Issue.record(error)
        }
      }
    }
  }

  // MARK: GeoParquet

  @Test func geoMetadata() throws {
    let column = #""encoding":"WKB","geometry_types":[]"#
    func geo(_ members: String) throws -> GeoParquetMetadata {
      try GeoParquetMetadata(
        #"{"version":"1.1.0","primary_column":"v","columns":{"v":{\#(column)\#(members)}}}"#)
    }
    #expect(try geo("").columns[0].crs == .longitudeLatitude)
    #expect(try geo(#","crs":null"#).columns[0].crs == .unknown)
    #expect(try geo(#","crs":{"a":[1]}"#).columns[0].crs == .text(#"{"a":[1]}"#))
    #expect(throws: FormatError.self) { try geo(#","crs":7"#) }
    #expect(
      try geo(#","covering":{"bbox":{"xmin":["b","xmin"]}}"#).columns[0].covering == ["b"])
    let file = try ParquetFile(
      MemoryByteSource(
        FileBytes(
          type: 6, body: [],
          keyValues: [("geo", #"{"primary_column":"v","columns":{"v":{\#(column)}}}"#)]
        ).bytes))
    #expect(file.fields[0].kind == .geometry(.wkb))
    #expect(file.crs(ofColumn: 0) == .longitudeLatitude)
  }
}
