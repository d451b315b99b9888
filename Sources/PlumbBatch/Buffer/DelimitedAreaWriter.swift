import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbSources

/// Writes delimited text with the attributes, followed by the area as WKT. The last field is empty
/// for a null geometry.
final class DelimitedAreaWriter: AreaWriter {
  private let output: ByteOutput
  private let delimiter: UInt8
  private let text: FeatureText
  package private(set) var warnings: [String] = []

  package init(_ output: ByteOutput, fields: [Field], delimiter: UInt8, workers: Workers) throws {
    self.output = output
    self.delimiter = delimiter
    text = FeatureText(workers: workers)
    let usedNames = Set(fields.map { $0.name.lowercased() })
    var name = "WKT"
    while usedNames.contains(name.lowercased()) { name += "_" }
    if name != "WKT" {
      warnings.append("the areas are in the column \(name), because the input has a column WKT")
    }
    let header = TextBuffer()
    for field in fields {
      DelimitedRow.append(field.name, delimiter: delimiter, to: header)
      header.append(delimiter)
    }
    header.append(name + "\n")
    try output.write(header.bytes)
  }

  package func write(_ batch: FeatureInput.Batch, _ areas: [Polygon?]) throws {
    try text.write(batch.features.count, to: output) {
      [delimiter] index, text throws(FormatError) in
      for value in batch.features[index].attributes {
        DelimitedRow.append(value, delimiter: delimiter, to: text)
        text.append(delimiter)
      }
      if let area = areas[index] {
        // The field is quoted, because WKT contains commas.
        text.append("\"")
        try WKTGeometry.append(.polygon(area), to: &text)
        text.append("\"")
      }
      text.append("\n")
    }
  }

  package func finish() throws {}
}
