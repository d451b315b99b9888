import PlumbCore
import PlumbParquet
import PlumbTestSupport
import Testing

@testable import PlumbSources

/// Columns that are copied with the types of their file.
@Suite struct TypedColumnTests {
  private static func column(_ kind: ColumnKind, _ values: [[UInt8]?]) -> ValueColumn {
    var (offsets, bytes): ([Int], [UInt8]) = ([0], [])
    var validity = [UInt8](repeating: 0, count: (values.count + 7) / 8)
    for (row, value) in values.enumerated() {
      bytes += value ?? []
      offsets.append(bytes.count)
      if value != nil { validity[row >> 3] |= 1 << UInt8(row & 7) }
    }
    return ValueColumn(
      field: ColumnField(name: "c", kind: kind, isNullable: true),
      values: .bytes(offsets: offsets, bytes: bytes), validity: validity, count: values.count)
  }

  private static func copy(
    _ column: ValueColumn, _ rows: Range<Int>, copies: Int = 1
  ) throws -> ValueColumn {
    try ColumnAttribute.attributes(of: column.field, at: [0])[0].typedColumn(
      ColumnBatch(columns: [column], rowCount: column.count), rows, copies: copies)
  }

  /// Decimals may be stored in any number of bytes; they are written in as many as the precision
  /// needs.
  @Test func decimalsOfAnyLength() throws {
    var random = SeededGenerator(seed: 11)
    let numbers = (0..<500).map { row -> Int32? in
      row % 7 == 3
        ? nil : Int32.random(in: -999_999_999...999_999_999, using: &random) >> (row % 30)
    }
    let values = numbers.map { number in
      number.map { number -> [UInt8] in
        var bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        let sign: UInt8 = number < 0 ? 0xFF : 0
        if Bool.random(using: &random) {
          bytes = [UInt8](repeating: sign, count: Int.random(in: 1...9, using: &random)) + bytes
        }
        while bytes.count > 1, bytes[0] == sign, bytes[1] & 0x80 == sign & 0x80,
          Bool.random(using: &random)
        {
          bytes.removeFirst()
        }
        return bytes
      }
    }
    let copied = try Self.copy(
      Self.column(.decimal(precision: 9, scale: 2), values), 5..<495, copies: 2)
    guard case .fixed(let width, let bytes) = copied.values else {
      Issue.record("the decimals do not have a fixed width")
      return
    }
    #expect(width == 4)
    #expect(copied.count == 980)
    for row in 0..<copied.count {
      let expected = numbers[5 + row / 2]
      #expect(copied.isNull(row) == (expected == nil))
      guard let expected else { continue }
      let found = bytes[row * 4..<row * 4 + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      #expect(Int32(bitPattern: found) == expected)
    }
  }

  @Test(arguments: [[1, 0, 0, 0, 0], [0, 0x80, 0, 0, 0], [0xFF, 0x7F, 0xFF, 0xFF, 0xFF]])
  func longDecimalsAreRefused(bytes: [UInt8]) {
    #expect(throws: PlumbError.self) {
      try Self.copy(Self.column(.decimal(precision: 9, scale: 0), [[1], bytes]), 0..<2)
    }
  }

  /// Invalid UTF-8 is replaced, also where only the boundaries of the values make it invalid.
  @Test func invalidTexts() throws {
    let character = Array("é".utf8)
    let texts: [[UInt8]?] = [
      Array("a".utf8), [character[0]], [character[1]], nil, character, [0xFF],
    ]
    let copied = try Self.copy(Self.column(.text, texts), 0..<6)
    guard case .bytes(let offsets, let bytes) = copied.values else {
      Issue.record("the texts have another type")
      return
    }
    for (row, text) in texts.enumerated() {
      let found = String(decoding: bytes[offsets[row]..<offsets[row + 1]], as: UTF8.self)
      #expect(found == String(decoding: text ?? [], as: UTF8.self))
      #expect(String(validating: bytes[offsets[row]..<offsets[row + 1]], as: UTF8.self) != nil)
    }
  }
}
