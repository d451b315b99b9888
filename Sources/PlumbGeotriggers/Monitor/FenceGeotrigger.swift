/// What to watch for: locations that enter or leave fences, and what to say of it.
public struct FenceGeotrigger: Sendable {
  /// What notifications call it.
  public var name: String
  /// What is entered and left.
  public var fences: FenceSet
  /// The names of the fences' attributes, in their order.
  public var fenceFields: [String]
  /// What is reported, and how it is decided.
  public var rules: FenceRules
  /// Nil: a notification says the fence's name.
  public var messageExpression: MessageExpression?

  /// A geotrigger of enters and exits whose notifications say the fence's name, unless said
  /// otherwise.
  public init(
    name: String = "", fences: FenceSet, fenceFields: [String] = [],
    rules: FenceRules = FenceRules(),
    messageExpression: MessageExpression? = nil
  ) {
    self.name = name
    self.fences = fences
    self.fenceFields = fenceFields
    self.rules = rules
    self.messageExpression = messageExpression
  }
}

/// Something that is wrong with one location, or with what was to be said of it; the feed goes on.
public struct GeotriggerIssue: Sendable, Hashable, CustomStringConvertible {
  /// The location's number in the feed.
  public var index: Int
  /// The line that it stands on; nil where there is none.
  public var line: Int?
  /// What is wrong, in one line without the row's number.
  public var message: String

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
