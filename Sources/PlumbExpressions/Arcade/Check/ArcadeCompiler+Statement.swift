extension ArcadeCompiler {
  /// Statements of which the last one leaves its value, null when it has none.
  mutating func compile(
    last statements: [ArcadeStatement], _ place: ArcadePlace
  ) throws(ExpressionError) {
    for statement in statements.dropLast() { try compile(statement) }
    guard let last = statements.last else { return emit(ArcadeConstant.null, place) }
    try compile(last: last, place)
  }

  private mutating func compile(
    last statement: ArcadeStatement, _ place: ArcadePlace
  ) throws(ExpressionError) {
    switch statement {
    case .expression(let node, let place): try compile(node, place)
    case .block(let statements): try compile(last: statements, place)
    case .condition(let branches, let otherwise):
      try compile(branches, otherwise, place, isLast: true)
    default:
      try compile(statement)
      emit(ArcadeConstant.null, place)
    }
  }

  /// A statement that leaves nothing.
  mutating func compile(_ statement: ArcadeStatement) throws(ExpressionError) {
    switch statement {
    case .variables(let variables): try compile(variables)
    case .function(let declaration):
      throw declaration.place.error("a function can only be declared outside of all others")
    case .condition(let branches, let otherwise):
      try compile(
        branches, otherwise, branches.first?.place ?? ArcadePlace(line: 1, column: 1),
        isLast: false)
    case .forLoop(let start, let test, let step, let body, let place):
      try compile(loop: start, test, step, body, place)
    case .forEach(let each, let body): try compile(each, body)
    case .whileLoop(let test, let body, let place):
      try compile(loop: nil, test, nil, body, place)
    case .leave(let place):
      guard !loops.isEmpty else { throw place.error("break stands outside of all loops") }
      let hole = hole(place)
      loops[loops.count - 1].leaves.append(hole)
    case .next(let place):
      guard !loops.isEmpty else { throw place.error("continue stands outside of all loops") }
      let hole = hole(place)
      loops[loops.count - 1].nexts.append(hole)
    case .result(let node, let place):
      if let node { try compile(node, place) } else { emit(ArcadeConstant.null, place) }
      emit(.finish, place)
    case .block(let statements): for statement in statements { try compile(statement) }
    case .expression(let node, let place):
      try compile(node, place)
      emit(.pop, place)
    }
  }

  private mutating func compile(_ variables: [ArcadeVariable]) throws(ExpressionError) {
    for variable in variables {
      // The value cannot name the variable, unless it was there before.
      if let value = variable.value {
        try compile(value, variable.place)
      } else {
        emit(ArcadeConstant.null, variable.place)
      }
      emit(.store(declareVariable(variable)), variable.place)
      emit(.pop, variable.place)
    }
  }

  private mutating func compile(
    _ branches: [ArcadeBranch], _ otherwise: ArcadeStatement?, _ place: ArcadePlace, isLast: Bool
  ) throws(ExpressionError) {
    var ends: [Int] = []
    for branch in branches {
      try compile(branch.condition, branch.place)
      let test = hole(branch.place)
      if isLast {
        try compile(last: branch.body, branch.place)
      } else {
        try compile(branch.body)
      }
      ends.append(hole(branch.place))
      fill(test) { .jumpUnless($0) }
    }
    if isLast {
      if let otherwise {
        try compile(last: otherwise, place)
      } else {
        emit(ArcadeConstant.null, place)
      }
    } else if let otherwise {
      try compile(otherwise)
    }
    for end in ends { fill(end) { .jump($0) } }
  }

  // MARK: Loops

  private mutating func compile(
    loop start: ArcadeStatement?, _ test: ArcadeNode?, _ step: ArcadeNode?,
    _ body: ArcadeStatement, _ place: ArcadePlace
  ) throws(ExpressionError) {
    if let start { try compile(start) }
    let top = here
    emit(.turn, place)
    var exit: Int?
    if let test {
      try compile(test, place)
      exit = hole(place)
    }
    loops.append(Loop())
    try compile(body)
    let loop = loops.removeLast()
    for next in loop.nexts { fill(next) { .jump($0) } }
    if let step {
      try compile(step, place)
      emit(.pop, place)
    }
    emit(.jump(top), place)
    if let exit { fill(exit) { .jumpUnless($0) } }
    for leave in loop.leaves { fill(leave) { .jump($0) } }
  }

  private mutating func compile(
    _ each: ArcadeEach, _ body: ArcadeStatement
  ) throws(ExpressionError) {
    try compile(each.values, each.place)
    let state = hidden(3)
    emit(.beginEach(state, isOf: each.isOf), each.place)
    let top = here
    let exit = hole(each.place)
    if each.isDeclared {
      let variable = ArcadeVariable(name: each.name, value: nil, place: each.place)
      emit(.store(declareVariable(variable)), each.place)
    } else {
      try emitStore(each.name, each.place)
    }
    emit(.pop, each.place)
    loops.append(Loop())
    try compile(body)
    let loop = loops.removeLast()
    for next in loop.nexts { fill(next) { .jump($0) } }
    emit(.jump(top), each.place)
    fill(exit) { .nextEach(state, exit: $0) }
    for leave in loop.leaves { fill(leave) { .jump($0) } }
  }
}
