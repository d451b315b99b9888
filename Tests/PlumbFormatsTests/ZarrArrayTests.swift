import PlumbCore
@testable import PlumbFormats
import PlumbIO
import Testing

/// The layout of Zarr arrays.
@Suite struct ZarrArrayTests {
  /// Parses a layout in which one member is replaced.
  private static func array(_ name: String = "order", _ json: String = "\"C\"") throws -> ZarrArray?
  {
    var members = [
      "zarr_format": "2", "shape": "[5,7]", "chunks": "[2,3]", "dtype": "\"<i2\"",
      "compressor": "{\"id\":\"zstd\",\"level\":3}", "fill_value": "-1", "filters": "null",
      "order": "\"C\"",
    ]
    members[name] = json
    let text = "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    return try Array(text.utf8).withUnsafeBytes { ZarrArray(try JSONTree($0)) }
  }

  @Test func layoutsAreRead() throws {
    let array = try #require(try Self.array())
    #expect(array.shape == [5, 7] && array.chunks == [2, 3] && array.type == .int16)
    #expect(array.fill == .integer(-1) && array.compression == .zstd(level: 3))
    #expect(array.chunkBytes == 12 && array.chunkCounts == [3, 3])
    #expect(array.chunkName([1, 2]) == "1.2" && array.chunkName([]) == "0")
    #expect(try Self.array("dimension_separator", "\"/\"")?.chunkName([1, 2]) == "1/2")
    #expect(try Self.array("compressor", "null")?.compression == ZarrArray.Compression.none)
    #expect(try Self.array("fill_value", "null")?.fill == nil)
    #expect(try Self.array("filters", "[]") != nil)
  }

  @Test func chunksAreNamed() throws {
    func names(_ text: String, limit: Int) throws -> [String]? {
      try Array(text.utf8).withUnsafeBytes {
        ZarrArray.chunkNames(try JSONTree($0), limit: limit)
      }
    }
    // Types that Plumb does not decode also have chunks.
    let text = #"{"shape":[5,7],"chunks":[2,3],"dtype":"|S4","dimension_separator":"/"}"#
    #expect(
      try names(text, limit: 9)
        == ["0/0", "0/1", "0/2", "1/0", "1/1", "1/2", "2/0", "2/1", "2/2"])
    #expect(try names(text, limit: 8) == nil)
    #expect(try names(#"{"shape":[],"chunks":[]}"#, limit: 1) == ["0"])
    let most = #"{"shape":[2147483647,2147483647,2147483647],"chunks":[1,1,1]}"#
    #expect(try names(most, limit: .max) == nil)
    #expect(try names(#"{"shape":[5],"chunks":[2,3]}"#, limit: 9) == nil)
  }

  @Test(arguments: [
    ("zarr_format", "3"), ("order", "\"F\""), ("dtype", "\">i2\""), ("dtype", "\"<c8\""),
    ("filters", "[{\"id\":\"delta\"}]"), ("compressor", "{\"id\":\"lz4\"}"),
    ("shape", "[5]"), ("shape", "[0,7]"), ("shape", "[-5,7]"), ("chunks", "[0,3]"),
    ("chunks", "[2147483647,2147483647]"), ("chunks", "[2147483648,1]"),
    ("chunks", "[100000,100000]"),
    ("shape", "\"5\""), ("fill_value", "\"NaN\""), ("fill_value", "1.5"), ("fill_value", "[1]"),
    ("dimension_separator", "\"..\""), ("compressor", "7"),
  ])
  func otherLayoutsAreRefused(name: String, json: String) throws {
    #expect(try Self.array(name, json) == nil)
  }

  @Test func layoutsAreWritten() throws {
    let fills: [(PixelType, ZarrArray.Fill?)] = [
      (.int8, .integer(-128)), (.uint64, .unsigned(.max)), (.float32, .real(-9999)),
      (.float64, .real(-.infinity)), (.uint8, nil),
    ]
    for (type, fill) in fills {
      let array = ZarrArray(
        shape: [4, 5, 6], chunks: [4, 2, 3], type: type, fill: fill, compression: .zlib(level: 1))
      let tree = try array.json.bytes.withUnsafeBytes { try JSONTree($0) }
      let again = try #require(ZarrArray(tree))
      #expect(again.type == type && again.fill == fill && again.shape == array.shape)
      #expect(again.compression == array.compression && again.chunks == array.chunks)
    }
  }

  @Test func memoryIsFilled() {
    var bytes = [UInt8](repeating: 7, count: 22)
    bytes.withUnsafeMutableBytes {
      ZarrChunkReader.fill($0, with: .integer(-2), .int16)
    }
    #expect(bytes == (0..<11).flatMap { _ in [0xFE, 0xFF] as [UInt8] })
    bytes.withUnsafeMutableBytes { ZarrChunkReader.fill($0, with: nil, .int16) }
    #expect(bytes == [UInt8](repeating: 0, count: 22))
  }
}
