import Foundation
import PlumbIO
import Testing

@testable import PlumbParquet

/// The form of Arrow streams. `test_parquet_output.py` tests their values with the readers of other
/// programs.
@Suite struct ArrowTests {
  /// The sizes of the messages of a stream with their bodies; nil if it is not a stream.
  private func bodies(_ bytes: [UInt8]) -> [Int]? {
    var (position, sizes): (Int, [Int]) = (0, [])
    let word = { (at: Int) in (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
    while position + 8 <= bytes.count, word(position) == 0xFFFF_FFFF {
      let size = word(position + 4)
      if size == 0 { return position + 8 == bytes.count ? sizes : nil }
      guard size % 8 == 0 else { return nil }
      // The length of the body is field 3 of the outermost table.
      let root = position + 8 + word(position + 8)
      let fields = root - word(root)
      let place = Int(bytes[fields + 10]) | Int(bytes[fields + 11]) << 8
      let body = place == 0 ? 0 : word(root + place)
      guard body % 8 == 0 else { return nil }
      sizes.append(body)
      position += 8 + size + body
    }
    return nil
  }

  @Test func messages() throws {
    let path = NSTemporaryDirectory() + "/plumb-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let field = ColumnField(name: "c", kind: .integer(bits: 16, isSigned: true), isNullable: true)
    let writer = try ArrowStreamWriter(try ByteOutput(path: path), fields: [field], crs: nil)
    for count in [3, 0, 5] {
      let column = ValueColumn(
        field: field, values: .int16(Array(repeating: 7, count: count)), validity: nil,
        count: count)
      try writer.write(ColumnBatch(columns: [column], rowCount: count))
    }
    try writer.finish()
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    // The schema, and one record batch for each batch that has rows.
    #expect(bodies(bytes) == [0, 8, 16])
  }

  @Test func empty() throws {
    let path = NSTemporaryDirectory() + "/plumb-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let writer = try ArrowStreamWriter(try ByteOutput(path: path), fields: [], crs: nil)
    try writer.finish()
    #expect(bodies(Array(try Data(contentsOf: URL(fileURLWithPath: path)))) == [0])
  }
}
