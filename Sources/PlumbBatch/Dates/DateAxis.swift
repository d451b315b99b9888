import PlumbCore
import PlumbIO
import PlumbRaster
import PlumbSources

/// The dates of a stack: the first, the last, and gaps.
package struct DateAxis: Sendable {
  /// A step between consecutive dates that is longer than usual.
  package struct Gap: Sendable {
    package var from: String
    package var to: String
    package var days: Double
  }

  package let first: String
  package let last: String
  package let count: Int
  /// The number of files.
  package let fileCount: Int
  /// The most frequent step in days; nil for a single date.
  package let step: Double?
  /// The steps of more than one and a half times the most frequent step.
  package let gaps: [Gap]
  /// The number of files with the date and the footprint of another file.
  package let duplicateCount: Int
  /// The number of distinct grids.
  package let gridCount: Int

  package init(_ stack: DatedStack) {
    let dates = stack.slices.map(\.date)
    (first, last) = (dates.first?.text ?? "", dates.last?.text ?? "")
    (count, fileCount) = (dates.count, stack.raster.members.count)
    let steps = zip(dates.dropFirst(), dates).map { $0.microseconds - $1.microseconds }
    var counts: [Int64: Int] = [:]
    for step in steps { counts[step, default: 0] += 1 }
    let usual = counts.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key
    step = usual.map(Self.days)
    gaps = steps.indices.compactMap { index in
      guard let usual, steps[index] > usual + usual / 2 else { return nil }
      return Gap(
        from: dates[index].text, to: dates[index + 1].text, days: Self.days(steps[index]))
    }
    (duplicateCount, gridCount) = (stack.duplicateCount, stack.gridCount)
  }

  private static func days(_ microseconds: Int64) -> Double {
    Double(microseconds) / Double(ImageDate.day)
  }

  private static func text(_ days: Double) -> String {
    Int(exactly: days).map { "\($0)" } ?? "\((days * 1e6).rounded() / 1e6)"
  }

  private static let shownGaps = 5

  /// The lines of a description.
  package var text: String {
    var lines = ["dates: \(count)", "firstDate: \(first)", "lastDate: \(last)"]
    if let step { lines.append("stepDays: \(Self.text(step))") }
    for gap in gaps.prefix(Self.shownGaps) {
      lines.append("gap: \(gap.from) to \(gap.to), \(Self.text(gap.days)) days")
    }
    if gaps.count > Self.shownGaps {
      lines.append("gap: \(gaps.count - Self.shownGaps) more")
    }
    lines.append("duplicates: \(duplicateCount)")
    return lines.joined(separator: "\n")
  }

  /// The axis as a JSON object.
  package var json: String {
    var object = JSONObject()
    object.add("first", first)
    object.add("last", last)
    object.add("count", count)
    object.add("files", fileCount)
    object.add("stepDays", step.map { .real($0) } ?? FieldValue.null)
    object.add(
      "gaps",
      gaps.map { gap in
        var object = JSONObject()
        object.add("from", gap.from)
        object.add("to", gap.to)
        object.add("days", gap.days)
        return object
      })
    object.add("duplicates", duplicateCount)
    return object.text
  }
}
