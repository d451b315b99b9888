extension Collection<Field> {
  /// The index of the field with a name: the first exact match or, if there is none, the first
  /// match that ignores case; nil if there is no match.
  ///
  /// - Complexity: O(n) comparisons; keep the index when reading many features.
  public func index(named name: String) -> Index? {
    if let exact = firstIndex(where: { $0.name == name }) { return exact }
    let folded = name.lowercased()
    return firstIndex { $0.name.lowercased() == folded }
  }
}

extension Feature {
  /// The value of the field that `fields.index(named:)` finds; nil if no field has the name or the
  /// feature has no attribute at the field's index. A null value is `.null`.
  ///
  /// ```swift
  /// while let features = try source.next(limit: 1000) {
  ///   for feature in features { print(feature["NAME", in: source.fields] ?? .null) }
  /// }
  /// ```
  public subscript(name: String, in fields: [Field]) -> FieldValue? {
    guard let index = fields.index(named: name), attributes.indices.contains(index) else {
      return nil
    }
    return attributes[index]
  }
}

extension Feature: CustomStringConvertible {
  /// The id, if any, the attributes in brackets, and the shape, for example `7 [Ward 34, 28609]
  /// polygon of 1 ring, 5 vertices`.
  public var description: String {
    let shapes = (geometry.map { [$0] } ?? collection).map(\.description)
    let values = "[" + attributes.map(\.description).joined(separator: ", ") + "]"
    return ((id.map { [$0.description] } ?? []) + [values] + shapes).joined(separator: " ")
  }
}
