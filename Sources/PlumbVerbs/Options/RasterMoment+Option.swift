import Plumb
import PlumbCore
import PlumbLayers
import PlumbRaster

extension ImageDate {
  /// The date of an option.
  init(_ option: Setting, _ text: String) throws(OptionViolation) {
    guard let date = ImageDate(text: text) else {
      let expectation = OptionKind.date.expectation(of: .command)
      throw OptionViolation("\(option, text.printable): \(expectation) is expected")
    }
    self = date
  }
}

extension RasterMoment {
  /// The time that an option specifies; nil if there is no text.
  ///
  /// - Parameters:
  ///   - option: the option, for messages.
  ///   - window: the largest distance of a date; nil for no limit.
  /// - Throws: for text that is not a date.
  package init?(_ option: Setting, _ text: String?, within window: TimeSpan? = nil) throws {
    guard let text else { return nil }
    self = .nearest(try ImageDate(option, text).microseconds, within: window?.microseconds)
  }
}
