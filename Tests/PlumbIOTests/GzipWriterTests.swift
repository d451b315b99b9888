import PlumbCore
import PlumbIO
import PlumbTestSupport
import Testing

/// Written gzip data is read by the reader.
@Suite struct GzipWriterTests {
  @Test(arguments: [0, 1, 100, 65_536, 65_537, 1_000_000])
  func readsBack(count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...9, using: &random) }
    let packed = try GzipWriter.packed(bytes)
    #expect(packed.starts(with: [0x1F, 0x8B]))
    #expect(try GzipReader.unpacked(packed, limit: count) == bytes)
    if count > 0 { #expect(try GzipReader.unpacked(packed, limit: count - 1) == nil) }
  }

  @Test func partsMakeOne() throws {
    let packer = try GzipWriter()
    var packed = packer.pack(Array("one ".utf8), isLast: false)
    packed += packer.pack([], isLast: false)
    packed += packer.pack(Array("two".utf8), isLast: false)
    packed += packer.pack([], isLast: true)
    #expect(try GzipReader.unpacked(packed, limit: 100) == Array("one two".utf8))
  }

  @Test(arguments: [[], [0x1F, 0x8B], Array("no gzip at all".utf8)] as [[UInt8]])
  func damagedIsAnError(bytes: [UInt8]) {
    #expect(throws: (any Error).self) { try GzipReader.unpacked(bytes, limit: 100) }
  }
}
