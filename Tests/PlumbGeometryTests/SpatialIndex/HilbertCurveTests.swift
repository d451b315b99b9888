import Testing

@testable import PlumbGeometry

@Suite struct HilbertCurveTests {
  /// Each step along the curve goes to a neighbouring cell, and each cell is visited once.
  @Test func consecutivePositionsAreNeighbours() {
    // The first 2^6 cells of each axis, in the finest resolution.
    let side: UInt32 = 64
    var cells = [(UInt32, UInt32)?](repeating: nil, count: Int(side * side))
    for x in 0..<side {
      for y in 0..<side {
        let position = Int(HilbertCurve.shared.position(x, y, steps: 8))
        #expect(position < cells.count && cells[position] == nil)
        if position < cells.count { cells[position] = (x, y) }
      }
    }
    for (one, next) in zip(cells, cells.dropFirst()) {
      guard let one, let next else { continue }
      #expect(
        max(one.0, next.0) - min(one.0, next.0) + max(one.1, next.1) - min(one.1, next.1) == 1)
    }
    // The coarse position is the upper half of the fine one.
    for (x, y) in [(7, 9), (0xdead_beef, 0x1234_5678), (UInt32.max, 0)] as [(UInt32, UInt32)] {
      let fine = HilbertCurve.shared.position(x, y, steps: 8)
      #expect(HilbertCurve.shared.position(x, y, steps: 4) == fine >> 32)
    }
  }
}
