/// An attribute of features that traces use, such as a length, a phase or a status.
public struct NetworkAttribute: Sendable, Hashable {
  /// The type of the values.
  public enum DataType: String, Sendable, Hashable {
    /// 64-bit integers; booleans are 0 and 1, dates are milliseconds.
    case integer
    /// Double-precision numbers.
    case real
    /// Strings, compared only with strings.
    case text
  }

  /// The id, unique among the attributes of the network.
  public var id: Int
  /// The name in conditions and functions. Letter case is ignored unless the name is then
  /// ambiguous.
  public var name: String
  /// The type of the values.
  public var dataType: DataType
  /// Whether the value of a part of an edge is proportional to the part's length, as for a length. Only for
  /// numbers.
  public var isApportionable: Bool
  /// Whether the bits of the integer are flags, such as phases.
  public var isBitwise: Bool
  /// Whether features may lack the value; if false, a missing value is an error.
  public var isNullable: Bool

  /// Creates an attribute; nullable by default.
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
