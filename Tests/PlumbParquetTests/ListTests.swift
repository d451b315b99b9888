import PlumbCore
import PlumbIO
import PlumbTestSupport
import Testing

@testable import PlumbParquet

/// Lists and maps as JSON text. `test_nested_columns.py` compares more of them with pyarrow's values.
@Suite struct ListTests {
  private func texts(_ bytes: [UInt8]) throws -> [[String?]] {
    let file = try ParquetFile(MemoryByteSource(bytes))
    let columns = try file.read(
      rowGroup: 0, columns: Array(file.fields.indices), workers: Workers(count: 1)
    ).columns
    return columns.flatMap { column in
      if case .structure(let members) = column.values { members } else { [column] }
    }.map { column in
      var values = [FieldValue](repeating: .null, count: column.count)
      column.write(0..<column.count, into: &values, from: 0, step: 1)
      return values.map { value in
        switch value {
        case .json(let text): text
        case .integer(let integer): "\(integer)"
        default: nil
        }
      }
    }
  }

  @Test(arguments: [ParquetSamples.nested, ParquetSamples.nestedV2])
  func values(bytes: [UInt8]) throws {
    #expect(
      try texts(bytes) == [
        ["[1,2]", nil, "[]"], [#"{"k":[1]}"#, nil, "{}"], [#"[{"b":"x"}]"#, nil, nil],
        ["1", nil, nil],
      ])
  }

  @Test func columns() throws {
    let file = try ParquetFile(MemoryByteSource(ParquetSamples.nested))
    #expect(file.fields.map(\.name) == ["l", "m", "s"])
    #expect((0..<3).allSatisfy { file.isNested($0) && file.refusal(ofColumn: $0) == nil })
    let flat = try ParquetFile(MemoryByteSource(ParquetSamples.flat))
    #expect(!flat.fields.indices.contains { flat.isNested($0) })
  }

  /// The text may be larger than the values, and is copied once.
  @Test func memory() throws {
    let field = ColumnField(name: "n", kind: .integer(bits: 8, isSigned: true), isNullable: false)
    let name = String(repeating: "n", count: 1000)
    let member = ValueColumn(
      field: ColumnField(name: name, kind: field.kind, isNullable: false),
      values: .int8(Array(repeating: 1, count: 5000)), validity: nil, count: 5000)
    let elements = ValueColumn(
      field: field, values: .structure([member]), validity: nil, count: 5000)
    var small = ListTexts(elements, isMap: false, DecodeBudget(limit: 4 << 20))
    #expect(throws: FormatError.self) {
      try small.column(field, count: 1, validity: nil) { _ in 0..<5000 }
    }
    var large = ListTexts(elements, isMap: false, DecodeBudget(limit: 12 << 20))
    let column = try large.column(field, count: 1, validity: nil) { _ in 0..<5000 }
    #expect(column.count == 1)
  }
}
