extension ArcadeCompiler {
  /// Emits code that runs statements and pushes the value of the last statement, or null if the
  /// statement has no value.
  mutating func compile(
    last statements: [ArcadeStatement], _ position: ArcadePosition
  ) throws(ExpressionError) {
    for statement in statements.dropLast() { try compile(statement) }
    guard let last = statements.last else { return emit(ArcadeConstant.null, position) }
    try compile(last: last, position)
  }

  private mutating func compile(
    last statement: ArcadeStatement, _ position: ArcadePosition
  ) throws(ExpressionError) {
    switch statement {
    case .expression(let node, let position): try compile(node, position)
    case .block(let statements): try compile(last: statements, position)
    case .condition(let branches, let otherwise):
      try compile(branches, otherwise, position, isLast: true)
    default:
      try compile(statement)
      emit(ArcadeConstant.null, position)
    }
  }

  /// Emits code that runs a statement and pushes nothing.
  mutating func compile(_ statement: ArcadeStatement) throws(ExpressionError) {
    switch statement {
    case .variables(let variables): try compile(variables)
    case .function(let declaration):
      throw declaration.position.error("a function can only be declared outside of other functions")
    case .condition(let branches, let otherwise):
      try compile(
        branches, otherwise, branches.first?.position ?? ArcadePosition(line: 1, column: 1),
        isLast: false)
    case .forLoop(let start, let test, let step, let body, let position):
      try compile(loop: start, test, step, body, position)
    case .forEach(let each, let body): try compile(each, body)
    case .whileLoop(let test, let body, let position):
      try compile(loop: nil, test, nil, body, position)
    case .leave(let position):
      guard !loops.isEmpty else { throw position.error("break is outside of a loop") }
      let hole = hole(position)
      loops[loops.count - 1].leaves.append(hole)
    case .next(let position):
      guard !loops.isEmpty else { throw position.error("continue is outside of a loop") }
      let hole = hole(position)
      loops[loops.count - 1].nexts.append(hole)
    case .result(let node, let position):
      if let node { try compile(node, position) } else { emit(ArcadeConstant.null, position) }
      emit(.finish, position)
    case .block(let statements): for statement in statements { try compile(statement) }
    case .expression(let node, let position):
      try compile(node, position)
      emit(.pop, position)
    }
  }

  private mutating func compile(_ variables: [ArcadeVariable]) throws(ExpressionError) {
    for variable in variables {
      // The value is compiled before the variable is declared, so it can refer only to an earlier
      // variable of the same name.
      if let value = variable.value {
        try compile(value, variable.position)
      } else {
        emit(ArcadeConstant.null, variable.position)
      }
      emit(.store(declareVariable(variable.name)), variable.position)
      emit(.pop, variable.position)
    }
  }

  private mutating func compile(
    _ branches: [ArcadeBranch], _ otherwise: ArcadeStatement?, _ position: ArcadePosition,
    isLast: Bool
  ) throws(ExpressionError) {
    var ends: [Int] = []
    for branch in branches {
      try compile(branch.condition, branch.position)
      let test = hole(branch.position)
      if isLast {
        try compile(last: branch.body, branch.position)
      } else {
        try compile(branch.body)
      }
      ends.append(hole(branch.position))
      fill(test) { .jumpUnless($0) }
    }
    if isLast {
      if let otherwise {
        try compile(last: otherwise, position)
      } else {
        emit(ArcadeConstant.null, position)
      }
    } else if let otherwise {
      try compile(otherwise)
    }
    for end in ends { fill(end) { .jump($0) } }
  }

  // MARK: Loops

  private mutating func compile(
    loop start: ArcadeStatement?, _ test: ArcadeNode?, _ step: ArcadeNode?,
    _ body: ArcadeStatement, _ position: ArcadePosition
  ) throws(ExpressionError) {
    if let start { try compile(start) }
    let top = nextIndex
    emit(.turn, position)
    var exit: Int?
    if let test {
      try compile(test, position)
      exit = hole(position)
    }
    loops.append(Loop())
    try compile(body)
    let loop = loops.removeLast()
    for next in loop.nexts { fill(next) { .jump($0) } }
    if let step {
      try compile(step, position)
      emit(.pop, position)
    }
    emit(.jump(top), position)
    if let exit { fill(exit) { .jumpUnless($0) } }
    for leave in loop.leaves { fill(leave) { .jump($0) } }
  }

  private mutating func compile(
    _ each: ArcadeEach, _ body: ArcadeStatement
  ) throws(ExpressionError) {
    try compile(each.values, each.position)
    let state = hidden(3)
    emit(.beginEach(state, isOf: each.isOf), each.position)
    let top = nextIndex
    let exit = hole(each.position)
    if each.isDeclared {
      let variable = ArcadeVariable(name: each.name, value: nil, position: each.position)
      emit(.store(declareVariable(variable.name)), each.position)
    } else {
      try emitStore(each.name, each.position)
    }
    emit(.pop, each.position)
    loops.append(Loop())
    try compile(body)
    let loop = loops.removeLast()
    for next in loop.nexts { fill(next) { .jump($0) } }
    emit(.jump(top), each.position)
    fill(exit) { .nextEach(state, exit: $0) }
    for leave in loop.leaves { fill(leave) { .jump($0) } }
  }
}
