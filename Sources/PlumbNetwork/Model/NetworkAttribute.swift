/// A value that features carry for traces, such as a length, a phase or a status.
public struct NetworkAttribute: Sendable, Hashable {
  /// What the values are.
  public enum DataType: String, Sendable, Hashable {
    /// 64 bits; booleans are 0 and 1, and dates milliseconds.
    case integer
    /// A double.
    case real
    /// A text, compared with texts alone.
    case text
  }

  /// Unique among the attributes of the network.
  public var id: Int
  /// What conditions and functions call it; found whatever the case where only one has it so.
  public var name: String
  /// What the values are.
  public var dataType: DataType
  /// Whether part of an edge has that part of the edge's value, as with a length. Numbers only.
  public var isApportionable: Bool
  /// Whether the bits of the integer stand for things, such as phases.
  public var isBitwise: Bool
  /// Whether features may lack it; else one that lacks it is an error.
  public var isNullable: Bool

  /// An attribute that features may lack, unless said otherwise.
  public init(
    id: Int, name: String, dataType: DataType, isApportionable: Bool = false,
    isBitwise: Bool = false, isNullable: Bool = true
  ) {
    self.id = id
    self.name = name
    self.dataType = dataType
    self.isApportionable = isApportionable
    self.isBitwise = isBitwise
    self.isNullable = isNullable
  }
}
