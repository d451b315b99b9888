import Plumb
import PlumbCore
import PlumbRaster

/// The first and the last time of a period in microseconds since 1970, both inclusive; nil for no limit.
struct DatePeriod {
  var first: Int64?
  var last: Int64?

  /// - Throws: for text that is not a date, and if the first date is after the last one.
  init(from: String?, to: String?) throws {
    func limit(_ option: Setting, _ text: String?, isLast: Bool) throws -> Int64? {
      guard let text else { return nil }
      return try ImageDate(option, text).limit(isLast: isLast)
    }
    first = try limit(.from, from, isLast: false)
    last = try limit(.to, to, isLast: true)
    if let first, let last, first > last {
      throw PlumbError(messageTemplate: "\(.from) is after \(.to)", code: .badOption)
    }
  }

  /// The dates of a stack within the period.
  ///
  /// - Throws: if there are none.
  func slices(of stack: DatedStack) throws -> [DatedStack.Slice] {
    try stack.limited(to: first, last).slices
  }
}
