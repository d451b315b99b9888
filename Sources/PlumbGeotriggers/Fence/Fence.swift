import PlumbCore

/// A feature that entities enter and exit.
public struct Fence: Sendable, Hashable {
  /// The fence's identity when fences are replaced.
  public var id: String
  /// The name in notifications. If it is empty, notifications use the id.
  public var name: String
  /// The geometry, whose edges are straight lines in the geometry's own CRS.
  public var geometry: Geometry
  /// The attributes, one value per field of the source.
  public var attributes: [FieldValue]

  /// Creates a fence. The buffer of the fence is defined by the `FenceSet`.
  public init(id: String, name: String = "", geometry: Geometry, attributes: [FieldValue] = []) {
    self.id = id
    self.name = name
    self.geometry = geometry
    self.attributes = attributes
  }
}

/// The reason why a fence is not used, or may not be what the user intended.
public struct FenceWarning: Sendable, Hashable, CustomStringConvertible {
  /// The fence's position in the list.
  public var fence: Int
  /// The fence's id.
  public var id: String
  /// The problem, in one line.
  public var message: String

  public var description: String { "fence \(id.isEmpty ? "\(fence)" : id): \(message)" }
}
