import PlumbCore
import PlumbIO
import PlumbParquet
import PlumbTestSupport

/// Tables of columns.
extension ParserTarget {
  static var columns: [ParserTarget] {
    [
      ParserTarget("parquet", corpus: ParquetSamples.all, words: ["PAR1", "element", "geo"]) {
        bytes in
        try readAll(ParquetGroups(ParquetFile(MemoryByteSource(Array(bytes)))))
      },
      ParserTarget("arrow", corpus: ArrowSamples.all, words: ["ARROW1"]) { bytes in
        let read = bytes.reader(step: 100)
        return try readAll(ArrowStreamReader { read($0) })
      },
    ]
  }

  /// Reads the first values of every column.
  private static func readAll(_ table: some ColumnTable) throws -> Bool {
    let columns = table.fields.indices.filter { table.refusal(ofColumn: $0) == nil }
    while let batch = try table.next(columns: columns, workers: Workers(count: 1)) {
      for column in batch.columns {
        let count = min(batch.rowCount, 1000)
        precondition(column.count == batch.rowCount)
        var values = [FieldValue](repeating: .null, count: count)
        column.write(0..<count, into: &values, from: 0, step: 1)
      }
    }
    return !columns.isEmpty
  }
}
