import PlumbCore
import Testing

@Suite struct PixelTypeTests {
  /// The narrowest type that represents both types exactly; `-` if there is none. Rows and columns
  /// are in the same order.
  @Test func unionOfRealTypes() {
    let names: [String: PixelType] = [
      "u8": .uint8, "i8": .int8, "u16": .uint16, "i16": .int16, "u32": .uint32, "i32": .int32,
      "u64": .uint64, "i64": .int64, "f32": .float32, "f64": .float64,
    ]
    let table = """
      .   u8  i8  u16 i16 u32 i32 u64 i64 f32 f64
      u8  u8  i16 u16 i16 u32 i32 u64 i64 f32 f64
      i8  i16 i8  i32 i16 i64 i32 -   i64 f32 f64
      u16 u16 i32 u16 i32 u32 i32 u64 i64 f32 f64
      i16 i16 i16 i32 i16 i64 i32 -   i64 f32 f64
      u32 u32 i64 u32 i64 u32 i64 u64 i64 f64 f64
      i32 i32 i32 i32 i32 i64 i32 -   i64 f64 f64
      u64 u64 -   u64 -   u64 -   u64 -   -   -
      i64 i64 i64 i64 i64 i64 i64 -   i64 -   -
      f32 f32 f32 f32 f32 f64 f64 -   -   f32 f64
      f64 f64 f64 f64 f64 f64 f64 -   -   f64 f64
      """
    let rows = table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    for row in rows.dropFirst() {
      for (column, name) in zip(rows[0], row).dropFirst() {
        #expect(
          PixelType.union(names[row[0]]!, names[column]!) == names[name], "\(row[0]) and \(column)")
      }
    }
  }

  @Test(
    arguments: [
      (PixelType.complexInt16, PixelType.uint8, PixelType.complexInt16),
      (.complexInt16, .int16, .complexInt16), (.complexInt16, .uint16, .complexInt32),
      (.complexInt16, .int32, .complexInt32), (.complexInt16, .uint32, .complexFloat64),
      (.complexInt16, .float32, .complexFloat32), (.complexInt16, .complexInt32, .complexInt32),
      (.complexInt16, .complexFloat32, .complexFloat32), (.complexInt32, .uint32, .complexFloat64),
      (.complexInt32, .float32, .complexFloat64),
      (.complexInt32, .complexFloat32, .complexFloat64), (.complexFloat32, .int32, .complexFloat64),
      (.complexFloat32, .float64, .complexFloat64),
      (.complexFloat64, .complexFloat32, .complexFloat64),
      (.complexFloat64, .int64, nil), (.complexFloat32, .uint64, nil), (.complexInt32, .int64, nil),
    ] as [(PixelType, PixelType, PixelType?)])
  func unionWithComplexTypes(a: PixelType, b: PixelType, union: PixelType?) {
    #expect(PixelType.union(a, b) == union)
    #expect(PixelType.union(b, a) == union)
  }

  @Test func unionIsSymmetricAndKeepsEqualTypes() {
    for a in PixelType.allCases {
      #expect(PixelType.union(a, a) == a)
      for b in PixelType.allCases { #expect(PixelType.union(a, b) == PixelType.union(b, a)) }
    }
  }
}
