import PlumbTestSupport
import Testing

@testable import PlumbParquet

@Suite struct CodecTests {
  private typealias Decoder = (UnsafeRawBufferPointer, UnsafeMutableRawPointer, Int) -> Bool

  /// Decompresses bytes in padded memory; nil if they are rejected.
  private func unpack(_ bytes: [UInt8], _ count: Int, _ decode: Decoder) -> [UInt8]? {
    let (input, output) = (PaddedBytes(capacity: bytes.count), PaddedBytes(capacity: count))
    input.prefix(bytes.count).copyBytes(from: bytes)
    let isValid = decode(
      UnsafeRawBufferPointer(input.prefix(bytes.count)), output.base, count)
    return isValid ? Array(output.prefix(count)) : nil
  }

  private func snappy(_ bytes: [UInt8], _ count: Int) -> [UInt8]? {
    unpack(bytes, count) { SnappyDecoder.decode($0, into: $1, byteCount: $2) }
  }

  private func lz4(_ bytes: [UInt8], _ count: Int) -> [UInt8]? {
    unpack(bytes, count) { LZ4Decoder.decode($0, into: $1, byteCount: $2) }
  }

  @Test func snappyLiteralsAndCopies() {
    #expect(snappy([5, 4 << 2] + Array("plumb".utf8), 5) == Array("plumb".utf8))
    // "ab" and a copy of 6 bytes at distance 2, in both short forms.
    #expect(snappy([8, 1 << 2, 97, 98, 2 << 2 | 1, 2], 8) == Array("abababab".utf8))
    #expect(snappy([8, 1 << 2, 97, 98, 5 << 2 | 2, 2, 0], 8) == Array("abababab".utf8))
    #expect(snappy([8, 1 << 2, 97, 98, 5 << 2 | 3, 2, 0, 0, 0], 8) == Array("abababab".utf8))
    // A literal whose length follows in one byte.
    let long = [UInt8](repeating: 7, count: 100)
    #expect(snappy([100, 60 << 2, 99] + long, 100) == long)
    // Every distance, with lengths beyond the bytes that are copied at once.
    for distance in 1...40 {
      let start = (0..<distance).map { UInt8($0) }
      let expected = (0..<distance + 60).map { UInt8($0 % distance) }
      let head: [UInt8] = [UInt8(distance + 60), UInt8(distance - 1) << 2]
      #expect(
        snappy(head + start + [59 << 2 | 2, UInt8(distance), 0], distance + 60) == expected)
    }
  }

  @Test func snappyRefusesDamage() {
    #expect(snappy([], 0) == nil)
    #expect(snappy([5, 4 << 2, 1, 2], 5) == nil)  // The literal is truncated.
    #expect(snappy([4, 3 << 2, 1, 2, 3, 4], 5) == nil)  // Not the declared size.
    #expect(snappy([8, 0, 97, 3 << 2 | 1, 2], 8) == nil)  // A copy from before the start.
    #expect(snappy([8, 0, 97, 3 << 2 | 1, 0], 8) == nil)  // The distance 0.
    #expect(snappy([3, 0, 97, 3 << 2 | 1, 1], 3) == nil)  // A copy beyond the end.
    #expect(snappy([8, 63 << 2, 255, 255, 255, 255], 8) == nil)
    #expect(snappy([255, 255, 255, 255, 255, 255], 8) == nil)
  }

  @Test func lz4LiteralsAndMatches() {
    #expect(lz4([5 << 4] + Array("plumb".utf8), 5) == Array("plumb".utf8))
    // "ab", a match of 6 bytes at distance 2, and the literal "c".
    #expect(lz4([2 << 4 | 2, 97, 98, 2, 0, 1 << 4, 99], 9) == Array("ababababc".utf8))
    // Lengths with more bytes.
    let long = [UInt8](repeating: 7, count: 300)
    #expect(lz4([15 << 4, 255, 30] + long, 300) == long)
    #expect(lz4([1 << 4 | 15, 7, 1, 0, 255, 24, 1 << 4, 7], 300) == long)
  }

  @Test func lz4RefusesDamage() {
    #expect(lz4([], 0) == nil)
    #expect(lz4([5 << 4, 1, 2], 5) == nil)
    #expect(lz4([5 << 4, 1, 2, 3, 4, 5], 6) == nil)
    #expect(lz4([1 << 4 | 2, 97, 2, 0, 0], 8) == nil)  // A match from before the start.
    #expect(lz4([1 << 4 | 2, 97, 0, 0, 0], 8) == nil)  // The distance 0.
    #expect(lz4([1 << 4 | 15, 97, 1, 0, 255], 8) == nil)  // The length is truncated.
    #expect(lz4([1 << 4 | 9, 97, 1, 0, 0], 8) == nil)  // A match beyond the end.
  }

  @Test func hadoopFrames() {
    let block: [UInt8] = [5 << 4] + Array("plumb".utf8)
    let frame: [UInt8] = [0, 0, 0, 5, 0, 0, 0, 6] + block
    let decode: Decoder = { LZ4Decoder.decodeHadoop($0, into: $1, byteCount: $2) }
    #expect(unpack(frame + frame, 10, decode) == Array("plumbplumb".utf8))
    #expect(unpack(frame, 10, decode) == nil)
    #expect(unpack(Array(frame.dropLast()), 5, decode) == nil)
  }

  /// Any bytes decompress to the declared size or are rejected; the sanitizer detects accesses
  /// outside of the buffers.
  @Test(arguments: 0..<200) func randomBytes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      for count in [0, 1, 40, 300] {
        if let result = lz4(bytes, count) { #expect(result.count == count) }
        if let result = snappy(bytes, count) { #expect(result.count == count) }
      }
    }
  }
}
