import PlumbCore

/// One feature that locations enter and leave.
public struct Fence: Sendable, Hashable {
  /// Where fences are replaced, that of the same id is the same fence.
  public var id: String
  /// What notifications call it; the id stands in where it is empty.
  public var name: String
  /// Edges are straight in its own reference.
  public var geometry: Geometry
  /// One value per field of the source.
  public var attributes: [FieldValue]

  /// A fence round a shape; its buffer is that of its `FenceSet`.
  public init(id: String, name: String = "", geometry: Geometry, attributes: [FieldValue] = []) {
    self.id = id
    self.name = name
    self.geometry = geometry
    self.attributes = attributes
  }
}

/// Why one fence is left out, or may not be what was meant.
public struct FenceWarning: Sendable, Hashable, CustomStringConvertible {
  /// Its position in the list.
  public var fence: Int
  /// The fence's id.
  public var id: String
  /// What is wrong with it, in one line.
  public var message: String

  public var description: String { "fence \(id.isEmpty ? "\(fence)" : id): \(message)" }
}
