import PlumbCore

extension ArcadeCompiler {
  /// Emits code that pushes an expression's value. `position` is used for nodes without a position.
  mutating func compile(_ node: ArcadeNode, _ position: ArcadePosition) throws(ExpressionError) {
    switch node {
    case .null: emit(ArcadeConstant.null, position)
    case .boolean(let boolean): emit(.boolean(boolean), position)
    case .number(let number): emit(.number(number), position)
    case .text(let text): emit(.text(text), position)
    case .name(let name, let position): try compile(name: name, position)
    case .global(let name, let position): emit(.input(try global(name, position)), position)
    case .array(let nodes, let position):
      for node in nodes { try compile(node, position) }
      emit(.array(Int32(nodes.count)), position)
    case .dictionary(let members, let position):
      for member in members { try compile(member.value, position) }
      emit(.dictionary(keys: Int32(code.keys.count)), position)
      code.keys.append(members.map(\.key))
    case .template(let pieces, let values, let position): try compile(pieces, values, position)
    case .prefix(let sign, let operand, let position):
      try compile(operand, position)
      emit(.prefix(sign), position)
    case .chain(let first, let terms): try compile(first, terms, position)
    case .call(let name, let values, let position): try compile(call: name, values, position)
    case .path(let base, let steps): try compile(base, steps[...], position)
    case .assignment(let target, let sign, let value, let position):
      try compile(assignment: target, sign, value, position)
    case .change(let target, let sign, let isBefore, let position):
      try compile(change: target, sign == .increment ? 1 : -1, isBefore, position)
    }
  }

  private mutating func compile(name: String, _ position: ArcadePosition) throws(ExpressionError) {
    switch meaning(name) {
    case .local(let slot): emit(.load(slot), position)
    case .outer(let slot): emit(.loadOuter(slot), position)
    case .declared(let index):
      emit(.declared(name: code.declared[Int(index)].name, Int(index)), position)
    case .builtIn(let function): emit(.builtIn(function), position)
    case .constant(let number): emit(.number(number), position)
    case nil: throw unknown(name, position)
    }
  }

  private mutating func compile(
    _ pieces: [String], _ values: [ArcadeNode], _ position: ArcadePosition
  ) throws(ExpressionError) {
    var count: Int32 = 0
    for (index, piece) in pieces.enumerated() {
      if !piece.isEmpty {
        emit(.text(piece), position)
        count += 1
      }
      if index < values.count {
        try compile(values[index], position)
        count += 1
      }
    }
    emit(.join(count), position)
  }

  private mutating func compile(
    _ first: ArcadeNode, _ terms: [ArcadeTerm], _ position: ArcadePosition
  ) throws(ExpressionError) {
    try compile(first, terms.first?.position ?? position)
    var exits: [Int] = []
    for (index, term) in terms.enumerated() {
      switch term.sign {
      case .and, .or:
        exits.append(hole(term.position))
        try compile(term.operand, term.position)
        if index == terms.count - 1 { emit(.requireBoolean, term.position) }
      case .plus where index > 0 && terms[index - 1].sign == .plus:
        try compile(term.operand, term.position)
        emit(.addMore, term.position)
      default:
        try compile(term.operand, term.position)
        emit(.binary(term.sign), term.position)
      }
    }
    for exit in exits {
      fill(exit) { terms[0].sign == .and ? .jumpKeepingFalse($0) : .jumpKeepingTrue($0) }
    }
  }

  // MARK: Steps

  private mutating func compile(
    _ base: ArcadeNode, _ steps: ArraySlice<ArcadeStep>, _ position: ArcadePosition
  ) throws(ExpressionError) {
    var steps = steps
    switch (base, steps.first) {
    case (.global(let name, let position), .member(let member, let memberPosition)?):
      let slot = try global(name, position)
      emit(.inputMember(slot, member: self.member(member)), memberPosition)
      steps.removeFirst()
    case (.name(let name, _), .member(let member, let memberPosition)?)
    where name.lowercased() == "textformatting" && meaning(name) == nil:
      emit(.text(try Self.formatting(member, memberPosition)), memberPosition)
      steps.removeFirst()
    case (.name(let name, let position), .member?):
      // `feature.x` instead of `$feature.x` is an error, because functions have no members.
      if case .builtIn? = meaning(name) { throw unknown(name, position) }
      try compile(base, position)
    default: try compile(base, position)
    }
    for step in steps {
      switch step {
      case .member(let name, let position): emit(.member(member(name)), position)
      case .index(let node, let position):
        try compile(node, position)
        emit(.index, position)
      }
    }
  }

  private static func formatting(
    _ name: String, _ position: ArcadePosition
  ) throws(ExpressionError) -> String {
    let texts = [
      "BackwardSlash": "\\", "DoubleQuote": "\"", "ForwardSlash": "/", "NewLine": "\n",
      "SingleQuote": "'", "Tab": "\t",
    ]
    let found = texts.first { $0.key.lowercased() == name.lowercased() }
    guard let found else {
      throw position.error(
        "TextFormatting has no \(name.shown)" + NameSuggestions.hint(name, among: texts.keys))
    }
    return found.value
  }

  // MARK: Calls

  private mutating func compile(
    call name: String, _ values: [ArcadeNode], _ position: ArcadePosition
  ) throws(ExpressionError) {
    let count = Int32(values.count)
    switch meaning(name) {
    case .declared(let index):
      let declared = code.declared[Int(index)]
      guard declared.parameters == values.count else {
        throw position.error(
          Self.wrongCount(declared.name, declared.parameters...declared.parameters, values.count))
      }
      for value in values { try compile(value, position) }
      emit(.callDeclared(index, count: count), position)
    case .builtIn(let function):
      guard function.counts.contains(values.count) else {
        throw position.error(Self.wrongCount(function.name, function.counts, values.count))
      }
      if try compile(lazy: function.name, values, position) { return }
      for value in values { try compile(value, position) }
      emit(.call(builtIn(function), count: count), position)
    case .local, .outer:
      // `var area = Area(shape)` is common, so the built-in function remains callable.
      try compile(name: name, position)
      for value in values { try compile(value, position) }
      if let index = declared(name) {
        emit(.callValue(orElse: -2 - index, count: count), position)
        return
      }
      let function = ArcadeFunction.named(name)
      if let function, !function.counts.contains(values.count) {
        throw position.error(Self.wrongCount(function.name, function.counts, values.count))
      }
      emit(.callValue(orElse: function.map { builtIn($0) } ?? -1, count: count), position)
    case .constant: throw position.error("\(name) is not a function")
    case nil:
      let names = code.declared.map(\.name) + ArcadeFunction.all.map(\.name)
      throw position.error(
        "there is no function \(name.shown)" + NameSuggestions.hint(name, among: names))
    }
  }

  static func wrongCount(_ name: String, _ counts: ClosedRange<Int>, _ count: Int) -> String {
    let minimum = counts.lowerBound
    let wanted =
      counts.upperBound == minimum
      ? "\(minimum)"
      : counts.upperBound == .max ? "at least \(minimum)" : "\(minimum) to \(counts.upperBound)"
    let isOne = counts.upperBound == 1 || counts.upperBound == .max && minimum == 1
    return "\(name) takes \(wanted) value\(isOne ? "" : "s"), not \(count)"
  }

  /// Emits code for functions that evaluate only the chosen branch.
  private mutating func compile(
    lazy name: String, _ values: [ArcadeNode], _ position: ArcadePosition
  ) throws(ExpressionError) -> Bool {
    switch name {
    case "IIf", "When": try compile(when: values, position)
    case "Decode": try compile(decode: values, position)
    case "DefaultValue" where values.count == 2:
      try compile(values[0], position)
      let test = hole(position)
      try compile(values[1], position)
      fill(test) { .jumpUnlessEmpty($0) }
    default: return false
    }
    return true
  }

  private mutating func compile(
    when values: [ArcadeNode], _ position: ArcadePosition
  ) throws(ExpressionError) {
    guard values.count % 2 == 1 else {
      throw position.error("When takes pairs of a condition and a value, and a default value")
    }
    var ends: [Int] = []
    for index in stride(from: 0, to: values.count - 1, by: 2) {
      try compile(values[index], position)
      let test = hole(position)
      try compile(values[index + 1], position)
      ends.append(hole(position))
      fill(test) { .jumpUnless($0) }
    }
    try compile(values[values.count - 1], position)
    for end in ends { fill(end) { .jump($0) } }
  }

  /// Emits code for Decode, which results in null if nothing matches and there is no default value.
  private mutating func compile(
    decode values: [ArcadeNode], _ position: ArcadePosition
  ) throws(ExpressionError) {
    try compile(values[0], position)
    var ends: [Int] = []
    for index in stride(from: 1, to: values.count - 1, by: 2) {
      try compile(values[index], position)
      let test = hole(position)
      try compile(values[index + 1], position)
      ends.append(hole(position))
      fill(test) { .jumpUnlessEqual($0) }
    }
    emit(.pop, position)
    if values.count % 2 == 0 {
      try compile(values[values.count - 1], position)
    } else {
      emit(ArcadeConstant.null, position)
    }
    for end in ends { fill(end) { .jump($0) } }
  }

  // MARK: Setting

  mutating func emitStore(_ name: String, _ position: ArcadePosition) throws(ExpressionError) {
    switch meaning(name) {
    case .local(let slot): emit(.store(slot), position)
    case .outer(let slot): emit(.storeOuter(slot), position)
    case .declared: throw position.error("\(name) is a function and cannot be set")
    case .builtIn, .constant, nil: throw undeclared(name, position)
    }
  }

  private func undeclared(_ name: String, _ position: ArcadePosition) -> ExpressionError {
    let names = (inner?.names ?? []) + outer.names
    return position.error(
      "\(name.shown) is not declared; declare it with var"
        + NameSuggestions.hint(name, among: names))
  }

  /// Declares a name that is assigned without a declaration, and adds a note.
  private mutating func declareIfNeeded(_ name: String, _ position: ArcadePosition) {
    switch meaning(name) {
    case .local, .outer, .declared: return
    case .builtIn, .constant, nil:
      code.notes.append(undeclared(name, position).message)
      _ = declareVariable(name)
    }
  }

  private mutating func compile(
    assignment target: ArcadeNode, _ sign: ArcadeSign?, _ value: ArcadeNode,
    _ position: ArcadePosition
  ) throws(ExpressionError) {
    if case .name(let name, let namePosition) = target {
      if let sign {
        // Check the name with `emitStore` first, because its error for an undeclared name is more specific.
        let count = code.operations.count
        try emitStore(name, namePosition)
        let store = code.operations[count]
        code.operations.removeLast()
        code.positions.removeLast()
        try compile(target, position)
        try compile(value, position)
        emit(.binary(sign), position)
        emit(store, namePosition)
      } else {
        try compile(value, position)
        declareIfNeeded(name, namePosition)
        try emitStore(name, namePosition)
      }
      return
    }
    guard let last = try compile(container: target, position) else { return }
    switch last {
    case .member(let name, let memberPosition):
      let slot = member(name)
      if sign != nil {
        emit(.duplicate(1), memberPosition)
        emit(.member(slot), memberPosition)
      }
      try compile(value, position)
      if let sign { emit(.binary(sign), position) }
      emit(.setMember(slot), memberPosition)
    case .index(let node, let indexPosition):
      try compile(node, indexPosition)
      if sign != nil {
        emit(.duplicate(2), indexPosition)
        emit(.index, indexPosition)
      }
      try compile(value, position)
      if let sign { emit(.binary(sign), position) }
      emit(.setIndex, indexPosition)
    }
  }

  private mutating func compile(
    change target: ArcadeNode, _ amount: Int8, _ isBefore: Bool, _ position: ArcadePosition
  ) throws(ExpressionError) {
    if case .name(let name, let namePosition) = target {
      switch meaning(name) {
      case .local(let slot):
        emit(.change(slot, isOuter: false, by: amount, isBefore: isBefore), position)
      case .outer(let slot):
        emit(.change(slot, isOuter: true, by: amount, isBefore: isBefore), position)
      default: try emitStore(name, namePosition)
      }
      return
    }
    guard let last = try compile(container: target, position) else { return }
    switch last {
    case .member(let name, let position):
      emit(.changeMember(member(name), by: amount, isBefore: isBefore), position)
    case .index(let node, let position):
      try compile(node, position)
      emit(.changeIndex(by: amount, isBefore: isBefore), position)
    }
  }

  /// Emits code for all steps of a path except the last step, which is the target of the
  /// assignment.
  private mutating func compile(
    container target: ArcadeNode, _ position: ArcadePosition
  ) throws(ExpressionError) -> ArcadeStep? {
    switch target {
    case .global(let name, let position):
      throw position.error("\(name) is a global and cannot be set")
    case .path(let base, let steps):
      if case .global(let name, let position) = base, steps.count == 1 {
        throw position.error("\(name) is a global and cannot be changed")
      }
      guard let last = steps.last else { return nil }
      if steps.count == 1 {
        try compile(base, position)
      } else {
        try compile(base, steps.dropLast(), position)
      }
      return last
    default: return nil
    }
  }
}
