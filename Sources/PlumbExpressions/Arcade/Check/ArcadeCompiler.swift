import PlumbCore

/// Resolves the names of a program, checks it, and compiles it.
struct ArcadeCompiler {
  /// The variables of the program or of a function.
  struct Scope {
    var slots: [String: Int32] = [:]
    /// The names as written, for suggestions.
    var names: [String] = []
    var count: Int32 = 0

    mutating func slot(_ name: String) -> Int32 {
      let key = name.lowercased()
      if let slot = slots[key] { return slot }
      slots[key] = count
      names.append(name)
      count += 1
      return count - 1
    }

    mutating func hidden(_ number: Int32) -> Int32 {
      count += number
      return count - number
    }
  }

  /// The jumps of a loop whose targets are not known yet.
  struct Loop {
    var leaves: [Int] = []
    var nexts: [Int] = []
  }

  var code = ArcadeCode()
  /// The program's variables.
  var outer = Scope()
  /// The variables of the current function; nil outside of functions.
  var inner: Scope?
  var loops: [Loop] = []
  private var functionSlots: [String: Int32] = [:]
  private var memberSlots: [String: Int32] = [:]
  private var declaredSlots: [String: Int32] = [:]
  private var globalSlots: [String: Int] = [:]

  /// - Throws: an error with its position for unknown names and functions, wrong numbers of arguments, and
  ///   misplaced statements.
  static func code(
    _ statements: [ArcadeStatement], globals: [String]
  ) throws(ExpressionError) -> ArcadeCode {
    var compiler = ArcadeCompiler()
    compiler.code.globals = globals
    for (index, name) in globals.enumerated() { compiler.globalSlots[name.lowercased()] = index }
    var declarations: [ArcadeDeclaration] = []
    for case .function(let declaration) in statements {
      try compiler.declare(declaration)
      declarations.append(declaration)
    }
    try compiler.body(
      statements.filter { if case .function = $0 { false } else { true } },
      ArcadePosition(line: 1, column: 1))
    for (index, declaration) in declarations.enumerated() {
      try compiler.compile(declaration, index)
    }
    compiler.code.variables = Int(compiler.outer.count)
    return compiler.code
  }

  // MARK: Functions

  private mutating func declare(_ declaration: ArcadeDeclaration) throws(ExpressionError) {
    let key = declaration.name.lowercased()
    guard declaredSlots[key] == nil else {
      throw declaration.position.error("the function \(declaration.name) is declared twice")
    }
    declaredSlots[key] = Int32(code.declared.count)
    code.declared.append(
      .init(name: declaration.name, parameters: declaration.parameters.count))
  }

  private mutating func compile(
    _ declaration: ArcadeDeclaration, _ index: Int
  ) throws(ExpressionError) {
    var scope = Scope()
    for parameter in declaration.parameters {
      guard scope.slots[parameter.name.lowercased()] == nil else {
        throw parameter.position.error("the parameter \(parameter.name) is declared twice")
      }
      _ = scope.slot(parameter.name)
    }
    inner = scope
    code.declared[index].start = code.operations.count
    try body(declaration.body, declaration.position)
    code.declared[index].variables = Int(inner?.count ?? 0)
    inner = nil
  }

  /// Emits code for statements. The value of the last statement is the result.
  private mutating func body(
    _ statements: [ArcadeStatement], _ position: ArcadePosition
  ) throws(ExpressionError) {
    try compile(last: statements, position)
    emit(.finish, position)
  }

  // MARK: Code

  mutating func emit(_ operation: ArcadeOperation, _ position: ArcadePosition) {
    code.operations.append(operation)
    code.positions.append(position)
  }

  /// Emits a jump whose target is set later.
  mutating func hole(_ position: ArcadePosition) -> Int {
    emit(.jump(-1), position)
    return code.operations.count - 1
  }

  var nextIndex: Int32 { Int32(code.operations.count) }

  mutating func fill(_ hole: Int, _ operation: (Int32) -> ArcadeOperation) {
    code.operations[hole] = operation(nextIndex)
  }

  mutating func emit(_ constant: ArcadeConstant, _ position: ArcadePosition) {
    emit(.constant(Int32(code.constants.count)), position)
    code.constants.append(constant)
  }

  mutating func member(_ name: String) -> Int32 {
    let key = name.lowercased()
    if let slot = memberSlots[key] { return slot }
    memberSlots[key] = Int32(code.members.count)
    code.members.append(name)
    return Int32(code.members.count - 1)
  }

  mutating func builtIn(_ function: ArcadeFunction) -> Int32 {
    if let slot = functionSlots[function.name] { return slot }
    functionSlots[function.name] = Int32(code.functions.count)
    code.functions.append(function)
    return Int32(code.functions.count - 1)
  }

  // MARK: Names

  enum Meaning {
    case local(Int32)
    case outer(Int32)
    case declared(Int32)
    case builtIn(ArcadeFunction)
    case constant(Double)
  }

  func meaning(_ name: String) -> Meaning? {
    let key = name.lowercased()
    if let inner {
      if let slot = inner.slots[key] { return .local(slot) }
      if let slot = outer.slots[key] { return .outer(slot) }
    } else if let slot = outer.slots[key] {
      return .local(slot)
    }
    if let index = declaredSlots[key] { return .declared(index) }
    switch key {
    case "pi": return .constant(.pi)
    case "infinity": return .constant(.infinity)
    case "nan": return .constant(.nan)
    default: return ArcadeFunction.named(name).map { .builtIn($0) }
    }
  }

  /// The index of the function that the program declares with a name; nil if it declares no such
  /// function.
  func declared(_ name: String) -> Int32? { declaredSlots[name.lowercased()] }

  func unknown(_ name: String, _ position: ArcadePosition) -> ExpressionError {
    let globals = code.globals.filter { $0.dropFirst().lowercased() == name.lowercased() }
    if let global = globals.first {
      return position.error("the name \(name.shown) is unknown; did you mean \(global.printable)?")
    }
    let names = (inner?.names ?? []) + outer.names + code.declared.map(\.name) + ["PI", "Infinity"]
    return position.error(
      "the name \(name.shown) is unknown" + NameSuggestions.hint(name, among: names))
  }

  mutating func global(_ name: String, _ position: ArcadePosition) throws(ExpressionError) -> Int32
  {
    guard let slot = globalSlots[name.lowercased()] else {
      throw position.error(
        "there is no global \(name.shown)" + NameSuggestions.advice(name, among: code.globals))
    }
    code.usedGlobals.insert(slot)
    return Int32(slot)
  }

  /// Declares a variable. The variable may have the same name as a function. A call of this name
  /// then calls the variable's value if the value is a function, and otherwise the function.
  mutating func declareVariable(_ name: String) -> Int32 {
    if inner != nil { return inner?.slot(name) ?? 0 }
    return outer.slot(name)
  }

  mutating func hidden(_ count: Int32) -> Int32 {
    if inner != nil { return inner?.hidden(count) ?? 0 }
    return outer.hidden(count)
  }
}
