import Foundation
import PlumbCore
import PlumbIO
import PlumbTestSupport
import Testing

@testable import PlumbParquet

/// Reading of Arrow streams. Values of every type and writer are tested in `test_arrow.py`.
@Suite struct ArrowReadTests {
  /// A function that returns bytes a few at a time.
  private func source(
    _ bytes: [UInt8], step: Int = 1000
  ) -> (UnsafeMutableRawBufferPointer) throws -> Int {
    var done = 0
    return { buffer in
      let count = min(step, buffer.count, bytes.count - done)
      buffer.copyBytes(from: bytes[done..<done + count])
      done += count
      return count
    }
  }

  private func batches(
    _ bytes: [UInt8], _ columns: [Int]? = nil, step: Int = 1000
  ) throws -> [ColumnBatch] {
    let reader = try ArrowStreamReader(read: source(bytes, step: step))
    let columns = columns ?? reader.fields.indices.filter { reader.refusal(ofColumn: $0) == nil }
    var batches: [ColumnBatch] = []
    while let batch = try reader.next(columns: columns, workers: Workers(count: 1)) {
      batches.append(batch)
    }
    return batches
  }

  private func texts(_ column: ValueColumn) -> [String?] {
    guard case .bytes(let offsets, let bytes) = column.values else { return [] }
    return (0..<column.count).map { row in
      column.isNull(row)
        ? nil : String(decoding: bytes[offsets[row]..<offsets[row + 1]], as: UTF8.self)
    }
  }

  private func integers(_ column: ValueColumn) -> [Int?] {
    let list: [Int] =
      switch column.values {
      case .int8(let list): list.map { Int($0) }
      case .int16(let list): list.map { Int($0) }
      case .int32(let list): list.map { Int($0) }
      case .int64(let list): list.map { Int($0) }
      default: []
      }
    return list.indices.map { column.isNull($0) ? nil : list[$0] }
  }

  @Test(arguments: [1, 7, 4096]) func values(step: Int) throws {
    let batches = try batches(ArrowSamples.flat, step: step)
    #expect(batches.map(\.rowCount) == [3, 0])
    let columns = try #require(batches.first).columns
    #expect(integers(columns[0]) == [1, nil, -3])
    #expect(columns[3].field.kind == .decimal(precision: 6, scale: 2))
    guard case .fixed(16, let decimals) = columns[3].values else {
      Issue.record("decimals have another size")
      return
    }
    // 1.00, null, and -2.00, most significant byte first.
    #expect(decimals[15] == 100 && decimals[16..<32].allSatisfy { $0 == 0 })
    #expect(Array(decimals[32...]) == [UInt8](repeating: 0xFF, count: 15) + [0x38])
    #expect(columns[4].field.kind == .date)
    #expect(integers(columns[4]) == [0, nil, 1])
  }

  @Test func nestedColumns() throws {
    let reader = try ArrowStreamReader(read: source(ArrowSamples.nested))
    #expect(reader.fields.map(\.name) == ["s", "l", "n", "u"])
    #expect((0..<4).map { reader.isNested($0) } == [false, true, false, false])
    let columns = try #require(try batches(ArrowSamples.nested).first).columns
    guard case .structure(let members) = columns[0].values else {
      Issue.record("a structure has no members")
      return
    }
    #expect(integers(members[0]) == [1, nil, nil])
    // A member of a structure that is null is null.
    #expect(texts(members[1]) == ["z", nil, "w"])
    #expect(texts(columns[1]) == ["[1]", nil, "[2,3]"])
    #expect(integers(columns[2]) == [nil, nil, nil])
  }

  @Test func textsAndViews() throws {
    let columns = try #require(try batches(ArrowSamples.texts).first).columns
    #expect(texts(columns[0]) == ["a", nil, "text"])
    #expect(texts(columns[1]) == ["a", nil, "longer than a view"])
    #expect(texts(columns[2]) == ["", "b", nil])
    // A column alone is decoded from its own buffers.
    #expect(try texts(batches(ArrowSamples.texts, [2])[0].columns[0]) == ["", "b", nil])
  }

  @Test func dictionariesAndRuns() throws {
    let batches = try batches(ArrowSamples.dictionaries)
    #expect(
      batches.map { texts($0.columns[0]) } == [["x", "y", nil, "x"], ["zz", "x", "y", "zz"]])
    #expect(batches.map { integers($0.columns[1]) } == [[7, nil, nil, nil], [7, nil, nil, nil]])
  }

  @Test(arguments: [ArrowSamples.lz4, ArrowSamples.zstd]) func compression(bytes: [UInt8]) throws {
    let columns = try #require(try batches(bytes).first).columns
    #expect(texts(columns[0]) == Array(repeating: "text", count: 12) + [nil])
    #expect(integers(columns[1]) == Array(0..<13))
  }

  @Test func points() throws {
    let reader = try ArrowStreamReader(read: source(ArrowSamples.points))
    #expect(reader.fields[0].kind == .geometry(.points))
    #expect(reader.crs(ofColumn: 0) == .text("EPSG:4326"))
    let batch = try #require(try reader.next(columns: [0], workers: Workers(count: 1)))
    guard case .structure(let members) = batch.columns[0].values,
      case .double(let x) = members[0].values, case .double(let y) = members[1].values
    else {
      Issue.record("points have no coordinates")
      return
    }
    #expect((x, y) == ([18.5, 19], [-34, -33.5]))
  }

  // MARK: Framing

  @Test func endings() throws {
    let bytes = ArrowSamples.flat
    // Without the marker of the end, with the old marker, and with other bytes after the end.
    #expect(try batches(Array(bytes.dropLast(8))).count == 2)
    #expect(try batches(Array(bytes.dropLast(8)) + [0, 0, 0, 0]).count == 2)
    #expect(try batches(bytes + [1, 2, 3]).count == 2)
    // A file has a mark before and an index after the same messages.
    #expect(try batches(Array("ARROW1\0\0".utf8) + bytes + Array("ARROW1".utf8)).count == 2)
  }

  @Test func otherFormats() {
    for text in ["", "ARRO", "ARROW2\0\0", "FEA1abcd", "lon,lat\n1,2\n"] {
      #expect(throws: FormatError.self) { try batches(Array(text.utf8)) }
    }
  }

  /// A stream that is cut in a message is refused; a cut between messages ends the table.
  @Test(arguments: ArrowSamples.all) func truncation(bytes: [UInt8]) throws {
    for count in bytes.indices {
      do {
        _ = try batches(Array(bytes[..<count]))
      } catch is FormatError {}
    }
  }

  @Test func writtenStreams() throws {
    let path = NSTemporaryDirectory() + "/plumb-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let fields = [
      ColumnField(name: "t", kind: .text, isNullable: true),
      ColumnField(name: "u", kind: .timestamp(.microseconds, isUTC: true), isNullable: false),
      ColumnField(name: "g", kind: .geometry(.wkb), isNullable: true),
    ]
    let output = try ByteOutput(path: path)
    let writer = try ArrowStreamWriter(output, fields: fields, crs: #"{"type":"X"}"#)
    try writer.write(
      ColumnBatch(
        columns: [
          ValueColumn(
            field: fields[0], values: .bytes(offsets: [0, 2, 2], bytes: [97, 98]),
            validity: [1], count: 2),
          ValueColumn(field: fields[1], values: .int64([5, -6]), validity: nil, count: 2),
          ValueColumn(
            field: fields[2], values: .bytes(offsets: [0, 1, 1], bytes: [1]), validity: [1],
            count: 2),
        ], rowCount: 2))
    try writer.finish()
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    let reader = try ArrowStreamReader(read: source(bytes))
    #expect(reader.fields == fields)
    #expect(reader.crs(ofColumn: 2) == .text(#"{"type":"X"}"#))
    let batch = try #require(try batches(bytes).first)
    #expect(texts(batch.columns[0]) == ["ab", nil])
    #expect(integers(batch.columns[1]) == [5, -6])
  }

  // MARK: Damage

  /// A damaged stream has some values or causes a typed error.
  @Test(arguments: 0..<40) func randomDamage(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for sample in ArrowSamples.all {
      for _ in 0..<100 {
        var bytes = sample
        for _ in 0...Int.random(in: 0..<4, using: &random) {
          let position = Int.random(in: bytes.indices, using: &random)
          // Sizes and counts are often near a limit.
          let size = [1, 4, 8][Int.random(in: 0..<3, using: &random)]
          let value: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
          let byte = value[Int.random(in: value.indices, using: &random)]
          for index in position..<min(bytes.count, position + size) { bytes[index] = byte }
        }
        do {
          _ = try batches(bytes)
        } catch is FormatError {
        } catch {
          Issue.record(error)
        }
      }
    }
  }

  @Test func frames() {
    func unpack(_ frame: [UInt8], _ count: Int) -> [UInt8]? {
      let (input, output) = (PaddedBytes(capacity: frame.count), PaddedBytes(capacity: count))
      input.prefix(frame.count).copyBytes(from: frame)
      let isValid = LZ4Frame.decode(
        UnsafeRawBufferPointer(input.prefix(frame.count)), into: output.base, byteCount: count)
      return isValid ? Array(output.prefix(count)) : nil
    }
    let head: [UInt8] = [0x04, 0x22, 0x4D, 0x18, 0x40, 0x40, 0]
    let literals: [UInt8] = [3, 0, 0, 0, 2 << 4, 97, 98]
    // The second block repeats 4 bytes of the first, and ends with a literal.
    let match: [UInt8] = [5, 0, 0, 0, 0, 2, 0, 1 << 4, 99]
    let stored: [UInt8] = [2, 0, 0, 0x80, 100, 101]
    let end: [UInt8] = [0, 0, 0, 0]
    #expect(unpack(head + literals + match + stored + end, 9) == Array("abababcde".utf8))
    #expect(unpack(head + literals + match + stored + end, 8) == nil)
    #expect(unpack(head + literals + match + stored, 9) == nil)
    #expect(unpack(head + match + end, 5) == nil)
    // Independent blocks do not refer to earlier blocks.
    var independent = head
    independent[4] |= 0x20
    #expect(unpack(independent + literals + match + end, 7) == nil)
  }
}
