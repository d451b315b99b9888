/// Functions that call a function for each element. Elements added by the calls are not visited.
extension ArcadeFunction {
  static let testing: [ArcadeFunction] = [
    ArcadeFunction("All", .array, 2...2) { values throws(ArcadeFailure) in
      .boolean(try first(values, matching: false) == nil)
    },
    ArcadeFunction("Any", .array, 2...2) { values throws(ArcadeFailure) in
      .boolean(try first(values, matching: true) != nil)
    },
    ArcadeFunction("None", .array, 2...2) { values throws(ArcadeFailure) in
      .boolean(try first(values, matching: true) == nil)
    },
    ArcadeFunction("Filter", .array, 2...2) { values throws(ArcadeFailure) in
      let test = try values.function(1)
      var kept: [ArcadeValue] = []
      for element in try values.array(0).elements
      where try values.context.call(test, [element]).isTrue {
        try values.context.spend(steps: 0, bytes: 16)
        kept.append(element)
      }
      return .array(ArcadeArray(kept))
    },
    ArcadeFunction("Map", .array, 2...2) { values throws(ArcadeFailure) in
      let change = try values.function(1)
      var changed: [ArcadeValue] = []
      for element in try values.array(0).elements {
        try values.context.spend(steps: 0, bytes: 16)
        changed.append(try values.context.call(change, [element]))
      }
      return .array(ArcadeArray(changed))
    },
    ArcadeFunction("Reduce", .array, 2...3) { values throws(ArcadeFailure) in
      let join = try values.function(1)
      var elements = try values.array(0).elements[...]
      var result = values[2]
      if values.count == 2 {
        guard let first = elements.popFirst() else { return .null }
        result = first
      }
      for element in elements { result = try values.context.call(join, [result, element]) }
      return result
    },
  ]

  private static func first(
    _ values: borrowing ArcadeArguments, matching wanted: Bool
  ) throws(ArcadeFailure) -> Int? {
    let test = try values.function(1)
    for (index, element) in try values.array(0).elements.enumerated()
    where try values.context.call(test, [element]).isTrue == wanted {
      return index
    }
    return nil
  }

  // MARK: Sorting

  /// Sorts values with the comparator, if it is given. Otherwise, values of one kind are sorted in
  /// the order of `<`, and values of mixed kinds by their text. The sort is stable.
  static func sorted(_ values: borrowing ArcadeArguments) throws(ArcadeFailure) -> ArcadeValue {
    let context = values.context
    let elements = try values.array(0).elements
    try context.spend(steps: elements.count, bytes: 48 + 16 * elements.count)
    if values.count == 2 {
      let comparator = try values.function(1)
      return .array(
        ArcadeArray(
          try merged(elements) { a, b throws(ArcadeFailure) in
            try context.call(comparator, [b, a]).asNumber < 0
          }))
    }
    let kinds = Set(elements.map(\.typeName))
    if kinds.count <= 1 {
      return .array(
        ArcadeArray(
          try merged(elements) { a, b throws(ArcadeFailure) in
            try context.spend(steps: 1, bytes: 0)
            return precedes(b, before: a)
          }))
    }
    var texts: [(String, ArcadeValue)] = []
    for element in elements {
      let text = try element.wholeText()
      try context.spend(steps: text.utf8.count / 16, bytes: text.utf8.count)
      texts.append((text, element))
    }
    let order = try merged(texts) { a, b throws(ArcadeFailure) in
      try context.spend(steps: 1, bytes: 0)
      return SQLText.order(b.0, a.0) < 0
    }
    return .array(ArcadeArray(order.map(\.1)))
  }

  /// Returns whether `a` is ordered before `b`. NaN is ordered last, so that the order is total.
  private static func precedes(_ a: ArcadeValue, before b: ArcadeValue) -> Bool {
    if case .number(let a) = a, case .number(let b) = b {
      return a.isNaN ? false : b.isNaN ? true : a < b
    }
    return (a.order(to: b) ?? 0) < 0
  }

  /// Sorts by merging runs of doubling length. `swaps` returns whether the second value must be
  /// before the first value.
  private static func merged<Element>(
    _ elements: [Element],
    _ swaps: (Element, Element) throws(ArcadeFailure) -> Bool
  ) throws(ArcadeFailure) -> [Element] {
    var source = elements
    var length = 1
    while length < source.count {
      var result: [Element] = []
      result.reserveCapacity(source.count)
      var start = 0
      while start < source.count {
        let middle = min(start + length, source.count)
        let end = min(middle + length, source.count)
        var (left, right) = (start, middle)
        while left < middle, right < end {
          if try swaps(source[left], source[right]) {
            result.append(source[right])
            right += 1
          } else {
            result.append(source[left])
            left += 1
          }
        }
        result += source[left..<middle]
        result += source[right..<end]
        start = end
      }
      source = result
      length *= 2
    }
    return source
  }
}
