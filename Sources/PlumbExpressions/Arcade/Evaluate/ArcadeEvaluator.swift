/// Evaluates a program repeatedly on one thread, and reuses its stack.
public final class ArcadeEvaluator {
  let code: ArcadeCode
  private let limits: ArcadeLimits
  private let constants: [ArcadeValue]
  // Exclusivity is not checked at run time, because the checks would take a quarter of a short expression's
  // time. No access to these properties spans a call that may access them again.
  @safe @exclusivity(unchecked) private var stack: [ArcadeValue] = []
  @safe @exclusivity(unchecked) private var frames: [Frame] = []
  @safe @exclusivity(unchecked) private var inputs: [ArcadeValue] = []
  /// The position at which each member was last found.
  @safe @exclusivity(unchecked) var found: [(fields: ArcadeFields, position: Int)?]
  @safe @exclusivity(unchecked) var remainingSteps = 0
  @safe @exclusivity(unchecked) var remainingBytes = 0
  let patterns: ArcadePatterns? = ArcadePatterns()
  /// Receives each message of `Console`; nil to ignore messages.
  public var console: ((String) -> Void)?
  private var moment = ArcadeDate(milliseconds: 0)
  /// The number of built-in functions that wait for a callback.
  private var reentries = 0
  /// An error that already has its position, while it propagates through a built-in function.
  private var locatedError: ExpressionError?

  /// The maximum number of nested callbacks of functions such as Map. It is limited because each
  /// callback uses the thread's stack.
  private static let reentryLimit = 16

  private struct Frame {
    /// The index of the next operation.
    var next: Int
    var base: Int
  }

  /// Creates an evaluator of a program.
  public init(_ program: ArcadeProgram, limits: ArcadeLimits = ArcadeLimits()) {
    code = program.code
    self.limits = limits
    constants = program.code.constants.map { constant in
      switch constant {
      case .null: .null
      case .boolean(let boolean): .boolean(boolean)
      case .number(let number): .number(number)
      case .text(let text): .text(text)
      case .builtIn(let function):
        .function(ArcadeCallable(name: function.name, target: .builtIn(function)))
      case .declared(let name, let index):
        .function(ArcadeCallable(name: name, target: .declared(index)))
      }
    }
    found = Array(repeating: nil, count: program.code.members.count)
  }

  /// Evaluates the program.
  ///
  /// - Parameters:
  ///   - globals: one value per global, in the order of the program's globals.
  ///   - now: the current time.
  /// - Throws: an error with its line and column, for example for a missing attribute, a condition
  ///   that is not a boolean, an index out of range or an exhausted budget.
  public func evaluate(
    _ globals: [ArcadeValue], now: ArcadeDate
  ) throws(ExpressionError) -> ArcadeValue {
    guard globals.count == code.globals.count else {
      throw ExpressionError(
        "the expression takes \(code.globals.count) globals, not \(globals.count)")
    }
    inputs = globals
    moment = now
    remainingSteps = limits.steps
    remainingBytes = limits.bytes
    reentries = 0
    locatedError = nil
    for _ in 0..<code.variables { stack.append(.null) }
    defer {
      stack.removeAll(keepingCapacity: stack.capacity <= 4096)
      frames.removeAll(keepingCapacity: true)
      inputs = []
    }
    return try run(from: 0, base: 0)
  }

  // MARK: The machine

  /// Runs the code from an operation to the end of its function.
  private func run(from start: Int, base firstBase: Int) throws(ExpressionError) -> ArcadeValue {
    var next = start
    var base = firstBase
    let floor = frames.count
    do throws(ArcadeFailure) {
      while true {
        let operation = code.operations[next]
        next += 1
        switch operation {
        case .constant(let index): stack.append(constants[Int(index)])
        case .load(let slot): stack.append(stack[base + Int(slot)])
        case .loadOuter(let slot): stack.append(stack[Int(slot)])
        case .input(let index): stack.append(inputs[Int(index)])
        case .inputMember(let index, let member):
          stack.append(try value(of: Int(member), in: inputs[Int(index)]))
        case .store(let slot): stack[base + Int(slot)] = stack[stack.count - 1]
        case .storeOuter(let slot): stack[Int(slot)] = stack[stack.count - 1]
        case .pop: stack.removeLast()
        case .duplicate(let count):
          for _ in 0..<count { stack.append(stack[stack.count - Int(count)]) }
        case .binary(let sign): try combine(sign)
        case .addMore: try addMore()
        case .jump(let target): next = Int(target)
        case .jumpUnless(let target):
          guard case .boolean(let boolean) = stack.removeLast() else { throw Self.noBoolean }
          if !boolean { next = Int(target) }
        case .jumpKeepingFalse(let target): if try keeps(false) { next = Int(target) }
        case .jumpKeepingTrue(let target): if try keeps(true) { next = Int(target) }
        case .turn: try spend(steps: 1, bytes: 0)
        case .nextEach(let state, let exit):
          try spend(steps: 1, bytes: 0)
          if !nextEach(base + Int(state)) { next = Int(exit) }
        case .call(let index, let count): try call(code.functions[Int(index)], Int(count))
        case .callDeclared(let index, let count):
          frames.append(Frame(next: next, base: base))
          base = stack.count - Int(count)
          next = try enter(Int(index))
        case .callValue(let orElse, let count):
          let position = stack.count - Int(count) - 1
          if let index = try declared(at: position, orElse: Int(orElse), Int(count)) {
            stack.remove(at: position)
            frames.append(Frame(next: next, base: base))
            base = position
            next = try enter(index)
          } else {
            try callBuiltIn(at: position, orElse: Int(orElse), Int(count))
          }
        case .finish:
          let result = stack.removeLast()
          stack.removeSubrange(base...)
          if frames.count == floor { return result }
          let frame = frames.removeLast()
          (next, base) = (frame.next, frame.base)
          stack.append(result)
        case .jumpUnlessEqual(let target): if !dropsEqual() { next = Int(target) }
        case .jumpUnlessEmpty(let target):
          if stack[stack.count - 1].isEmpty { stack.removeLast() } else { next = Int(target) }
        case .change(let slot, let isOuter, let amount, let isBefore):
          change((isOuter ? 0 : base) + Int(slot), by: Double(amount), isBefore)
        case .beginEach(let state, let isOf):
          try beginEach(base + Int(state), isOf: isOf)
        default: try build(operation)
        }
      }
    } catch {
      if let locatedError {
        self.locatedError = nil
        throw locatedError
      }
      throw code.positions[next - 1].error(error.message)
    }
  }

  // The following operations are inlined in the loop, so that an operation does not cost a call.

  /// Replaces the two values on top by the result of an operator.
  @inline(__always)
  private func combine(_ sign: ArcadeSign) throws(ArcadeFailure) {
    let right = stack.removeLast()
    let top = stack.count - 1
    if case .number(let a) = stack[top], case .number(let b) = right,
      let result = ArcadeOperator.value(sign, a, b)
    {
      stack[top] = result
    } else {
      stack[top] = try value(sign, stack[top], right)
    }
  }

  /// Returns whether the boolean on top of the stack is `wanted`. Otherwise, pops the boolean.
  @inline(__always)
  private func keeps(_ wanted: Bool) throws(ArcadeFailure) -> Bool {
    guard case .boolean(let boolean) = stack[stack.count - 1] else { throw Self.noBoolean }
    if boolean == wanted { return true }
    stack.removeLast()
    return false
  }

  /// Pops a value, and also the value below if both are equal. Returns whether they are equal.
  @inline(__always)
  private func dropsEqual() -> Bool {
    let value = stack.removeLast()
    guard value.isEqual(to: stack[stack.count - 1]) else { return false }
    stack.removeLast()
    return true
  }

  /// Adds to a variable, and pushes the new or the old value.
  @inline(__always)
  private func change(_ position: Int, by amount: Double, _ isBefore: Bool) {
    let old = stack[position].asNumber
    let new = old + amount
    stack[position] = .number(new)
    stack.append(.number(isBefore ? new : old))
  }

  private static let noBoolean = ArcadeFailure(
    "a condition must be true or false; use Boolean(value) for numbers and text")

  /// Runs operations that create values and access their parts.
  private func build(_ operation: ArcadeOperation) throws(ArcadeFailure) {
    let top = stack.count - 1
    switch operation {
    case .array(let count):
      let elements = try popLast(Int(count))
      stack.append(.array(ArcadeArray(elements)))
    case .dictionary(let index):
      let keys = code.keys[Int(index)]
      let values = try popLast(keys.count)
      let dictionary = ArcadeDictionary()
      for (key, value) in zip(keys, values) {
        try spend(steps: 1, bytes: key.utf8.count + 64)
        dictionary[key] = value
      }
      stack.append(.dictionary(dictionary))
    case .join(let count):
      var text = ""
      for value in stack[(stack.count - Int(count))...] {
        let piece = try self.text(of: value)
        try spend(steps: 0, bytes: piece.utf8.count)
        text += piece
      }
      stack.removeLast(Int(count))
      stack.append(.text(text))
    case .prefix(let sign): stack[top] = try ArcadeOperator.value(sign, stack[top])
    case .requireBoolean: guard case .boolean = stack[top] else { throw Self.noBoolean }
    case .member(let member): stack[top] = try value(of: Int(member), in: stack[top])
    case .index:
      let index = stack.removeLast()
      stack[top - 1] = try element(index, of: stack[top - 1])
    case .setMember(let member):
      let value = stack.removeLast()
      try set(.text(code.members[Int(member)]), of: stack[top - 1], to: value)
      stack[top - 1] = value
    case .setIndex:
      let value = stack.removeLast()
      let index = stack.removeLast()
      try set(index, of: stack[top - 2], to: value)
      stack[top - 2] = value
    case .changeMember(let member, let amount, let isBefore):
      let key = ArcadeValue.text(code.members[Int(member)])
      stack[top] = try change(key, of: stack[top], by: Double(amount), isBefore)
    case .changeIndex(let amount, let isBefore):
      let index = stack.removeLast()
      stack[top - 1] = try change(index, of: stack[top - 1], by: Double(amount), isBefore)
    default: break
    }
  }

  private func change(
    _ key: ArcadeValue, of container: ArcadeValue, by amount: Double, _ isBefore: Bool
  ) throws(ArcadeFailure) -> ArcadeValue {
    let old = try element(key, of: container).asNumber
    try set(key, of: container, to: .number(old + amount))
    return .number(isBefore ? old + amount : old)
  }

  /// Pops and returns the topmost values.
  private func popLast(_ count: Int) throws(ArcadeFailure) -> [ArcadeValue] {
    try spend(steps: count / 16, bytes: 48 + 16 * count)
    let values = Array(stack[(stack.count - count)...])
    stack.removeLast(count)
    return values
  }

  /// Adds the value on top to the value below. Only the stack references the value below, so text is
  /// appended in place.
  private func addMore() throws(ArcadeFailure) {
    let right = stack.removeLast()
    let top = stack.count - 1
    guard case .text(var left) = stack[top] else {
      stack[top] = try value(.plus, stack[top], right)
      return
    }
    // Releases the stack's reference, so that the text grows in place.
    stack[top] = .null
    let more = try text(of: right)
    try spend(steps: 0, bytes: more.utf8.count)
    left += more
    stack[top] = .text(left)
  }

  // MARK: Loops over values

  private func beginEach(_ state: Int, isOf: Bool) throws(ArcadeFailure) {
    let values = stack.removeLast()
    var isOf = isOf
    switch values {
    case .array(let array): stack[state] = .array(array)
    case .null: stack[state] = .array(ArcadeArray())
    default:
      let keys = try keys(of: values)
      stack[state] = .array(ArcadeArray(keys))
      isOf = true
    }
    stack[state + 1] = .number(0)
    stack[state + 2] = .boolean(isOf)
  }

  private func nextEach(_ state: Int) -> Bool {
    guard case .array(let array) = stack[state], case .number(let index) = stack[state + 1],
      Int(index) < array.elements.count
    else { return false }
    if case .boolean(true) = stack[state + 2] {
      stack.append(array.elements[Int(index)])
    } else {
      stack.append(.number(index))
    }
    stack[state + 1] = .number(index + 1)
    return true
  }

  // MARK: Calls

  /// Reserves a function's variables. The frame of the function already exists.
  private func enter(_ index: Int) throws(ArcadeFailure) -> Int {
    try spend(steps: 1, bytes: 0)
    guard frames.count + reentries <= limits.callDepth else {
      throw ArcadeFailure("function calls nest deeper than \(limits.callDepth) levels")
    }
    let declared = code.declared[index]
    for _ in declared.parameters..<max(declared.parameters, declared.variables) {
      stack.append(.null)
    }
    return declared.start
  }

  private func call(_ function: ArcadeFunction, _ count: Int) throws(ArcadeFailure) {
    try spend(steps: 1, bytes: 0)
    let values = Array(stack[(stack.count - count)...])
    stack.removeLast(count)
    stack.append(try function.body(ArcadeArguments(values, self)))
  }

  /// Returns the index of the program's function that is called; nil if the called value is a built-in
  /// function or is not a function.
  private func declared(
    at position: Int, orElse: Int, _ count: Int
  ) throws(ArcadeFailure) -> Int? {
    if case .function(let callable) = stack[position] {
      guard case .declared(let index) = callable.target else { return nil }
      try check(callable, count: count)
      return index
    }
    guard orElse < -1 else { return nil }
    let index = -2 - orElse
    let callable = ArcadeCallable(name: code.declared[index].name, target: .declared(index))
    try check(callable, count: count)
    return index
  }

  private func callBuiltIn(at position: Int, orElse: Int, _ count: Int) throws(ArcadeFailure) {
    let function: ArcadeFunction
    if case .function(let callable) = stack[position],
      case .builtIn(let target) = callable.target
    {
      try check(callable, count: count)
      function = target
    } else {
      guard orElse >= 0 else { throw ArcadeFailure("the called value is not a function") }
      function = code.functions[orElse]
    }
    try call(function, count)
    stack.remove(at: position)
  }

  private func check(_ callable: ArcadeCallable, count: Int) throws(ArcadeFailure) {
    let counts: ClosedRange<Int>
    switch callable.target {
    case .builtIn(let function): counts = function.counts
    case .declared(let index):
      guard code.declared.indices.contains(index) else {
        throw ArcadeFailure("\(callable.name) is a function of another program")
      }
      counts = code.declared[index].parameters...code.declared[index].parameters
    }
    guard counts.contains(count) else {
      throw ArcadeFailure(ArcadeCompiler.wrongCount(callable.name, counts, count))
    }
  }
}

extension ArcadeEvaluator: ArcadeContext {
  var now: ArcadeDate { moment }

  var hasConsole: Bool { console != nil }

  func log(_ message: String) { console?(message) }

  func spend(steps: Int, bytes: Int) throws(ArcadeFailure) {
    // The number of steps is clamped, so that the difference cannot overflow.
    remainingSteps -= min(steps, 1 << 60)
    remainingBytes -= min(bytes, 1 << 60)
    guard remainingSteps >= 0 else {
      remainingSteps = 0
      throw ArcadeFailure("the expression takes more than \(limits.steps) steps")
    }
    guard remainingBytes >= 0 else {
      remainingBytes = 0
      throw ArcadeFailure("the expression creates more than \(limits.bytes) bytes of values")
    }
  }

  func call(
    _ function: ArcadeCallable, _ values: [ArcadeValue]
  ) throws(ArcadeFailure) -> ArcadeValue {
    try check(function, count: values.count)
    reentries += 1
    defer { reentries -= 1 }
    guard reentries <= Self.reentryLimit else {
      throw ArcadeFailure("callbacks nest deeper than \(Self.reentryLimit) levels")
    }
    switch function.target {
    case .builtIn(let builtIn):
      try spend(steps: 1, bytes: 0)
      return try builtIn.body(ArcadeArguments(values, self))
    case .declared(let index):
      let (count, height) = (stack.count, frames.count)
      stack += values
      let start: Int
      do throws(ArcadeFailure) {
        start = try enter(index)
      } catch {
        stack.removeSubrange(count...)
        throw error
      }
      do throws(ExpressionError) {
        return try run(from: start, base: count)
      } catch {
        stack.removeSubrange(count...)
        frames.removeSubrange(height...)
        locatedError = error
        throw ArcadeFailure(error.message)
      }
    }
  }
}
