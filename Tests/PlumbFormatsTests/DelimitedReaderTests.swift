import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbTestSupport
import Testing

@Suite struct DelimitedReaderTests {
  /// Returns text in pieces of at most `piece` bytes.
  private final class Source {
    var rest: ArraySlice<UInt8>
    let piece: Int

    init(_ text: String, piece: Int) {
      rest = ArraySlice(text.utf8)
      self.piece = piece
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
      let count = min(piece, buffer.count, rest.count)
      buffer.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
  }

  private struct Row: Equatable {
    var record: String
    var x: Double?
    var y: Double?
  }

  /// Reads rows with x in the first and y in the second column, and joins their bytes.
  private func rows(
    _ text: String, piece: Int = .max, blockSize: Int = 1 << 20
  ) throws -> (rows: [Row], text: String, badLines: [Int]) {
    let source = Source(text, piece: piece)
    let reader = try DelimitedReader { source.read($0) }
    let columns = try PointColumns(names: reader.header.names, x: "x", y: "y")
    var rows: [Row] = []
    var copy: [UInt8] = []
    var badLines: [Int] = []
    var line = reader.header.lineCount
    while let block = try reader.next(size: blockSize) {
      let parsed = DelimitedRows(
        block, columnCount: reader.header.names.count, columns: columns,
        delimiter: reader.header.delimiter, workers: Workers(count: 2))
      for part in parsed.parts {
        for row in part.rows {
          let isOK = parsed.status.base[row] == SampleStatus.ok.rawValue
          rows.append(
            Row(
              record: String(decoding: parsed.record(row), as: UTF8.self),
              x: isOK ? parsed.x.base[row] : nil, y: isOK ? parsed.y.base[row] : nil))
        }
        badLines += part.badRows.map { line + $0.line + 1 }
        line += part.lineCount
        copy += block.bytes.pointer[part.range]
      }
      #expect(parsed.count == parsed.parts.reduce(0) { $0 + $1.rows.count })
    }
    return (rows, String(decoding: copy, as: UTF8.self), badLines)
  }

  @Test func plainRows() throws {
    let result = try rows("x,y,name\n1,2,a\r\n3.5,-4,\"b,\"\"c\"\"\nd\"\n")
    #expect(
      result.rows == [
        Row(record: "1,2,a", x: 1, y: 2), Row(record: "3.5,-4,\"b,\"\"c\"\"\nd\"", x: 3.5, y: -4),
      ])
    #expect(result.badLines.isEmpty)
  }

  @Test func badRowsKeepTheirLines() throws {
    let result = try rows("x,y,n\n1,2\n\nq,2,a\n\"1\",\"2\",\"a\nb\"\n1,2,3,4\nnan,1,1\n,,\n1,2,z")
    #expect(result.badLines == [2, 4, 7, 8, 9])
    #expect(result.rows.map { $0.x != nil } == [false, false, true, false, false, false, true])
    #expect(result.rows.last == Row(record: "1,2,z", x: 1, y: 2))
  }

  @Test("Lines before the header, in pieces of any size", arguments: [1, 2, 3, 7, 1000])
  func preamble(piece: Int) throws {
    let source = Source("\u{FEFF}sep=;\r\n# a\r\n\r\n# x; y\r\n1;2\r\n", piece: piece)
    let reader = try DelimitedReader(isRecord: { fields, next in
      fields == ["x", "y"] && next == ["1", "2"]
    }) { source.read($0) }
    let header = reader.header
    #expect(header.names == ["x", "y"] && header.delimiter == UInt8(ascii: ";"))
    #expect(String(decoding: header.bytes, as: UTF8.self) == "# x; y")
    #expect(header.hasByteOrderMark && header.lineCount == 4 && reader.commentCount == 1)
    #expect(try reader.peekFields() == ["1", "2"])
    reader.readHeaderAsRow()
    #expect(reader.header.lineCount == 3)
  }

  @Test func headerAlone() throws {
    #expect(try rows("x,y").rows.isEmpty)
    #expect(try rows("x,y\n").rows.isEmpty)
    #expect(throws: FormatError.self) { try rows("") }
  }

  @Test func wideTables() throws {
    let others = DelimitedHeader.maximumColumns - 2
    let wide = "x,y" + String(repeating: ",c", count: others)
    let row = "1,2" + String(repeating: ",", count: others)
    #expect(try rows(wide + "\n" + row + "\n").rows.first?.x == 1)
    let error = #expect(throws: FormatError.self) { try rows(wide + ",c\n1,2\n") }
    #expect(error?.code == .limit)
    // The fields of a wider row are read up to the first one too many.
    let wider = Source("x,y\n1,2" + String(repeating: ",", count: 2 * others), piece: .max)
    let fields = try DelimitedReader { wider.read($0) }.peekFields()
    #expect(fields.count == DelimitedHeader.maximumColumns + 1)
    // Spaces that align columns are not columns.
    func names(_ text: String) throws -> [String] {
      let source = Source(text, piece: .max)
      return try DelimitedReader(allowsSpaces: true) { source.read($0) }.header.names
    }
    let aligned = "x" + String(repeating: " ", count: 100_000) + "y\n1 2\n"
    #expect(try names(aligned) == ["x", "y"])
    let words = String(repeating: "c ", count: DelimitedHeader.maximumColumns)
    #expect(try names(words + "\n").count == DelimitedHeader.maximumColumns)
    #expect(throws: FormatError.self) { try names(words + "c\n") }
  }

  @Test(arguments: ["\u{FF}\u{FE}", "x\0,\0y\0"])
  func refusesWideEncodings(text: String) {
    #expect(throws: (any Error).self) {
      let bytes: [UInt8] = text.hasPrefix("x") ? Array(text.utf8) : [0xFF, 0xFE, 0x78, 0]
      var rest = ArraySlice(bytes)
      _ = try DelimitedReader { buffer in
        let count = min(buffer.count, rest.count)
        buffer.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
      }
    }
  }

  @Test func anyCutGivesTheSameRows() throws {
    var random = SeededGenerator(seed: 4)
    for round in 0..<60 {
      var body = ""
      let end = Bool.random(using: &random) ? "\n" : "\r\n"
      for row in 0..<Int.random(in: 0...80, using: &random) {
        let name =
          ["plain", "\"a\nb\"", "\"q\"\"q\"", "", "it's 5\" wide", "\"x,y\""]
          .randomElement(using: &random) ?? ""
        body += "\(row),\(row * 2),\(name)\(end)"
        if Int.random(in: 0..<9, using: &random) == 0 { body += end }
      }
      let text = "x,y,name\(end)\(body)"
      let whole = try rows(text)
      #expect(whole.text == body)
      for (piece, size) in [(1, 1), (7, 16), (64, 33), (1000, 1)] {
        let pieced = try rows(text, piece: piece, blockSize: size)
        #expect(pieced.rows == whole.rows, "round \(round), pieces of \(piece)")
        #expect(pieced.text == body)
      }
    }
  }

  /// Parts without quotes use a different code path than parts with quotes.
  @Test(arguments: [",", ";", "\t"])
  func quotesElsewhereChangeNothing(delimiter: String) throws {
    var random = SeededGenerator(seed: 5)
    let pieces =
      ["1", "-2.5", "n", " ", "\r", "\n", "\r\n", "1e3"]
      + [String](repeating: delimiter, count: 8)
    for round in 0..<400 {
      var body = ""
      let long = String(repeating: "a", count: Int.random(in: 0...5000, using: &random))
      for _ in 0..<Int.random(in: 0...(round % 40 == 0 ? 20_000 : 1000), using: &random) {
        let isLong = Int.random(in: 0..<1500, using: &random) == 0
        body += isLong ? long : pieces.randomElement(using: &random) ?? ""
      }
      let header = ["x", "y", "n"].joined(separator: delimiter) + "\n"
      let quoted = ["1", "2", "\"q\""].joined(separator: delimiter) + "\n"
      let plain = try rows(header + body)
      let other = try rows(header + quoted + body)
      #expect(plain.rows == Array(other.rows.dropFirst()), "round \(round)")
      #expect(plain.badLines.map { $0 + 1 } == other.badLines, "round \(round)")
    }
  }
}
