import Foundation
import PlumbCore
import PlumbIO
import Testing

@testable import PlumbParquet

/// The parts of the writer. `test_parquet_output.py` reads the written files with other programs.
@Suite struct WriteTests {
  // MARK: Encodings

  /// Decodes the hybrid of runs and bit-packed groups.
  private func decode(_ bytes: [UInt8], width: Int, count: Int) -> [UInt32]? {
    var (position, values): (Int, [UInt32]) = (0, [])
    while position < bytes.count {
      var (header, shift) = (0, 0)
      while bytes[position] >= 0x80 {
        header |= Int(bytes[position] & 0x7F) << shift
        shift += 7
        position += 1
      }
      header |= Int(bytes[position]) << shift
      position += 1
      if header & 1 == 0 {
        var value: UInt32 = 0
        for byte in 0..<(width + 7) / 8 {
          value |= UInt32(bytes[position + byte]) << UInt32(8 * byte)
        }
        position += (width + 7) / 8
        values += Array(repeating: value, count: header >> 1)
      } else {
        for item in 0..<(header >> 1) * 8 {
          var value: UInt32 = 0
          for bit in 0..<width {
            let place = item * width + bit
            let isSet = bytes[position + place / 8] >> UInt8(place % 8) & 1
            value |= UInt32(isSet) << UInt32(bit)
          }
          values.append(value)
        }
        position += (header >> 1) * width
      }
    }
    // Only the last group may be padded, with zeros.
    guard values.count >= count, values.count < count + 8,
      values[count...].allSatisfy({ $0 == 0 })
    else { return nil }
    return Array(values.prefix(count))
  }

  @Test func hybrid() {
    var random = SystemRandomNumberGenerator()
    for width in [1, 2, 3, 5, 8, 9, 17, 20, 31, 32] {
      for count in [0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000] {
        for longest in [1, 3, 12, 40] {
          var values: [UInt32] = []
          while values.count < count {
            let value = UInt32.random(in: 0...(.max >> UInt32(32 - width)), using: &random)
            let run = Int.random(in: 1...longest, using: &random)
            values += Array(repeating: value, count: min(run, count - values.count))
          }
          var bytes: [UInt8] = []
          values.withUnsafeBufferPointer { HybridWriter.append($0, width: width, to: &bytes) }
          #expect(decode(bytes, width: width, count: count) == values)
        }
      }
    }
  }

  @Test func hybridBits() {
    var random = SystemRandomNumberGenerator()
    for count in [0, 1, 7, 8, 9, 24, 31, 100, 1000, 1001] {
      for longest in [1, 9, 60, 2000] {
        var values: [UInt32] = []
        while values.count < count {
          let run = Int.random(in: 1...longest, using: &random)
          let value = UInt32.random(in: 0...1, using: &random)
          values += Array(repeating: value, count: min(run, count - values.count))
        }
        var bits = [UInt8](repeating: 0, count: (count + 7) / 8)
        for (index, value) in values.enumerated() {
          bits[index / 8] |= UInt8(value) << UInt8(index % 8)
        }
        var bytes: [UInt8] = []
        HybridWriter.append(bits: bits, count: count, to: &bytes)
        #expect(decode(bytes, width: 1, count: count) == values)
      }
    }
  }

  @Test func thrift() {
    var writer = ThriftWriter()
    writer.structure {
      $0.field(1, Int32(-1))
      $0.field(2, true)
      $0.field(20, "a")
      $0.field(21) { $0.field(1, Int64(300)) }
      $0.list(22, of: .int32, count: 1)
      $0.append(zigzag: 2)
    }
    #expect(
      writer.bytes == [
        0x15, 1, 0x11, 0x08, 40, 1, 0x61, 0x1C, 0x16, 0xD8, 4, 0, 0x19, 0x15, 4, 0,
      ])
  }

  // MARK: Columns

  private func buffer(
    _ kind: ColumnKind, _ values: ColumnValues, count: Int, validity: [UInt8]? = nil
  ) throws -> ColumnBuffer {
    let field = ColumnField(name: "c", kind: kind, isNullable: true)
    var buffer = ColumnBuffer(try LeafColumn(path: ["c"], field: field, isOptional: true))
    let column = ValueColumn(field: field, values: values, validity: validity, count: count)
    // The column is written in parts that begin within a byte of the validity bitmap.
    for start in stride(from: 0, to: count, by: 3) {
      try buffer.append(column, outer: nil, rows: start..<min(count, start + 3))
    }
    return buffer
  }

  private func bytes<Number>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) }
  }

  @Test func statistics() throws {
    let double = { (values: [Double]) in
      let column = try self.buffer(.float(bits: 64), .double(values), count: values.count)
      return ColumnStatistics(column, nil)
    }
    let some = try double([.nan, 3, -.infinity, .nan])
    #expect(some.minimum == bytes(-Double.infinity) && some.maximum == bytes(3.0))
    let none = try double([.nan, .nan])
    #expect(none.minimum == nil && none.maximum == nil)
    // Both positive and negative zero are within the bounds.
    let zero = try double([0.0])
    #expect(zero.minimum == bytes(-0.0) && zero.maximum == bytes(0.0))
    let other = try double([-0.0, 1])
    #expect(other.minimum == bytes(-0.0) && other.maximum == bytes(1.0))
    let unsigned = ColumnStatistics(
      try buffer(.integer(bits: 64, isSigned: false), .uint64([.max, 1]), count: 2), nil)
    #expect(unsigned.minimum == bytes(UInt64(1)) && unsigned.maximum == bytes(UInt64.max))
    let small = ColumnStatistics(
      try buffer(.integer(bits: 8, isSigned: true), .int8([-5, 7]), count: 2), nil)
    #expect(small.minimum == bytes(Int32(-5)) && small.maximum == bytes(Int32(7)))
    let text = ColumnStatistics(
      try buffer(
        .text, .bytes(offsets: [0, 2, 3, 3, 5], bytes: Array("éa".utf8) + [97, 0]), count: 4), nil)
    #expect(text.minimum == [] && text.maximum == Array("é".utf8))
  }

  @Test func nulls() throws {
    let valid: [UInt8] = [0b1011_0110, 0b11]
    let column = try buffer(
      .integer(bits: 32, isSigned: true), .int32(Array(0..<10)), count: 10, validity: valid)
    #expect(column.rowCount == 10 && column.valueCount == 7 && column.validity == valid)
    let values = column.bytes.withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
    #expect(values == [1, 2, 4, 5, 7, 8, 9])
    #expect(ColumnStatistics(column, nil).nullCount == 3)
    let field = ColumnField(name: "c", kind: .boolean, isNullable: false)
    var required = ColumnBuffer(try LeafColumn(path: ["c"], field: field, isOptional: false))
    #expect(throws: PlumbError.self) {
      try required.append(
        ValueColumn(field: field, values: .booleans([true]), validity: [0], count: 1), outer: nil,
        rows: 0..<1)
    }
  }

  @Test func dictionary() throws {
    let numbers = (0..<5000).map { Int64($0 * $0 % 1300) }
    let column = try buffer(
      .integer(bits: 64, isSigned: true), .int64(numbers), count: numbers.count)
    let dictionary = try #require(ColumnDictionary(column, byteLimit: 1 << 20))
    let entries = dictionary.entries.withUnsafeBytes { Array($0.bindMemory(to: Int64.self)) }
    #expect(dictionary.isComplete && Set(entries).count == entries.count)
    #expect(dictionary.indices.map { entries[Int($0)] } == numbers)
    // The dictionary ends at its limit, or is not used if it saves nothing.
    let growing = try buffer(
      .integer(bits: 64, isSigned: true), .int64((0..<2000).map { $0 < 1000 ? $0 % 40 : $0 }),
      count: 2000)
    let part = try #require(ColumnDictionary(growing, byteLimit: 8 * 40))
    #expect(part.entryCount == 40 && part.indices.count == 1000 && !part.isComplete)
    let distinct = try buffer(
      .integer(bits: 64, isSigned: true), .int64(Array(0..<1000)), count: 1000)
    let unused = ColumnDictionary(distinct, byteLimit: 1 << 20)
    #expect(unused == nil)
  }

  @Test func times() throws {
    let column = try buffer(.timestamp(.seconds, isUTC: true), .int64([-1, 2]), count: 2)
    #expect(column.bytes == bytes(Int64(-1000)) + bytes(Int64(2000)))
    #expect(throws: PlumbError.self) {
      try buffer(.timestamp(.seconds, isUTC: true), .int64([.max]), count: 1)
    }
  }

  // MARK: Geometries

  @Test func bounds() {
    var line: [UInt8] = [1, 2, 0, 0, 0, 2, 0, 0, 0]
    for number in [1.0, 2.0, -3.0, 8.0] { line += bytes(number) }
    let found = line.withUnsafeBytes { WKBBounds($0) }
    #expect(found?.kind == 2)
    #expect(found?.box?.low == SIMD2(-3, 2) && found?.box?.high == SIMD2(1, 8))
    for count in 0..<line.count {
      #expect(Array(line.prefix(count)).withUnsafeBytes { WKBBounds($0) } == nil)
    }
    line[6] = 0xFF
    #expect(line.withUnsafeBytes { WKBBounds($0) } == nil)
    // Collections nested in collections without end.
    let nested = (0..<1000).flatMap { _ in [1, 7, 0, 0, 0, 1, 0, 0, 0] as [UInt8] }
    #expect(nested.withUnsafeBytes { WKBBounds($0) } == nil)
  }

  // MARK: Tables

  private func temporary(_ body: (String) throws -> Void) throws {
    let path = NSTemporaryDirectory() + "/plumb-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  @Test func refused() throws {
    try temporary { path in
      let output = try ByteOutput(path: path)
      let field = { ColumnField(name: $0, kind: $1, isNullable: true) }
      #expect(throws: PlumbError.self) {
        try ParquetWriter(
          output, fields: [field("a", .text), field("a", .date)], crs: nil, workers: Workers())
      }
      #expect(throws: PlumbError.self) {
        try ParquetWriter(
          output, fields: [field("a", .geometry(.wkb)), field("b", .geometry(.wkb))], crs: nil,
          workers: Workers())
      }
      let writer = try ParquetWriter(
        output, fields: [field("a", .geometry(.wkb))], crs: nil, workers: Workers())
      let broken = ValueColumn(
        field: field("a", .geometry(.wkb)), values: .bytes(offsets: [0, 3], bytes: [1, 1, 0]),
        validity: nil, count: 1)
      #expect(throws: PlumbError.self) {
        try writer.write(ColumnBatch(columns: [broken], rowCount: 1))
      }
    }
  }
}
