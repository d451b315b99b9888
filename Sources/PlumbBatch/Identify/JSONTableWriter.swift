import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers
import PlumbSources

/// Writes one JSON object per line, with the columns of a row and of its results as members.
final class JSONTableWriter: RowWriter {
  private let rows: RowTextOutput
  private let members: RowMembers
  private let results: ResultMembers

  init(_ output: ByteOutput, _ results: ResultMembers, input: PointInput, workers: Workers) {
    rows = RowTextOutput(output, workers: workers)
    members = RowMembers(input.fields)
    self.results = results
  }

  func write(_ batch: PointBatch, _ answers: MapAnswers) throws {
    let results = results.rows(of: answers)
    let count = self.results.objectCount
    try rows.write(batch.count, linesPerRow: count) { [members] _, rows, text in
      // The columns of a row are formatted once for all its objects.
      let record = TextBuffer()
      try members.forEach(of: rows, in: batch, to: record) { row, appendMembers in
        record.removeAll()
        let hasMembers = try appendMembers()
        for object in 0..<count {
          text.append(UInt8(ascii: "{"))
          if let base = record.bytes.baseAddress {
            text.append(base.assumingMemoryBound(to: UInt8.self), record.count)
          }
          results.append(row, object: object, isFirst: !hasMembers, to: text)
          text.append(literal: "}\n")
        }
      }
    }
  }

  func flush() throws { try rows.finish() }

  func finish() throws { try rows.finish() }
}
