/// A problem with one location or with its message; the feed continues.
public struct GeotriggerIssue: Sendable, Hashable, CustomStringConvertible {
  /// The location's number in the feed.
  public var index: Int
  /// The location's line; nil if the feed has no lines.
  public var line: Int?
  /// The problem, in one line without the row's number.
  public var message: String
  /// Whether the location was processed nevertheless: then only its message is affected.
  package var wasTaken = false
  /// Whether it was refused only because of the limit of stays.
  package var lacksRoom = false

  /// An issue of one location.
  public init(index: Int, line: Int? = nil, message: String) {
    self.index = index
    self.line = line
    self.message = message
  }

  public var description: String {
    (line.map { "line \($0): " } ?? "location \(index): ") + message
  }
}
