import PlumbCore

/// A feature that locations enter and leave.
public struct Fence: Sendable, Hashable {
  /// The fence's identity when fences are replaced.
  public var id: String
  /// The name in notifications; if it is empty, the id is used.
  public var name: String
  /// Edges are straight in its own reference.
  public var geometry: Geometry
  /// One value per field of the source.
  public var attributes: [FieldValue]

  /// Creates a fence; its buffer is that of its `FenceSet`.
  public init(id: String, name: String = "", geometry: Geometry, attributes: [FieldValue] = []) {
    self.id = id
    self.name = name
    self.geometry = geometry
    self.attributes = attributes
  }
}

/// The reason why a fence is not used, or may not be as intended.
public struct FenceWarning: Sendable, Hashable, CustomStringConvertible {
  /// Its position in the list.
  public var fence: Int
  /// The fence's id.
  public var id: String
  /// The problem, in one line.
  public var message: String

  public var description: String { "fence \(id.isEmpty ? "\(fence)" : id): \(message)" }
}
