import PlumbIO
import PlumbTestSupport
import Testing

@Suite struct LineFeedCountTests {
  /// Compares counts in texts of all lengths around the sizes of blocks with counts byte by byte.
  @Test func countsAreThoseOfSingleBytes() {
    var random = SeededGenerator(seed: 37)
    for length in Array(0..<100) + [4079, 4080, 4081, 4095, 4096, 4097, 10_000] {
      for share in [0, 2, 100] {
        let bytes = (0..<length).map { _ in
          Int.random(in: 0..<100, using: &random) < share
            ? UInt8(0x0A) : UInt8.random(in: 11...255, using: &random)
        }
        let count = bytes.withUnsafeBufferPointer(\.lineFeedCount)
        #expect(count == bytes.count { $0 == 0x0A }, "\(length) bytes")
      }
    }
  }
}
