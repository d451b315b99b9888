import Foundation

/// ZIP archives with one entry that consists mostly of blanks, created with little memory.
public enum ZIPFile {
  /// Writes an archive of one deflated entry: `head`, many blanks, `tail`. If there are blanks, the
  /// entry's checksum is wrong, which is noticed only at its end.
  public static func write(
    _ path: String, name: String, head: String, blanks: Int, tail: String
  ) throws {
    var stream = DeflatedBlanks()
    stream.append(Array(head.utf8))
    stream.appendBlanks(blanks)
    stream.append(Array(tail.utf8))
    stream.finish()
    let size = UInt32(head.utf8.count + blanks / 258 * 258 + tail.utf8.count)
    let count = UInt32(stream.bytes.count)
    let length = UInt32(name.utf8.count)
    let fields = le([
      (20, 2), (0, 2), (8, 2), (0, 4), (stream.check, 4), (count, 4), (size, 4), (length, 2),
      (0, 2),
    ])
    var local = le([(0x0403_4B50, 4)])
    local += fields
    local += Array(name.utf8)
    local += stream.bytes
    var central = le([(0x0201_4B50, 4), (20, 2)])
    central += fields
    central += le([(0, 2), (0, 2), (0, 2), (0, 4), (0, 4)])
    central += Array(name.utf8)
    let end = le([
      (0x0605_4B50, 4), (0, 4), (1, 2), (1, 2), (UInt32(central.count), 4),
      (UInt32(local.count), 4), (0, 2),
    ])
    local += central
    local += end
    try Data(local).write(to: URL(fileURLWithPath: path))
  }

  /// Little-endian numbers with the given byte counts.
  private static func le(_ numbers: [(value: UInt32, count: Int)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (value, count) in numbers {
      for point in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * point))) }
    }
    return bytes
  }
}

/// A deflate stream with fixed codes.
private struct DeflatedBlanks {
  var bytes: [UInt8] = []
  /// The CRC-32 of the unpacked data.
  var check: UInt32 { ~sum }
  private var sum: UInt32 = .max
  private var bits: UInt32 = 0
  private var bitCount: UInt32 = 0
  private static let table = (0..<256).map { index -> UInt32 in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 != 0 ? 0xEDB8_8320 ^ value >> 1 : value >> 1
    }
  }

  init() { put(0b011, 3) }

  private mutating func put(_ value: UInt32, _ count: UInt32) {
    bits |= value << bitCount
    bitCount += count
    while bitCount >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: bits))
      bits >>= 8
      bitCount -= 8
    }
  }

  /// Writes a code from its highest bit on.
  private mutating func putCode(_ code: UInt32, _ count: UInt32) {
    put((0..<count).reduce(0) { $0 | (code >> $1 & 1) << (count - 1 - $1) }, count)
  }

  private mutating func update(_ byte: UInt8) {
    sum = Self.table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8
  }

  mutating func append(_ text: [UInt8]) {
    for byte in text {
      byte < 144 ? putCode(0x30 + UInt32(byte), 8) : putCode(0x190 + UInt32(byte) - 144, 9)
      update(byte)
    }
  }

  /// Appends a blank, and runs of 258 bytes that repeat it.
  mutating func appendBlanks(_ count: Int) {
    guard count >= 258 else { return }
    append([0x20])
    for _ in 0..<count / 258 - 1 {
      putCode(0xC5, 8)
      putCode(0, 5)
    }
    append([UInt8](repeating: 0x20, count: 257))
  }

  mutating func finish() {
    putCode(0, 7)
    if bitCount > 0 { put(0, 8 - bitCount) }
  }
}
