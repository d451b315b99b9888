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
