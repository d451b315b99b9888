import PlumbCore

extension ArcadeEvaluator {
  /// The result of a binary operator.
  func value(
    _ sign: ArcadeSign, _ left: ArcadeValue, _ right: ArcadeValue
  ) throws(ArcadeFailure) -> ArcadeValue {
    switch sign {
    case .equal: return .boolean(left.isEqual(to: right))
    case .notEqual: return .boolean(!left.isEqual(to: right))
    case .less: return .boolean(left.order(to: right).map { $0 < 0 } ?? false)
    case .notGreater: return .boolean(left.order(to: right).map { $0 <= 0 } ?? false)
    case .greater: return .boolean(left.order(to: right).map { $0 > 0 } ?? false)
    case .notLess: return .boolean(left.order(to: right).map { $0 >= 0 } ?? false)
    case .plus:
      if left.isText || right.isText {
        var joined = try text(of: left)
        joined += try text(of: right)
        try spend(steps: 0, bytes: joined.utf8.count)
        return .text(joined)
      }
    default: break
    }
    return ArcadeOperator.value(sign, left.asNumber, right.asNumber) ?? .null
  }

  /// The value as text, within the budget.
  func text(of value: ArcadeValue) throws(ArcadeFailure) -> String {
    switch value {
    case .text(let text): return text
    case .array, .dictionary, .feature, .geometry:
      var writer = ArcadeJSONWriter(byteLimit: remainingBytes)
      writer.append(value)
      try spend(steps: writer.bytes.count / 16, bytes: writer.bytes.count)
      return try writer.wholeText()
    default: return value.asText
    }
  }

  // MARK: Members

  /// The value of a member by its index in the program. The position of a field is cached.
  func value(of member: Int, in container: ArcadeValue) throws(ArcadeFailure) -> ArcadeValue {
    if case .feature(let feature) = container {
      if let known = found[member], known.fields === feature.fields,
        known.position < feature.attributes.count
      {
        return feature.attributes[known.position]
      }
      let name = code.members[member]
      let position = try feature.position(of: name)
      found[member] = (feature.fields, position)
      return feature.attributes[position]
    }
    return try value(named: code.members[member], in: container)
  }

  private func value(
    named name: String, in container: ArcadeValue
  ) throws(ArcadeFailure) -> ArcadeValue {
    switch container {
    case .dictionary(let dictionary):
      guard let value = dictionary[name] else {
        throw ArcadeFailure(
          "the dictionary has no key \(name.shown)"
            + NameSuggestions.hint(name, among: dictionary.keys))
      }
      return value
    case .feature(let feature): return feature.attributes[try feature.position(of: name)]
    case .geometry(let geometry): return try geometry.arcadeMember(name, self)
    case .null: throw ArcadeFailure("null has no member \(name.shown)")
    default: throw ArcadeFailure("a \(container.typeName) has no member \(name.shown)")
    }
  }

  /// The value of `container[index]`.
  func element(
    _ index: ArcadeValue, of container: ArcadeValue
  ) throws(ArcadeFailure) -> ArcadeValue {
    switch container {
    case .array(let array):
      return array.elements[try Self.position(index, in: array.elements.count)]
    case .text(let text):
      // The index counts UTF-16 code units, as in Mid.
      let units = text.utf16
      try spend(steps: text.utf8.count / 64, bytes: 0)
      let position = try Self.position(index, in: units.count)
      let start = units.index(units.startIndex, offsetBy: position)
      return .text(ArcadeFunction.text(ofUnits: units[start...].prefix(1)))
    default:
      switch index {
      case .text(let name): return try value(named: name, in: container)
      case .number(let number):
        return try value(named: ArcadeNumber.text(number), in: container)
      default: throw ArcadeFailure("a \(index.typeName) is not a key")
      }
    }
  }

  /// The position of an index. The index -1 is the last element.
  private static func position(
    _ index: ArcadeValue, in count: Int, canAppend: Bool = false
  ) throws(ArcadeFailure) -> Int {
    guard case .number(let number) = index, let whole = Int(exactly: number) else {
      let what = if case .number(let number) = index { number.description } else { index.typeName }
      throw ArcadeFailure("\(what) is not an index: it must be a whole number")
    }
    let position = whole < 0 ? whole &+ count : whole
    guard position >= 0, position < count || canAppend && position == count else {
      throw ArcadeFailure("the index \(whole) is out of range for \(count) elements")
    }
    return position
  }

  /// Executes `container[key] = value`.
  func set(
    _ key: ArcadeValue, of container: ArcadeValue, to value: ArcadeValue
  ) throws(ArcadeFailure) {
    switch container {
    case .array(let array):
      let position = try Self.position(key, in: array.elements.count, canAppend: true)
      try admit(value, into: array)
      if position == array.elements.count {
        try spend(steps: 0, bytes: 16)
        array.elements.append(value)
      } else {
        array.elements[position] = value
      }
    case .dictionary(let dictionary):
      let name: String
      switch key {
      case .text(let text): name = text
      case .number(let number): name = ArcadeNumber.text(number)
      default: throw ArcadeFailure("a \(key.typeName) is not a key")
      }
      try admit(value, into: dictionary)
      try spend(steps: 0, bytes: 64 + name.utf8.count)
      dictionary[name] = value
    case .feature: throw ArcadeFailure("a feature cannot be changed")
    case .geometry: throw ArcadeFailure("a shape cannot be changed")
    case .null: throw ArcadeFailure("null has no members to set")
    default: throw ArcadeFailure("a \(container.typeName) has no members to set")
    }
  }

  /// The keys that `for … in` iterates over, for all values except arrays.
  func keys(of value: ArcadeValue) throws(ArcadeFailure) -> [ArcadeValue] {
    let names: [String]
    switch value {
    case .dictionary(let dictionary): names = dictionary.keys
    case .feature(let feature): names = feature.fields.names
    case .geometry(let geometry): names = geometry.arcadeMembers
    default: throw ArcadeFailure("a \(value.typeName) cannot be iterated")
    }
    try spend(steps: names.count, bytes: 32 * names.count)
    return names.map { .text($0) }
  }
}

extension ArcadeContext {
  /// Throws if a value contains the container to which it is added, because that would create a cycle.
  func admit(_ value: ArcadeValue, into container: AnyObject) throws(ArcadeFailure) {
    var waiting = [value]
    var seen: Set<ObjectIdentifier> = []
    while let next = waiting.popLast() {
      let object: AnyObject
      let values: [ArcadeValue]
      switch next {
      case .array(let array): (object, values) = (array, array.elements)
      case .dictionary(let dictionary): (object, values) = (dictionary, dictionary.values)
      default: continue
      }
      guard object !== container else {
        throw ArcadeFailure("an array or dictionary cannot contain itself")
      }
      guard seen.insert(ObjectIdentifier(object)).inserted else { continue }
      try spend(steps: 1 + values.count / 16, bytes: 0)
      for value in values {
        switch value {
        case .array, .dictionary: waiting.append(value)
        default: break
        }
      }
    }
  }
}

extension ArcadeFeature {
  /// - Throws: an error with similar names if there is no such field.
  func position(of name: String) throws(ArcadeFailure) -> Int {
    guard let position = fields.position(of: name), position < attributes.count else {
      throw ArcadeFailure(
        "the feature has no field \(name.shown)" + NameSuggestions.hint(name, among: fields.names))
    }
    return position
  }
}

extension ArcadeValue {
  var isText: Bool { if case .text = self { true } else { false } }
}
