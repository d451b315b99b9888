import PlumbGDAL
import Testing

/// Replies of helper processes that declare more data than they contain.
@Suite struct HelperContentsTests {
  /// A reply without warnings that has one point and no values after it.
  private static let point: [UInt8] = {
    func word(_ value: UInt64) -> [UInt8] {
      (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }
    var bytes: [UInt8] = [0] + word(0) + [1]
    for value in [1.5, 2.5] { bytes += word(1) + word(value.bitPattern) }
    return bytes + word(1) + [0] + word(1) + [0]
  }()

  @Test func `missing values are an error with any declared number of columns`() {
    #expect(throws: Never.self) { try HelperContents.points.read(Self.point, columnCount: 0) }
    for count in [1, 1 << 40, 1 << 60] {
      #expect(throws: GDALError.self) {
        try HelperContents.points.read(Self.point, columnCount: count)
      }
    }
  }

  @Test func `missing features take no memory`() {
    let zeros = [UInt8](repeating: 0, count: 24)
    let none = [0] + zeros.prefix(8) + [1] + zeros
    #expect(throws: Never.self) { try HelperContents.features.read(none, columnCount: 1 << 40) }
    var many = none
    many[10] = 24
    #expect(throws: GDALError.self) { try HelperContents.features.read(many, columnCount: 0) }
  }
}
