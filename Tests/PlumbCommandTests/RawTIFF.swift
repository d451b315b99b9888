/// The bytes of a little-endian TIFF, built tag by tag. The TIFF may be invalid.
struct RawTIFF {
  var isBig = false
  /// Tags with their values; each value is one LONG (LONG8 in a BigTIFF).
  var tags: [(tag: UInt16, value: UInt64)] = []
  /// The counts of tags for which the header declares more than one value; the tag's value is then
  /// their offset.
  var counts: [UInt16: UInt64] = [:]
  /// The offset of the next directory; nil for none.
  var nextDirectory: UInt64?
  var data: [UInt8] = [UInt8](repeating: 7, count: 64)

  static let headerSize = 16

  /// A directory of one 8-bit band in one strip or tile.
  init(width: UInt64, height: UInt64, tile: (width: UInt64, height: UInt64)? = nil) {
    tags = [(256, width), (257, height), (258, 8), (259, 1), (262, 1), (277, 1)]
    if let tile {
      tags += [(322, tile.width), (323, tile.height), (324, 16), (325, 64)]
    } else {
      tags += [(273, 16), (278, height), (279, 64)]
    }
  }

  mutating func set(_ tag: UInt16, _ value: UInt64) {
    tags.removeAll { $0.tag == tag }
    tags.append((tag, value))
  }

  /// The offset of the directory.
  var directoryOffset: UInt64 { UInt64(Self.headerSize + data.count) }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func put(_ value: UInt64, _ count: Int) {
      for shift in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }
    put(0x4949, 2)
    put(isBig ? 43 : 42, 2)
    if isBig { put(8, 4) }
    put(directoryOffset, isBig ? 8 : 4)
    while bytes.count < Self.headerSize { bytes.append(0) }
    bytes += data
    put(UInt64(tags.count), isBig ? 8 : 2)
    for (tag, value) in tags.sorted(by: { $0.tag < $1.tag }) {
      put(UInt64(tag), 2)
      put(isBig ? 16 : 4, 2)
      put(counts[tag] ?? 1, isBig ? 8 : 4)
      put(value, isBig ? 8 : 4)
    }
    put(nextDirectory ?? 0, isBig ? 8 : 4)
    return bytes
  }
}
