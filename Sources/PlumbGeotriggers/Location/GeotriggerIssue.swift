/// A problem with one location or with its message. The feed continues after an issue.
public struct GeotriggerIssue: Sendable, Hashable, CustomStringConvertible {
  /// The location's number in the feed.
  public var index: Int
  /// The number of the location's line; nil if the feed is not text.
  public var line: Int?
  /// The problem, in one line without the row's number.
  public var message: String
  /// Whether the location was processed, so that only the message of a notification is affected.
  package var wasAccepted = false
  /// Whether the location was ignored only because of the limit of stays.
  package var lacksCapacity = false

  /// Creates an issue of one location.
  public init(index: Int, line: Int? = nil, message: String) {
    self.index = index
    self.line = line
    self.message = message
  }

  public var description: String {
    (line.map { "line \($0): " } ?? "location \(index): ") + message
  }
}
