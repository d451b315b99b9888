import PlumbCore
import PlumbIO

/// The indices of a page's values in the column's dictionary.
struct DictionaryIndices {
  private var buffer = TrivialBuffer<UInt32>(count: 0)

  /// The indices of the last decoded page.
  var base: UnsafeMutablePointer<UInt32> { buffer.base }

  /// Decodes `count` indices, each of which is less than `limit`.
  mutating func decode(
    _ values: UnsafeRawBufferPointer, count: Int, limit: Int
  ) throws(FormatError) {
    if count == 0 { return }
    if buffer.count < count { buffer = TrivialBuffer(count: count) }
    guard let width = values.first.map(Int.init), width <= 32 else {
      throw ParquetFault.damaged("a page has indices of a wrong size")
    }
    let runs = UnsafeRawBufferPointer(rebasing: values[1...])
    guard HybridRuns.decode(runs, bitWidth: width, into: buffer.base, count: count) else {
      throw ParquetFault.damaged("the indices of a page are invalid")
    }
    var highest: UInt32 = 0
    for index in 0..<count { highest = max(highest, buffer.base[index]) }
    guard Int(highest) < limit else {
      throw ParquetFault.damaged("a page refers to value \(highest) of a dictionary of \(limit)")
    }
  }
}
