/// Elements are compared with `==`. A test passes if `Boolean()` of its result is true.
extension ArcadeFunction {
  static let arrays: [ArcadeFunction] = making + changing + looking + testing

  // MARK: New arrays

  private static let making: [ArcadeFunction] = [
    ArcadeFunction("Array", .array, 1...2) { values throws(ArcadeFailure) in
      let count = try values.whole(0)
      guard count >= 0 else { throw values.wrong(0, "a length of 0 or more") }
      try checkSize(for: count, values.context)
      return .array(ArcadeArray(Array(repeating: values[1], count: count)))
    },
    ArcadeFunction("Reverse", .array, 1...1) { values throws(ArcadeFailure) in
      try made(values.array(0).elements.reversed(), values.context)
    },
    ArcadeFunction("Slice", .array, 1...3) { values throws(ArcadeFailure) in
      let elements = try values.array(0).elements
      let start = clamped(try values.whole(1, orElse: 0), elements.count)
      let end = clamped(try values.whole(2, orElse: elements.count), elements.count)
      return try made(start < end ? Array(elements[start..<end]) : [], values.context)
    },
    ArcadeFunction("Top", .array, 2...2) { values throws(ArcadeFailure) in
      let elements = try values.array(0).elements
      return try made(Array(elements.prefix(max(0, try values.whole(1)))), values.context)
    },
    ArcadeFunction("Splice", .array, 1...Int.max) { values throws(ArcadeFailure) in
      var elements: [ArcadeValue] = []
      for value in values.values {
        if case .array(let array) = value {
          try checkSize(for: array.elements.count, values.context)
          elements += array.elements
        } else {
          elements.append(value)
        }
      }
      return try made(elements, values.context)
    },
    ArcadeFunction("Distinct", .array, 1...Int.max) { values throws(ArcadeFailure) in
      var all = values.values
      if all.count == 1, case .array(let array) = all[0] { all = array.elements }
      return try made(try distinct(all, values.context), values.context)
    },
    ArcadeFunction("Sort", .array, 1...2) { values throws(ArcadeFailure) in try sorted(values) },
  ]

  private static func checkSize(for count: Int, _ context: any ArcadeContext) throws(ArcadeFailure)
  {
    try context.spend(steps: count, bytes: 48 + 16 * min(count, 1 << 50))
  }

  private static func made(
    _ elements: [ArcadeValue], _ context: any ArcadeContext
  ) throws(ArcadeFailure) -> ArcadeValue {
    try checkSize(for: elements.count, context)
    return .array(ArcadeArray(elements))
  }

  /// Returns an index for a slice, clamped to the array. A negative index counts from the end.
  private static func clamped(_ index: Int, _ count: Int) -> Int {
    min(max(index < 0 ? index &+ count : index, 0), count)
  }

  private static func distinct(
    _ values: [ArcadeValue], _ context: any ArcadeContext
  ) throws(ArcadeFailure) -> [ArcadeValue] {
    var result: [ArcadeValue] = []
    var numbers: Set<Double> = []
    var texts: Set<[UInt8]> = []
    for value in values {
      switch value {
      case .number(let number) where !number.isNaN:
        if numbers.insert(number).inserted { result.append(value) }
      case .text(let text):
        try context.spend(steps: text.utf8.count / 64, bytes: text.utf8.count)
        if texts.insert(Array(text.utf8)).inserted { result.append(value) }
      default:
        try context.spend(steps: result.count, bytes: 0)
        if !result.contains(where: { $0.isEqual(to: value) }) { result.append(value) }
      }
    }
    return result
  }

  // MARK: Arrays changed in place

  private static let changing: [ArcadeFunction] = [
    ArcadeFunction("Push", .array, 2...2) { values throws(ArcadeFailure) in
      let array = try values.array(0)
      try values.context.admit(values[1], into: array)
      try values.context.spend(steps: 0, bytes: 16)
      array.elements.append(values[1])
      return .number(Double(array.elements.count))
    },
    ArcadeFunction("Pop", .array, 1...1) { values throws(ArcadeFailure) in
      guard let last = try values.array(0).elements.popLast() else { throw noElements }
      return last
    },
    ArcadeFunction("Insert", .array, 3...3) { values throws(ArcadeFailure) in
      let array = try values.array(0)
      let position = try position(values, in: array, canAppend: true)
      try values.context.admit(values[2], into: array)
      try values.context.spend(steps: array.elements.count / 16, bytes: 16)
      array.elements.insert(values[2], at: position)
      return .null
    },
    ArcadeFunction("Erase", .array, 2...2) { values throws(ArcadeFailure) in
      let array = try values.array(0)
      let position = try position(values, in: array, canAppend: false)
      try values.context.spend(steps: array.elements.count / 16, bytes: 0)
      array.elements.remove(at: position)
      return .null
    },
    ArcadeFunction("Resize", .array, 2...3) { values throws(ArcadeFailure) in
      let array = try values.array(0)
      let count = try values.whole(1)
      guard count >= 0 else { throw values.wrong(1, "a length of 0 or more") }
      let more = count - array.elements.count
      if more > 0 {
        try values.context.admit(values[2], into: array)
        try checkSize(for: more, values.context)
        array.elements += Array(repeating: values[2], count: more)
      } else {
        array.elements.removeLast(-more)
      }
      return .null
    },
  ]

  private static let noElements = ArcadeFailure("the array is empty")

  private static func position(
    _ values: borrowing ArcadeArguments, in array: ArcadeArray, canAppend: Bool
  ) throws(ArcadeFailure) -> Int {
    let count = array.elements.count
    let index = try values.whole(1)
    let position = index < 0 ? index &+ count : index
    guard position >= 0, position < count || canAppend && position == count else {
      throw ArcadeFailure("the index \(index) is out of range for \(count) elements")
    }
    return position
  }

  // MARK: Single elements

  private static let looking: [ArcadeFunction] = [
    ArcadeFunction("Count", .array, 1...1) { values throws(ArcadeFailure) in
      switch values[0] {
      case .array(let array): return .number(Double(array.elements.count))
      case .dictionary(let dictionary): return .number(Double(dictionary.keys.count))
      case .text(let text):
        try values.context.spend(steps: text.utf8.count / 64, bytes: 0)
        // UTF-16 code units, as in Left, Mid and Find.
        return .number(Double(text.utf16.count))
      case .null: return .number(0)
      default: throw values.wrong(0, "an array, a dictionary or text")
      }
    },
    ArcadeFunction("First", .array, 1...1) { values throws(ArcadeFailure) in
      try values.array(0).elements.first ?? .null
    },
    ArcadeFunction("Front", .array, 1...1) { values throws(ArcadeFailure) in
      guard let first = try values.array(0).elements.first else { throw noElements }
      return first
    },
    ArcadeFunction("Back", .array, 1...1) { values throws(ArcadeFailure) in
      guard let last = try values.array(0).elements.last else { throw noElements }
      return last
    },
    ArcadeFunction("IndexOf", .array, 2...2) { values throws(ArcadeFailure) in
      .number(Double(try index(of: values) ?? -1))
    },
    ArcadeFunction("Includes", .array, 2...2) { values throws(ArcadeFailure) in
      .boolean(try index(of: values) != nil)
    },
  ]

  private static func index(of values: borrowing ArcadeArguments) throws(ArcadeFailure) -> Int? {
    let elements = try values.array(0).elements
    try values.context.spend(steps: elements.count, bytes: 0)
    let wanted = values[1]
    return elements.firstIndex { $0.isEqual(to: wanted) }
  }
}
