/// What a document says of a layer's drawing and Plumb draws in another way.
public struct UndrawnParts: Sendable, Hashable {
  /// What it is, as `CIM symbols`, in the order in which it was found, each once.
  public private(set) var parts: [String] = []
  /// Whether the sizes of symbols are others than the document's, by which features are hit.
  public private(set) var changesSizes = false

  /// None.
  public init() {}

  /// Adds a part.
  public mutating func add(_ part: String, changesSizes: Bool = false) {
    if !parts.contains(part) { parts.append(part) }
    self.changesSizes = self.changesSizes || changesSizes
  }

  /// Adds the parts of others.
  public mutating func formUnion(_ others: UndrawnParts) {
    for part in others.parts { add(part) }
    changesSizes = changesSizes || others.changesSizes
  }

  /// One line for people; nil when all is drawn as the document says.
  public var warning: String? {
    parts.isEmpty ? nil : "not drawn as the document says: " + parts.joined(separator: ", ")
  }

  /// One line for people about features that are hit by their symbols; nil when the sizes are the
  /// document's.
  public var sizeWarning: String? {
    changesSizes
      ? "symbols have other sizes than the document says: " + parts.joined(separator: ", ") : nil
  }
}
