import PlumbCore
import PlumbExpressions
import PlumbIO
import PlumbSources

/// The rules that match the dates of stacks to the times of rows.
package struct TimeMatching: Sendable {
  /// The dates that may be matched.
  package enum Side: String, Sendable, CaseIterable {
    case nearest, before, after
  }

  /// The column of the rows' times, as for `RowTimes`.
  package var column: String
  package var side = Side.nearest
  /// The maximum distance in microseconds, inclusive.
  package var window: Int64
  /// The condition on the cells of a date; nil if the nearest date is matched even if it has no
  /// value.
  package var condition: String?
  /// The result that is computed from several dates.
  package enum Result: Sendable, Equatable {
    /// The value of the nearest date.
    case nearest
    /// The value interpolated linearly between the nearest dates before and after the time.
    case interpolated
    case reduced([DateReduction])
  }

  package var result = Result.nearest
  /// The maximum distance in metres of other cells, which are used if no date of the point's cell
  /// is valid; nil if only the point's cell is used.
  package var search: Double?
  /// The rule by which files are grouped into dates; nil for the default.
  package var grouping: DatedStack.Grouping?

  package init(column: String, window: Int64) {
    (self.column, self.window) = (column, window)
  }

  /// The times of rows to which a date may be matched, given the dates before and after it.
  ///
  /// - Parameter isFirstOnly: whether only the nearest date may be matched.
  func times(
    of date: Int64, previous: Int64?, next: Int64?, isFirstOnly: Bool
  ) -> ClosedRange<Int64>? {
    let low = date.subtractingClamped(window)
    let high = date.addingClamped(window)
    var range: (Int64, Int64)
    switch side {
    case .nearest: range = (low, high)
    case .before: range = (date, high)
    case .after: range = (low, date)
    }
    guard isFirstOnly else { return range.0 <= range.1 ? range.0...range.1 : nil }
    switch side {
    case .nearest:
      // A time halfway between two dates is matched to the earlier date.
      if let previous { range.0 = max(range.0, Self.middle(previous, date) + 1) }
      if let next { range.1 = min(range.1, Self.middle(date, next)) }
    case .before: if let next { range.1 = min(range.1, next - 1) }
    case .after: if let previous { range.0 = max(range.0, previous + 1) }
    }
    return range.0 <= range.1 ? range.0...range.1 : nil
  }

  /// The number of dates that are at most as far from a time as the matched date, including this
  /// date. Of two equally far dates, the earlier one counts first.
  func rank(of answer: Int64, at time: Int64, among axis: [Int64]) -> Int {
    func count(before limit: Int64) -> Int {
      var (low, high) = (0, axis.count)
      while low < high {
        let middle = (low + high) / 2
        if axis[middle] < limit { low = middle + 1 } else { high = middle }
      }
      return low
    }
    let index = count(before: answer)
    switch side {
    case .before: return count(before: time + 1) - index
    case .after: return index + 1 - count(before: time)
    case .nearest:
      // `mirrored` is as far from the time as the matched date, on the other side. A date at
      // `mirrored` counts only if it is the earlier of the two.
      let mirrored = time.multipliedReportingOverflow(by: 2).partialValue &- answer
      return answer <= time
        ? max(1, count(before: mirrored) - index) : index + 1 - count(before: mirrored)
    }
  }

  /// The last time that is not nearer to the second date.
  private static func middle(_ first: Int64, _ second: Int64) -> Int64 {
    first + (second - first) / 2
  }
}

extension Int64 {
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }

  fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, isOver) = subtractingReportingOverflow(other)
    return isOver ? .min : difference
  }
}
