/// Calls of IIf, When, Decode, and DefaultValue with two arguments are compiled to lazy code. The
/// functions here run for DefaultValue with three arguments and for function values, with all
/// arguments already evaluated.
extension ArcadeFunction {
  static let logicals: [ArcadeFunction] = [
    ArcadeFunction("IIf", .logical, 3...3) { values throws(ArcadeFailure) in
      try chosen(values)
    },
    ArcadeFunction("When", .logical, 3...Int.max) { values throws(ArcadeFailure) in
      try chosen(values)
    },
    ArcadeFunction("Decode", .logical, 3...Int.max) { values throws(ArcadeFailure) in
      for index in stride(from: 1, to: values.count - 1, by: 2)
      where values[index].isEqual(to: values[0]) {
        return values[index + 1]
      }
      return values.count % 2 == 0 ? values[values.count - 1] : .null
    },
    ArcadeFunction("DefaultValue", .logical, 2...3) { values throws(ArcadeFailure) in
      guard values.count == 3 else { return values[0].isEmpty ? values[1] : values[0] }
      let found = try member(values[1], of: values[0], values.context)
      return found.flatMap { $0.isEmpty ? nil : $0 } ?? values[2]
    },
    ArcadeFunction("IsEmpty", .logical, 1...1) { .boolean($0[0].isEmpty) },
    ArcadeFunction("IsNan", .logical, 1...1) { values throws(ArcadeFailure) in
      if case .number(let number) = values[0] { return .boolean(number.isNaN) }
      return .boolean(false)
    },
    ArcadeFunction("HasKey", .dictionary, 2...2) { values throws(ArcadeFailure) in
      .boolean(try member(values[1], of: values[0], values.context) != nil)
    },
    ArcadeFunction("HasValue", .logical, 2...2) { values throws(ArcadeFailure) in
      let found = try member(values[1], of: values[0], values.context)
      return .boolean(found.map { !$0.isEmpty } ?? false)
    },
  ]

  /// The value after the first true condition; if no condition is true, the last value.
  private static func chosen(_ values: borrowing ArcadeArguments) throws(ArcadeFailure)
    -> ArcadeValue
  {
    guard values.count % 2 == 1 else {
      throw ArcadeFailure("When takes pairs of a condition and a value, and a default value")
    }
    for index in stride(from: 0, to: values.count - 1, by: 2) {
      guard case .boolean(let boolean) = values[index] else {
        throw values.wrong(index, "true or false")
      }
      if boolean { return values[index + 1] }
    }
    return values[values.count - 1]
  }

  /// The value at a key, an index, or a path that is an array of keys and indices; nil if it does not exist.
  private static func member(
    _ key: ArcadeValue, of container: ArcadeValue, _ context: any ArcadeContext
  ) throws(ArcadeFailure) -> ArcadeValue? {
    if case .array(let keys) = key {
      var value = container
      for key in keys.elements {
        if case .array = key { throw ArcadeFailure("an array of keys cannot contain an array") }
        guard let next = try member(key, of: value, context) else { return nil }
        value = next
      }
      return value
    }
    switch (container, key) {
    case (.array(let array), .number(let number)):
      guard let whole = Int(exactly: number) else { return nil }
      let position = whole < 0 ? whole &+ array.elements.count : whole
      return array.elements.indices.contains(position) ? array.elements[position] : nil
    case (.dictionary(let dictionary), .text(let name)): return dictionary[name]
    case (.dictionary(let dictionary), .number(let number)):
      return dictionary[ArcadeNumber.text(number)]
    case (.feature(let feature), .text(let name)):
      return feature.fields.position(of: name).map { feature.attributes[$0] }
    case (.geometry(let geometry), .text(let name)):
      guard geometry.arcadeMembers.contains(where: { $0.lowercased() == name.lowercased() })
      else { return nil }
      return try geometry.arcadeMember(name, context)
    default: return nil
    }
  }
}
