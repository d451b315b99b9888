import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers

/// The fields of all features of a layer as delimited text, ready to be written row by row. Each feature is
/// one run of bytes with a delimiter before every field.
final class FeatureTexts: Sendable {
  package let features: FeatureSet
  package let fieldCount: Int
  private let delimiter: UInt8
  /// The text of consecutive features.
  private let parts: [TextBuffer]
  /// The start and length of each feature's run.
  private let runs: TrivialBuffer<UnsafeBufferPointer<UInt8>>

  private static let grain = 8192

  package init(_ features: FeatureSet, delimiter: UInt8, workers: Workers) {
    let count = features.features.count
    let fieldCount = features.fields.count
    let runs = TrivialBuffer<UnsafeBufferPointer<UInt8>>(count: count)
    let parts = workers.mapRanges(count, grain: Self.grain) { _, range in
      let text = TextBuffer()
      var ends: [Int] = []
      for index in range {
        let attributes = features.features[index].attributes
        for field in 0..<fieldCount {
          text.append(delimiter)
          DelimitedRow.append(attributes[field], delimiter: delimiter, to: text)
        }
        ends.append(text.count)
      }
      // The buffer no longer grows, so pointers into it remain valid.
      let base = text.bytes.bindMemory(to: UInt8.self)
      var start = 0
      for (index, end) in zip(range, ends) {
        runs.base[index] = UnsafeBufferPointer(rebasing: base[start..<end])
        start = end
      }
      return text
    }
    self.features = features
    self.fieldCount = fieldCount
    self.delimiter = delimiter
    self.parts = parts
    self.runs = runs
  }

  /// The mean length of a feature's fields plus a margin.
  var likelyWidth: Int {
    let bytes = parts.reduce(0) { $0 + $1.count }
    return bytes / max(1, runs.count) * 5 / 4 + 1
  }

  /// Appends a feature's fields, or the same number of empty fields if `item` is nil.
  @inline(__always)
  package func append(_ item: Int?, to text: TextBuffer) {
    guard let item else {
      for _ in 0..<fieldCount { text.append(delimiter) }
      return
    }
    let run = runs.base[item]
    if let start = run.baseAddress { text.append(start, run.count) }
  }
}
