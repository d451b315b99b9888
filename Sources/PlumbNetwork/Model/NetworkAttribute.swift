/// A value that features carry for traces, such as a length, a phase or a status.
public struct NetworkAttribute: Sendable, Hashable {
  public enum DataType: String, Sendable, Hashable {
    /// 64 bits; booleans are 0 and 1, and dates milliseconds.
    case integer
    case real
    case text
  }

  public var id: Int
  public var name: String
  public var dataType: DataType
  /// Whether part of an edge has that part of the edge's value, as with a length. Numbers only.
  public var isApportionable: Bool
  /// Whether the bits of the integer stand for things, such as phases.
  public var isBitwise: Bool
  /// Whether features may lack it; else one that lacks it is an error.
  public var isNullable: Bool

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
