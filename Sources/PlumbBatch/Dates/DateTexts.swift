import PlumbCore
import PlumbIO
import PlumbRaster
import PlumbSources

/// The dates of a stack as text.
package struct DateTexts: Sendable {
  private let times: [Int64]
  private let pieces: TextPieces
  /// Whether the text has a time of day.
  package let hasTime: Bool

  init(_ stack: DatedStack) {
    hasTime = stack.hasTimes
    times = stack.slices.map(\.date.microseconds)
    var builder = TextPieces.Builder()
    for time in times {
      let date = ImageDate(microseconds: time, hasTime: stack.hasTimes)
      _ = builder.add { $0.append(date.text) }
    }
    pieces = builder.pieces
  }

  /// Appends a date of the stack; nothing for `RowTimes.none`.
  func append(_ time: Int64, to text: TextBuffer) {
    guard time != RowTimes.none else { return }
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] < time { low = middle + 1 } else { high = middle }
    }
    pieces.append(low, to: text)
  }

  /// A date of the stack; nil for `RowTimes.none`.
  func text(_ time: Int64) -> String? {
    guard time != RowTimes.none else { return nil }
    return ImageDate(microseconds: time, hasTime: hasTime).text
  }
}
