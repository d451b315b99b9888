import CTIFF
import PlumbIO

/// Where the lists of a TIFF's tiles stand: what has to be read before the first tile is found.
struct TIFFIndex {
  /// The lists of offsets and of lengths, those alone that stand outside the directory.
  private(set) var lists: [Range<Int>] = []

  /// A directory of more entries is not looked at.
  private static let mostEntries = 4096

  var byteCount: Int { lists.reduce(0) { $0 + $1.count } }

  /// Looks into the first directory; nothing is found in what is not a TIFF.
  init(_ file: RemoteFile) throws(HTTPError) {
    guard let head = try Self.read(16, at: 0, of: file) else { return }
    let isLittle = head[0] == UInt8(ascii: "I")
    func number(_ bytes: ArraySlice<UInt8>) -> Int? {
      let value = (isLittle ? Array(bytes.reversed()) : Array(bytes))
        .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return Int(exactly: value)
    }
    let version = number(head[2..<4])
    guard version == 42 || version == 43 else { return }
    let isBig = version == 43
    // Bytes of the count of entries, of an entry, and of a value within it.
    let (countSize, entrySize, valueSize) = isBig ? (8, 20, 8) : (2, 12, 4)
    guard let start = number(isBig ? head[8..<16] : head[4..<8]), start < file.byteCount,
      let counted = try Self.read(countSize, at: start, of: file),
      let count = number(counted[...]), count <= Self.mostEntries,
      let entries = try Self.read(count * entrySize, at: start + countSize, of: file)
    else { return }
    let tags = [
      TIFFTAG_STRIPOFFSETS, TIFFTAG_STRIPBYTECOUNTS, TIFFTAG_TILEOFFSETS, TIFFTAG_TILEBYTECOUNTS,
    ].map { Int($0) }
    for entry in 0..<count {
      let bytes = entries[entry * entrySize..<(entry + 1) * entrySize]
      let base = bytes.startIndex
      guard let tag = number(bytes[base..<base + 2]), tags.contains(tag),
        let type = number(bytes[base + 2..<base + 4]), let size = Self.sizes[type],
        let values = number(bytes[base + 4..<base + 4 + valueSize]),
        let offset = number(bytes[(base + 4 + valueSize)...])
      else { continue }
      let (length, overflow) = values.multipliedReportingOverflow(by: size)
      guard !overflow, length > valueSize, offset < file.byteCount else { continue }
      lists.append(
        offset..<min(file.byteCount, offset.addingReportingOverflow(length).partialValue))
    }
  }

  /// Bytes of a value by its type: SHORT, LONG, LONG8.
  private static let sizes = [3: 2, 4: 4, 16: 8]

  private static func read(
    _ count: Int, at offset: Int, of file: RemoteFile
  ) throws(HTTPError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var (got, fault): (Int, HTTPError?) = (0, nil)
    bytes.withUnsafeMutableBytes { target in
      do throws(HTTPError) {
        got = try file.read(target, at: offset)
      } catch {
        fault = error
      }
    }
    if let fault { throw fault }
    return got == count ? bytes : nil
  }
}
