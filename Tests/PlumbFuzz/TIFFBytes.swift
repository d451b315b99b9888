/// Small TIFFs with every byte order and type of entry.
enum TIFFBytes {
  static var corpus: [[UInt8]] {
    let placement: [Entry] = [
      .reals(33550, [0.25, 0.25, 0]), .reals(33922, [0, 0, 0, 18, -33, 0]),
      .shorts(
        34735, [1, 1, 0, 4, 1024, 0, 1, 2, 1025, 0, 1, 2, 2048, 0, 1, 4326, 2049, 34737, 7, 0]),
      .text(34737, "WGS 84|"),
    ]
    let real: [Entry] = [
      .reals(34264, [0.5, 0, 0, 18, 0, -0.5, 0, -33, 0, 0, 0, 0, 0, 0, 0, 1]),
      .shorts(
        34735,
        [
          1, 1, 0, 5, 1024, 0, 1, 1, 1025, 0, 1, 1, 1026, 34737, 4, 0, 2057, 34736, 1, 0, 3072, 0,
          1,
        ]
          + [32734]), .reals(34736, [6_378_137]), .text(34737, "UTM|"),
    ]
    let items =
      "<GDALMetadata>\n<Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.5</Item>\n"
      + "<Item name=\"OFFSET\" sample=\"0\" role=\"offset\">-1e1</Item>\n"
      + "<Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">m</Item>\n"
      + "<Item name=\"D\" sample=\"0\" role=\"description\">height</Item>\n"
      + "<Item name=\"AREA\">x</Item>\n</GDALMetadata>"
    let overview: [Entry] = [.longs(254, [1]), .shorts(256, [1]), .shorts(257, [1])]
    return [
      file(grid() + placement + [.text(42112, items), .text(42113, "-9999")], overview),
      file(grid() + placement, overview, isLittle: false),
      file(grid(bits: 32, format: 3) + real + [.text(42113, "3.4e38")], isBig: true),
      file(
        grid(bits: 64, format: 3) + placement + [.text(42113, "nan")], isLittle: false, isBig: true),
      file(grid(bits: 64, format: 2) + placement + [.text(42113, "-7")]),
      file(grid(bits: 64, format: 1) + placement + [.text(42113, "7")]),
      file(grid(bits: 32, format: 2) + placement + [.text(42113, "70000")]),
      file(
        grid(samples: 3, photometric: 2) + placement + [
          .text(270, "a picture"), .text(305, "plumb"),
        ]),
      file(
        grid(samples: 2) + [.shorts(338, [0])] + real + [
          .longs8(324, [8, 16]), .shorts(325, [4, 4]),
        ]),
      // A list that extends beyond the end of the file.
      file(grid() + placement, [.longs(254, [1, 1, 1, 1, 1])], cut: 17),
    ]
  }

  /// An entry: its tag, type, count and bytes in the order of the file.
  private struct Entry {
    var tag: Int
    var type: Int
    var count: Int
    var bytes: (_ isLittle: Bool) -> [UInt8]

    static func shorts(_ tag: Int, _ values: [Int]) -> Entry { numbers(tag, 3, 2, values) }
    static func longs(_ tag: Int, _ values: [Int]) -> Entry { numbers(tag, 4, 4, values) }
    static func longs8(_ tag: Int, _ values: [Int]) -> Entry { numbers(tag, 16, 8, values) }

    static func reals(_ tag: Int, _ values: [Double]) -> Entry {
      numbers(tag, 12, 8, values.map { Int(bitPattern: UInt(truncatingIfNeeded: $0.bitPattern)) })
    }

    static func text(_ tag: Int, _ text: String) -> Entry {
      Entry(tag: tag, type: 2, count: text.utf8.count + 1) { _ in Array(text.utf8) + [0] }
    }

    private static func numbers(_ tag: Int, _ type: Int, _ size: Int, _ values: [Int]) -> Entry {
      Entry(tag: tag, type: type, count: values.count) { isLittle in
        values.flatMap { TIFFBytes.bytes($0, size, isLittle) }
      }
    }
  }

  private static func grid(
    samples: Int = 1, bits: Int = 16, format: Int = 2, photometric: Int = 1
  ) -> [Entry] {
    [
      .shorts(256, [4]), .longs(257, [4]), .shorts(258, Array(repeating: bits, count: samples)),
      .shorts(259, [1]), .shorts(262, [photometric]), .longs(273, [8, 24]), .shorts(277, [samples]),
      .shorts(278, [2]), .longs(279, [16, 16]),
      .shorts(339, Array(repeating: format, count: samples)),
    ]
  }

  private static func bytes(_ value: Int, _ size: Int, _ isLittle: Bool) -> [UInt8] {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isLittle ? bytes : bytes.reversed()
  }

  /// A file of consecutive directories, without cells.
  private static func file(
    _ directories: [Entry]..., isLittle: Bool = true, isBig: Bool = false, cut: Int = 0
  ) -> [UInt8] {
    let (wide, countSize, entrySize) = isBig ? (8, 8, 20) : (4, 2, 12)
    var result: [UInt8] = isLittle ? [0x49, 0x49] : [0x4D, 0x4D]
    result += bytes(isBig ? 43 : 42, 2, isLittle)
    if isBig { result += bytes(8, 2, isLittle) + bytes(0, 2, isLittle) }
    result += bytes(result.count + wide, wide, isLittle)
    for (index, entries) in directories.enumerated() {
      var values: [UInt8] = []
      let start = result.count + countSize + entries.count * entrySize + wide
      result += bytes(entries.count, countSize, isLittle)
      for entry in entries.sorted(by: { $0.tag < $1.tag }) {
        result += bytes(entry.tag, 2, isLittle) + bytes(entry.type, 2, isLittle)
        result += bytes(entry.count, wide, isLittle)
        let entryBytes = entry.bytes(isLittle)
        if entryBytes.count <= wide {
          result += entryBytes + [UInt8](repeating: 0, count: wide - entryBytes.count)
        } else {
          result += bytes(start + values.count, wide, isLittle)
          values += entryBytes
        }
      }
      let isLast = index == directories.count - 1
      result += bytes(isLast ? 0 : start + values.count, wide, isLittle)
      result += values
    }
    return Array(result.dropLast(cut))
  }
}
