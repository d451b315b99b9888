import Plumb
import PlumbCore
import PlumbLayers
import PlumbRaster

extension RasterMoment {
  /// The time that an option specifies; nil if there is no text.
  ///
  /// - Parameters:
  ///   - option: the option, for messages.
  ///   - window: the largest distance of a date; nil for no limit.
  /// - Throws: for text that is not a date.
  package init?(_ option: Setting, _ text: String?, within window: TimeSpan? = nil) throws {
    guard let text else { return nil }
    guard let date = ImageDate(text: text) else {
      throw PlumbError(
        messageTemplate:
          "\(option, text.shown) is not a date such as 2025-03-22 or a time such as "
          + "2025-03-22T10:00:00Z", code: .badOption)
    }
    self = .nearest(date.microseconds, within: window?.microseconds)
  }
}
