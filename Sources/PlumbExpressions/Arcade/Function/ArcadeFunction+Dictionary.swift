import PlumbCore

extension ArcadeFunction {
  static let dictionaries: [ArcadeFunction] = [
    // Creates a dictionary from alternating keys and values, JSON text, a feature, or another dictionary.
    ArcadeFunction("Dictionary", .dictionary, 0...Int.max) { values throws(ArcadeFailure) in
      if values.count == 1 { return try dictionary(from: values) }
      guard values.count % 2 == 0 else {
        throw ArcadeFailure("Dictionary takes pairs of keys and values")
      }
      let result = ArcadeDictionary()
      for index in stride(from: 0, to: values.count, by: 2) {
        let key: String
        switch values[index] {
        case .text(let text): key = text
        case .number(let number): key = ArcadeNumber.text(number)
        default: throw values.wrong(index, "text or a number")
        }
        try values.context.spend(steps: 1, bytes: key.utf8.count + 64)
        result[key] = values[index + 1]
      }
      return .dictionary(result)
    },
    // In Esri's products, Expects lists the fields to load. Here, it only checks its arguments,
    // because features have all their fields.
    ArcadeFunction("Expects", .dictionary, 2...Int.max) { values throws(ArcadeFailure) in
      for index in 1..<values.count {
        guard case .text = values[index] else { throw values.wrong(index, "a field's name") }
      }
      return .null
    },
    // Creates a feature from a shape and either a dictionary of attributes or alternating names and values.
    ArcadeFunction("Feature", .dictionary, 1...Int.max) { values throws(ArcadeFailure) in
      if values.count == 1 { return try feature(from: values) }
      if values.count == 2 { return try feature(values, values[0], values[1]) }
      guard values.count % 2 == 1 else {
        throw ArcadeFailure("Feature takes a shape, then pairs of names and values")
      }
      var names: [String] = []
      var attributes: [ArcadeValue] = []
      for index in stride(from: 1, to: values.count, by: 2) {
        guard case .text(let name) = values[index] else { throw values.wrong(index, "text") }
        names.append(name)
        attributes.append(values[index + 1])
      }
      return try feature(values, values[0], names, attributes)
    },
  ]

  /// The members of a shape in EsriJSON.
  private static func dictionary(
    of value: ArcadeValue, _ context: any ArcadeContext
  ) throws(ArcadeFailure) -> ArcadeValue {
    let json = try value.wholeText()
    try context.spend(steps: json.utf8.count / 16, bytes: json.utf8.count)
    return try ArcadeJSONReader.value(json, context)
  }

  private static func dictionary(
    from values: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> ArcadeValue {
    switch values[0] {
    case .text(let text):
      guard case .dictionary(let result) = try ArcadeJSONReader.value(text, values.context) else {
        throw ArcadeFailure("the JSON text is not an object")
      }
      return .dictionary(result)
    case .dictionary(let other):
      return .dictionary(try filled(other.keys, other.values, values.context))
    case .feature(let feature):
      let result = ArcadeDictionary()
      result["geometry"] = feature.geometry.map { .geometry($0) } ?? .null
      result["attributes"] = .dictionary(
        try filled(feature.fields.names, feature.attributes, values.context))
      return .dictionary(result)
    case .geometry: return try dictionary(of: values[0], values.context)
    default: throw values.wrong(0, "JSON text, a dictionary, a feature or a shape")
    }
  }

  private static func filled(
    _ keys: [String], _ values: [ArcadeValue], _ context: any ArcadeContext
  ) throws(ArcadeFailure) -> ArcadeDictionary {
    try context.spend(steps: keys.count, bytes: 80 * keys.count)
    let result = ArcadeDictionary()
    for (key, value) in zip(keys, values) { result[key] = value }
    return result
  }

  // MARK: Features

  private static func feature(
    from values: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> ArcadeValue {
    switch values[0] {
    case .feature(let other):
      try values.context.spend(steps: other.attributes.count, bytes: 16 * other.attributes.count)
      return .feature(
        ArcadeFeature(
          fields: other.fields, attributes: other.attributes, geometry: other.geometry))
    case .dictionary(let parts):
      return try feature(values, parts["geometry"] ?? .null, parts["attributes"] ?? .null)
    default: throw values.wrong(0, "a feature or a dictionary of geometry and attributes")
    }
  }

  private static func feature(
    _ values: borrowing ArcadeArguments, _ shape: ArcadeValue, _ attributes: ArcadeValue
  ) throws(ArcadeFailure) -> ArcadeValue {
    switch attributes {
    case .dictionary(let attributes):
      return try feature(values, shape, attributes.keys, attributes.values)
    case .null: return try feature(values, shape, [], [])
    default: throw ArcadeFailure("attributes must be a dictionary, not a \(attributes.typeName)")
    }
  }

  private static func feature(
    _ values: borrowing ArcadeArguments, _ shape: ArcadeValue, _ names: [String],
    _ attributes: [ArcadeValue]
  ) throws(ArcadeFailure) -> ArcadeValue {
    try values.context.spend(steps: names.count, bytes: 80 * names.count)
    for (name, attribute) in zip(names, attributes) {
      switch attribute {
      case .array, .dictionary, .feature, .geometry, .function:
        throw ArcadeFailure("the attribute \(name.shown) cannot be a \(attribute.typeName)")
      case .null, .boolean, .number, .text, .date: break
      }
    }
    let geometry: Geometry?
    switch shape {
    case .null: geometry = nil
    case .geometry(let shape): geometry = shape
    case .feature(let other): geometry = other.geometry
    default: throw ArcadeFailure("a feature's shape cannot be a \(shape.typeName)")
    }
    return .feature(
      ArcadeFeature(fields: ArcadeFields(names), attributes: attributes, geometry: geometry))
  }
}
