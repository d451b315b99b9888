import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbIO
import Synchronization

/// Delimited text, and tokens of SQL.
extension ParserTarget {
  /// Reads all rows ahead of the consumer, and from an input that pauses after each part.
  private static func allRows(_ bytes: UnsafeRawBufferPointer) throws {
    // A copy of the bytes, because another thread reads them.
    let copy = Array(bytes)
    let done = Atomic<Int>(0)
    let ahead = try DelimitedReader(readsAhead: true) { buffer in
      let from = done.load(ordering: .relaxed)
      let count = min(61, buffer.count, copy.count - from)
      copy.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[from..<from + count]))
      }
      done.store(from + count, ordering: .relaxed)
      return count
    }
    while try ahead.next(size: 128) != nil {}
    let read = bytes.reader(step: 53)
    let pausing = try DelimitedReader(isPaused: { _ in true }) { read($0) }
    while try pausing.next(size: 128) != nil {}
  }

  static var tables: [ParserTarget] {
    [
      ParserTarget(
        "delimited",
        texts: [
          "x,y,name\n18.6,-34.1,\"a \"\"b\"\"\n c\"\r\n1,2\n,,\n\n1.5,2,3,4\n",
          "lon;lat;n\r\n1,5;2,5;a\r\n\"3\";4;b", "x\ty\n1\t2\n",
          "x y z\n1 2 3\n  4   5 \n\"6\" 7 8\n",
          "id,wkt\n1,POINT (1 2)\n2,\"SRID=4326;POINT Z (1 2 3)\"\n3,LINESTRING (0 0)\n4,POINT EMPTY\n",
          "\u{FEFF}longitude,latitude\n1,2",
          "id,geom\n1,POINT(nan 1)\n2,SRID=99999999999;POINT(1 2)\n",
          "a,b\n\"unclosed,1\n2,3\n", "1,2\n3,4\n", "easting,northing\n1e5,2e6\nx,y\n",
          "col,row\n1,2\n3,4\n", "x,y,X\n1.5,2,a\n-1e3,0x1,\"b\"\n,,\n", "lon,lat,x,y\n1,2,3,4\n",
          "x,y,n\n1,2,\"" + String(repeating: "a\n", count: 900) + "\"\n3,4,b\n", "\u{FF}\u{FE}",
          "a\rb\r1,2\r", "a\0b\0\0\0", "x y\n\"1\"  2\n\t3 4\n",
          "sep=;\nlon;lat\n1;2\n", "# a note\n# and more\nlon,lat\n1,2\n", "lon|lat\n1|2\n",
          "lon,lat", "",
          "x,y\n" + (0..<200).map { "\($0),\($0 % 7)\n" }.joined(),
          "x,y,n\n1,2,\"" + String(repeating: "b", count: 700) + "\"\n" + "3,4,c",
          "\"sep=;\"\nlon;lat\n1;2\n", "# a note\n#lon,lat\n1,2\n", "# lon lat\n1 2\n",
          "x,y,n\n" + (0..<40).map { "\($0),1,\"a \($0)\"\n" }.joined(),
          "id,the_geom\n1,MULTIPOINT(1 2)\n2,POLYGON((0 0))\n3,GEOMETRYCOLLECTION EMPTY\n4,POINTM(1 2)\n",
        ],
        words: [
          "\"", "\"\"", ",", ";", "\t", " ", "\n", "\r\n", "\r", "x", "lon", "wkt", "POINT (",
          "SRID=",
          "\u{FEFF}", "\0", ")",
        ]
      ) { bytes in
        let read = bytes.reader(step: 97)
        let reader = try DelimitedReader(allowsSpaces: true) { read($0) }
        _ = try reader.peekFields()
        let header = reader.header
        let columns = try? PointColumns(names: header.names, x: nil, y: nil, allowsWKT: true)
        if columns == nil { reader.readHeaderAsRow() }
        for (x, y, takesCells) in [("x", "y", false), ("1", "2", false), (nil, nil, true)] {
          _ = try? PointColumns(names: header.names, x: x, y: y, takesCells: takesCells)
        }
        let numbered = PointColumns(x: 0, y: 1, isGeographic: false)
        var (rows, forms) = (0, ColumnForms(count: header.names.count))
        while let block = try reader.next(size: 256) {
          let parsed = DelimitedRows(
            block, columnCount: header.names.count, columns: columns ?? numbered,
            delimiter: header.delimiter, workers: Workers(count: 1))
          rows += parsed.count
          for row in 0..<parsed.count {
            let fields = DelimitedRow.rawFields(parsed.record(row), delimiter: header.delimiter)
            let text = TextBuffer(capacity: 64)
            for field in fields {
              DelimitedRow.append(field, delimiter: header.delimiter, to: text)
            }
          }
          for part in parsed.parts {
            let text = UnsafeBufferPointer(
              start: block.bytes.base + part.range.lowerBound, count: part.range.count)
            forms.add(text, delimiter: header.delimiter)
          }
          forms.merge(ColumnForms(count: header.names.count))
        }
        _ = try? allRows(bytes)
        return rows > 0
      },
      ParserTarget(
        "well-known point",
        texts: [
          " POINT (1 2) ", "srid = 4326 ; Point ZM(1 2 3 4)", "POINT EMPTY", "CURVEPOLYGON (1)",
          "multilinestring((0 0))", "POINT(1 2", "SRID=0;POINT(1e5 -2)", "TIN EMPTY",
        ], words: ["SRID=", ";", "(", ")", " ", "POINT", "Z", "EMPTY"]
      ) { bytes in try WKTPoint(bytes.text).x.isFinite },
      ParserTarget(
        "sql tokens",
        texts: [
          "CREATE VIRTUAL TABLE \"a\"\"b\" USING rtree(id, 'x''y', [c d], `e`) -- f\n/* g */ ;",
          "select * from t /* open", "[open", "'open", "\"a", "a$1 <> é\0b",
        ], words: ["'", "\"", "[", "]", "`", "--", "/*", "*/", "\n", "\0"]
      ) { bytes in !SQLToken.list(Array(bytes), limit: 256).isEmpty },
    ]
  }
}
