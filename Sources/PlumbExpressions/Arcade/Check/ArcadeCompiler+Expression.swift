import PlumbCore

extension ArcadeCompiler {
  /// Code that leaves an expression's value; `place` is for what has none of its own.
  mutating func compile(_ node: ArcadeNode, _ place: ArcadePlace) throws(ExpressionError) {
    switch node {
    case .null: emit(ArcadeConstant.null, place)
    case .boolean(let boolean): emit(.boolean(boolean), place)
    case .number(let number): emit(.number(number), place)
    case .text(let text): emit(.text(text), place)
    case .name(let name, let place): try compile(name: name, place)
    case .global(let name, let place): emit(.input(try global(name, place)), place)
    case .array(let nodes, let place):
      for node in nodes { try compile(node, place) }
      emit(.array(Int32(nodes.count)), place)
    case .dictionary(let members, let place):
      for member in members { try compile(member.value, place) }
      emit(.dictionary(keys: Int32(code.keys.count)), place)
      code.keys.append(members.map(\.key))
    case .template(let pieces, let values, let place): try compile(pieces, values, place)
    case .prefix(let sign, let operand, let place):
      try compile(operand, place)
      emit(.prefix(sign), place)
    case .chain(let first, let terms): try compile(first, terms, place)
    case .call(let name, let values, let place): try compile(call: name, values, place)
    case .path(let base, let steps): try compile(base, steps[...], place)
    case .assignment(let target, let sign, let value, let place):
      try compile(assignment: target, sign, value, place)
    case .change(let target, let sign, let isBefore, let place):
      try compile(change: target, sign == .increment ? 1 : -1, isBefore, place)
    }
  }

  private mutating func compile(name: String, _ place: ArcadePlace) throws(ExpressionError) {
    switch meaning(name) {
    case .local(let slot): emit(.load(slot), place)
    case .outer(let slot): emit(.loadOuter(slot), place)
    case .declared(let index):
      emit(.declared(name: code.declared[Int(index)].name, Int(index)), place)
    case .builtIn(let function): emit(.builtIn(function), place)
    case .constant(let number): emit(.number(number), place)
    case nil: throw unknown(name, place)
    }
  }

  private mutating func compile(
    _ pieces: [String], _ values: [ArcadeNode], _ place: ArcadePlace
  ) throws(ExpressionError) {
    var count: Int32 = 0
    for (index, piece) in pieces.enumerated() {
      if !piece.isEmpty {
        emit(.text(piece), place)
        count += 1
      }
      if index < values.count {
        try compile(values[index], place)
        count += 1
      }
    }
    emit(.join(count), place)
  }

  private mutating func compile(
    _ first: ArcadeNode, _ terms: [ArcadeTerm], _ place: ArcadePlace
  ) throws(ExpressionError) {
    try compile(first, terms.first?.place ?? place)
    var exits: [Int] = []
    for (index, term) in terms.enumerated() {
      switch term.sign {
      case .and, .or:
        exits.append(hole(term.place))
        try compile(term.operand, term.place)
        if index == terms.count - 1 { emit(.requireBoolean, term.place) }
      case .plus where index > 0 && terms[index - 1].sign == .plus:
        try compile(term.operand, term.place)
        emit(.addMore, term.place)
      default:
        try compile(term.operand, term.place)
        emit(.binary(term.sign), term.place)
      }
    }
    for exit in exits {
      fill(exit) { terms[0].sign == .and ? .jumpKeepingFalse($0) : .jumpKeepingTrue($0) }
    }
  }

  // MARK: Steps

  private mutating func compile(
    _ base: ArcadeNode, _ steps: ArraySlice<ArcadeStep>, _ place: ArcadePlace
  ) throws(ExpressionError) {
    var steps = steps
    switch (base, steps.first) {
    case (.global(let name, let place), .member(let member, let memberPlace)?):
      let slot = try global(name, place)
      emit(.inputMember(slot, member: self.member(member)), memberPlace)
      steps.removeFirst()
    case (.name(let name, _), .member(let member, let memberPlace)?)
    where name.lowercased() == "textformatting" && meaning(name) == nil:
      emit(.text(try Self.formatting(member, memberPlace)), memberPlace)
      steps.removeFirst()
    case (.name(let name, let place), .member?):
      // `feature.x` for `$feature.x`: no function has members.
      if case .builtIn? = meaning(name) { throw unknown(name, place) }
      try compile(base, place)
    default: try compile(base, place)
    }
    for step in steps {
      switch step {
      case .member(let name, let place): emit(.member(member(name)), place)
      case .index(let node, let place):
        try compile(node, place)
        emit(.index, place)
      }
    }
  }

  private static func formatting(
    _ name: String, _ place: ArcadePlace
  ) throws(ExpressionError) -> String {
    let texts = [
      "BackwardSlash": "\\", "DoubleQuote": "\"", "ForwardSlash": "/", "NewLine": "\n",
      "SingleQuote": "'", "Tab": "\t",
    ]
    let found = texts.first { $0.key.lowercased() == name.lowercased() }
    guard let found else {
      throw place.error(
        "TextFormatting has no \(name.shown)" + NearText.hint(name, among: texts.keys))
    }
    return found.value
  }

  // MARK: Calls

  private mutating func compile(
    call name: String, _ values: [ArcadeNode], _ place: ArcadePlace
  ) throws(ExpressionError) {
    let count = Int32(values.count)
    switch meaning(name) {
    case .declared(let index):
      let declared = code.declared[Int(index)]
      guard declared.parameters == values.count else {
        throw place.error(
          Self.wrongCount(declared.name, declared.parameters...declared.parameters, values.count))
      }
      for value in values { try compile(value, place) }
      emit(.callDeclared(index, count: count), place)
    case .builtIn(let function):
      guard function.counts.contains(values.count) else {
        throw place.error(Self.wrongCount(function.name, function.counts, values.count))
      }
      if try compile(lazy: function.name, values, place) { return }
      for value in values { try compile(value, place) }
      emit(.call(builtIn(function), count: count), place)
    case .local, .outer:
      // `var area = Area(shape)` is common: the built-in function stays in reach.
      try compile(name: name, place)
      for value in values { try compile(value, place) }
      if let index = declared(name) {
        emit(.callValue(orElse: -2 - index, count: count), place)
        return
      }
      let function = ArcadeFunction.named(name)
      if let function, !function.counts.contains(values.count) {
        throw place.error(Self.wrongCount(function.name, function.counts, values.count))
      }
      emit(.callValue(orElse: function.map { builtIn($0) } ?? -1, count: count), place)
    case .constant: throw place.error("\(name) is no function")
    case nil:
      let names = code.declared.map(\.name) + ArcadeFunction.all.map(\.name)
      throw place.error(
        "there is no function \(name.shown)" + NearText.hint(name, among: names))
    }
  }

  static func wrongCount(_ name: String, _ counts: ClosedRange<Int>, _ count: Int) -> String {
    let least = counts.lowerBound
    let wanted =
      counts.upperBound == least
      ? "\(least)"
      : counts.upperBound == .max ? "at least \(least)" : "\(least) to \(counts.upperBound)"
    let isOne = counts.upperBound == 1 || counts.upperBound == .max && least == 1
    return "\(name) takes \(wanted) value\(isOne ? "" : "s"), not \(count)"
  }

  /// The functions that evaluate no more than the branch that they choose.
  private mutating func compile(
    lazy name: String, _ values: [ArcadeNode], _ place: ArcadePlace
  ) throws(ExpressionError) -> Bool {
    switch name {
    case "IIf", "When": try compile(when: values, place)
    case "Decode": try compile(decode: values, place)
    case "DefaultValue" where values.count == 2:
      try compile(values[0], place)
      let test = hole(place)
      try compile(values[1], place)
      fill(test) { .jumpUnlessEmpty($0) }
    default: return false
    }
    return true
  }

  private mutating func compile(
    when values: [ArcadeNode], _ place: ArcadePlace
  ) throws(ExpressionError) {
    guard values.count % 2 == 1 else {
      throw place.error("When takes conditions, each with its value, and one more value")
    }
    var ends: [Int] = []
    for index in stride(from: 0, to: values.count - 1, by: 2) {
      try compile(values[index], place)
      let test = hole(place)
      try compile(values[index + 1], place)
      ends.append(hole(place))
      fill(test) { .jumpUnless($0) }
    }
    try compile(values[values.count - 1], place)
    for end in ends { fill(end) { .jump($0) } }
  }

  /// Without a value for what matches none, that is null.
  private mutating func compile(
    decode values: [ArcadeNode], _ place: ArcadePlace
  ) throws(ExpressionError) {
    try compile(values[0], place)
    var ends: [Int] = []
    for index in stride(from: 1, to: values.count - 1, by: 2) {
      try compile(values[index], place)
      let test = hole(place)
      try compile(values[index + 1], place)
      ends.append(hole(place))
      fill(test) { .jumpUnlessEqual($0) }
    }
    emit(.pop, place)
    if values.count % 2 == 0 {
      try compile(values[values.count - 1], place)
    } else {
      emit(ArcadeConstant.null, place)
    }
    for end in ends { fill(end) { .jump($0) } }
  }

  // MARK: Setting

  mutating func emitStore(_ name: String, _ place: ArcadePlace) throws(ExpressionError) {
    switch meaning(name) {
    case .local(let slot): emit(.store(slot), place)
    case .outer(let slot): emit(.storeOuter(slot), place)
    case .declared: throw place.error("\(name) is a function and cannot be set")
    case .builtIn, .constant, nil:
      let names = (inner?.names ?? []) + outer.names
      throw place.error(
        "\(name.shown) is not declared; declare it with var"
          + NearText.hint(name, among: names))
    }
  }

  private mutating func compile(
    assignment target: ArcadeNode, _ sign: ArcadeSign?, _ value: ArcadeNode, _ place: ArcadePlace
  ) throws(ExpressionError) {
    if case .name(let name, let namePlace) = target {
      if let sign {
        // The store's check comes first: it tells more of an undeclared name.
        let count = code.operations.count
        try emitStore(name, namePlace)
        let store = code.operations[count]
        code.operations.removeLast()
        code.places.removeLast()
        try compile(target, place)
        try compile(value, place)
        emit(.binary(sign), place)
        emit(store, namePlace)
      } else {
        try compile(value, place)
        try emitStore(name, namePlace)
      }
      return
    }
    guard let last = try compile(container: target, place) else { return }
    switch last {
    case .member(let name, let memberPlace):
      let slot = member(name)
      if sign != nil {
        emit(.duplicate(1), memberPlace)
        emit(.member(slot), memberPlace)
      }
      try compile(value, place)
      if let sign { emit(.binary(sign), place) }
      emit(.setMember(slot), memberPlace)
    case .index(let node, let indexPlace):
      try compile(node, indexPlace)
      if sign != nil {
        emit(.duplicate(2), indexPlace)
        emit(.index, indexPlace)
      }
      try compile(value, place)
      if let sign { emit(.binary(sign), place) }
      emit(.setIndex, indexPlace)
    }
  }

  private mutating func compile(
    change target: ArcadeNode, _ amount: Int8, _ isBefore: Bool, _ place: ArcadePlace
  ) throws(ExpressionError) {
    if case .name(let name, let namePlace) = target {
      switch meaning(name) {
      case .local(let slot):
        emit(.change(slot, isOuter: false, by: amount, isBefore: isBefore), place)
      case .outer(let slot):
        emit(.change(slot, isOuter: true, by: amount, isBefore: isBefore), place)
      default: try emitStore(name, namePlace)
      }
      return
    }
    guard let last = try compile(container: target, place) else { return }
    switch last {
    case .member(let name, let place):
      emit(.changeMember(member(name), by: amount, isBefore: isBefore), place)
    case .index(let node, let place):
      try compile(node, place)
      emit(.changeIndex(by: amount, isBefore: isBefore), place)
    }
  }

  /// Code for all of a path but its last step, which is set.
  private mutating func compile(
    container target: ArcadeNode, _ place: ArcadePlace
  ) throws(ExpressionError) -> ArcadeStep? {
    switch target {
    case .global(let name, let place): throw place.error("\(name) is a global and cannot be set")
    case .path(let base, let steps):
      if case .global(let name, let place) = base, steps.count == 1 {
        throw place.error("\(name) is a global and cannot be changed")
      }
      guard let last = steps.last else { return nil }
      if steps.count == 1 {
        try compile(base, place)
      } else {
        try compile(base, steps.dropLast(), place)
      }
      return last
    default: return nil
    }
  }
}
