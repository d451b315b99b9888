import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbRaster

/// The range of the values that are equal to a nodata value, compared with GDAL's formula. The formula is also
/// true for the sums that are infinite; such values are equal only if they are next to the nodata value.
@Suite struct NoDataRangeTests {
  private static let noData: [Double] = [
    0, -0.0, 1, -1, -9999, 0.1, 1e-40, .leastNonzeroMagnitude, -0x1p-1040, 1e20,
    -3.4028234663852886e38, -3.4e38,
    -1.8e38, 2e38, 1e35, -1.7976931348623157e308, 1e308, -.infinity, .infinity, 1e300, .nan,
  ]

  private func isEqual<Value: BinaryFloatingPoint>(_ value: Value, _ noData: Value) -> Bool {
    value == noData
      || (value - noData).magnitude < Value.ulpOfOne * (value + noData).magnitude * 2
  }

  private func check<Value: BinaryFloatingPoint & CellNumber & Sendable>(
    _ noData: Value, _ numbers: [Value]
  ) {
    let range = NoDataRange(around: noData)
    let test = RealDiffers(noData: range)
    var values = numbers + [noData, -noData, .nan, 0, -0.0]
    for end in [noData, range.low, range.high] {
      var (below, above) = (end, end)
      for _ in 0..<12 {
        values += [below, above]
        (below, above) = (below.nextDown, above.nextUp)
      }
    }
    for value in values {
      let isFar = (value + noData).isInfinite && (noData * 2).isFinite
      let isValid = !value.isNaN && (isFar || !isEqual(value, noData))
      #expect(test.isValid(value) == isValid, "\(value), nodata \(noData)")
    }
  }

  @Test(arguments: noData) func values(noData: Double) {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<40 {
      let factor = noData.isFinite ? Double.random(in: 0.5...1, using: &random) : 1
      check(
        noData * factor,
        (0..<500).map { _ in Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random)) }
      )
      check(
        Float(noData * factor),
        (0..<500).map { _ in Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &random)) })
    }
  }

  /// A band has the range of its type, even after the type changes.
  @Test func bands() {
    var band = Band(pixelType: .float32, validity: .noData(.real(0.1)))
    #expect(band.noDataRange.low < 0.1 && band.noDataRange.high > 0.1)
    #expect(band.noDataRange.high - band.noDataRange.low > 1e-9)
    band.pixelType = .float64
    #expect(band.noDataRange.low < 0.1 && band.noDataRange.high - band.noDataRange.low < 1e-15)
    band.validity = .all
    #expect(band.noDataRange.low == .infinity && band.noDataRange.high == -.infinity)
    band.validity = .noData(.integer(5))
    #expect(band.noDataRange.low < 5 && band.noDataRange.high > 5)
    band.pixelType = .int16
    #expect(band.noDataRange.low == .infinity)
  }

  /// Kernels read runs and cells of a coverage as their own types.
  @Test func layouts() {
    #expect(MemoryLayout<CoverageStore.Run>.size == 12)
    #expect(MemoryLayout<CoverageStore.Run>.stride == 12)
    #expect(MemoryLayout<CoverageStore.Run>.offset(of: \.end) == 8)
    #expect(MemoryLayout<CoverageStore.Cell>.size == 16)
    #expect(MemoryLayout<CoverageStore.Cell>.stride == 16)
    #expect(MemoryLayout<CoverageStore.Cell>.offset(of: \.fraction) == 8)
  }
}
