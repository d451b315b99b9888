import PlumbFormats
import PlumbIO
import PlumbTIFF

/// Binary formats.
extension ParserTarget {
  static var binary: [ParserTarget] {
    [
      ParserTarget("tiff", corpus: TIFFBytes.corpus, words: ["II*\0", "MM\0*", "<Item "]) { bytes in
        let read: (Int, Int) -> [UInt8]? = { count, position in
          guard count <= bytes.count, position <= bytes.count - count else { return nil }
          return Array(bytes[position..<position + count])
        }
        let isPlain = PlainTIFF(size: bytes.count, bytes: read) != nil
        guard let (first, order) = TIFFDirectory.first(read) else { return isPlain }
        var (next, count) = (first, 0)
        while count < 8, let directory = TIFFDirectory(at: next, order, size: bytes.count, read) {
          _ = TIFFIndex(directory).byteCount
          for tag in directory.entries.keys {
            _ = directory.bytes(tag, limit: 1 << 16, read)
            _ = directory.integers(tag, read)
            _ = directory.reals(tag, read)
            _ = directory.text(tag, read)
          }
          (next, count) = (directory.next, count + 1)
        }
        return isPlain
      },
      ParserTarget("wkb", corpus: WKBBytes.corpus) { bytes in
        let known = try WKBGeometry.decode(bytes)
        return try known.map { try WKBGeometry.encode($0) } != nil
      },
      ParserTarget("gzip", corpus: gzipCorpus, words: ["\u{1F}"]) { bytes in
        let read = bytes.reader(step: 7)
        let reader = try GzipReader { read($0) }
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 1)
        defer { part.deallocate() }
        var total = 0
        while total < 1 << 16 {
          let count = try reader.read(part)
          if count == 0 { break }
          total += count
        }
        _ = reader.hasPending
        return try GzipReader.isGzip(bytes)
          && GzipReader.unpacked(Array(bytes), limit: 1 << 12) != nil
      },
      ParserTarget("utf8", texts: ["aé€𝄞\u{10FFFF}", "\u{7FF}\u{800}\u{FFFF}"]) { bytes in
        let isValid = UTF8Text.isValid(bytes.text)
        precondition(isValid == (String(validating: bytes, as: UTF8.self) != nil))
        return isValid
      },
    ]
  }

  private static var gzipCorpus: [[UInt8]] {
    let member = (try? GzipWriter.packed(Array("x,y\n18.6,-34.1\n18.6,-34.1\n".utf8))) ?? []
    // One gzip member, two members, and one member followed by padding.
    return [member, member + member, member + [0, 0, 0]]
  }
}
