/// A layer's drawing settings that Plumb does not apply as the document specifies.
public struct UnsupportedDrawing: Sendable, Hashable {
  /// The names of the settings, such as `CIM symbols`, in the order of detection, without
  /// duplicates.
  public private(set) var parts: [String] = []
  /// Whether symbol sizes, which affect hits, differ from the document's.
  public private(set) var changesSizes = false

  /// Creates an empty list.
  public init() {}

  /// Adds the name of a setting.
  public mutating func add(_ part: String, changesSizes: Bool = false) {
    if !parts.contains(part) { parts.append(part) }
    self.changesSizes = self.changesSizes || changesSizes
  }

  /// Adds the settings of another list.
  public mutating func formUnion(_ others: UnsupportedDrawing) {
    for part in others.parts { add(part) }
    changesSizes = changesSizes || others.changesSizes
  }

  /// A one-line warning that names the settings; nil if everything is drawn as the document
  /// specifies.
  public var warning: String? {
    parts.isEmpty ? nil : "not drawn as specified in the document: " + parts.joined(separator: ", ")
  }

  /// A one-line warning that hits may differ because symbol sizes differ from the document's; nil
  /// if the sizes do not differ.
  public var sizeWarning: String? {
    changesSizes
      ? "symbols have other sizes than in the document: " + parts.joined(separator: ", ") : nil
  }
}
