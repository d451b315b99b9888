import PlumbCore

/// One feature that locations enter and leave.
public struct Fence: Sendable, Hashable {
  /// Where fences are replaced, that of the same id is the same fence.
  public var id: String
  public var name: String
  /// Edges are straight in its own reference.
  public var geometry: Geometry
  /// One value per field of the source.
  public var attributes: [FieldValue]

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
  public var id: String
  public var message: String

  public var description: String { "fence \(id.isEmpty ? "\(fence)" : id): \(message)" }
}
