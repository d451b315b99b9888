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
      guard let date = ImageDate(text: text) else {
        throw PlumbError(
          messageTemplate:
            "\(option, text.shown) is not a date such as 2025-03-22 or a time such as "
            + "2025-03-22T10:00:00Z", code: .badOption)
      }
      return date.limit(isLast: isLast)
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
