/// The truth of a condition for a cell.
package enum CellTruth {
  // Stored properties would be initialized lazily, which costs a check at each use.
  package static var no: UInt8 { 0 }
  package static var yes: UInt8 { 1 }
  package static var unknown: UInt8 { 2 }
}

/// Evaluates a condition on blocks of cells. Only one thread at a time may use it.
package final class CellEvaluator {
  /// The maximum number of cells of a block.
  package static let blockSize = 512

  /// The values of a block of cells.
  package struct Block {
    /// The values of a variable with integers.
    package var integers: [Int64]
    /// The values of other variables.
    package var reals: [Double]
    /// Whether a cell has no value.
    package var nulls: [Bool]
  }

  private let condition: CellCondition
  private var registers: [Block]
  private var truths: [[UInt8]]

  package init(_ condition: CellCondition) {
    self.condition = condition
    let block = Block(
      integers: Array(repeating: 0, count: Self.blockSize),
      reals: Array(repeating: 0, count: Self.blockSize),
      nulls: Array(repeating: true, count: Self.blockSize))
    registers = Array(repeating: block, count: condition.valueCount)
    let truth = Array(repeating: CellTruth.no, count: Self.blockSize)
    truths = Array(repeating: truth, count: condition.truthCount)
  }

  /// Evaluates the condition for a block of cells.
  ///
  /// - Parameters:
  ///   - count: the number of cells, at most `blockSize`.
  ///   - load: sets the values of a variable, by its index.
  /// - Returns: the truth of each cell, followed by unused elements.
  package func evaluate(
    count: Int, _ load: (_ variable: Int, inout Block) -> Void
  ) -> [UInt8] {
    precondition(count <= Self.blockSize, "a block has at most \(Self.blockSize) cells")
    for step in condition.steps { perform(step, count, load) }
    return truths[condition.result]
  }

  private func perform(_ step: CellStep, _ count: Int, _ load: (Int, inout Block) -> Void) {
    switch step {
    case .load(let variable, let to): load(variable, &registers[to])
    case .integer(let value, let to): setIntegers(to, count) { _ in value }
    case .real(let value, let to): setReals(to, count) { _ in value }
    case .null(let to): setNulls(to, count) { _ in true }
    case .convert(let from, let to):
      let source = registers[from].integers
      setReals(to, count) { Double(source[$0]) }
      copyNulls(from, to, count)
    case .integral(let from, let to):
      let source = registers[from].reals
      setIntegers(to, count) { Int64(exactly: source[$0]) ?? 0 }
      setNulls(to, count) { Int64(exactly: source[$0]) == nil }
      copyNulls(from, to, count)
    case .integers(let sign, let a, let b, let to): arithmetic(sign, integers: a, b, to, count)
    case .reals(let sign, let a, let b, let to): arithmetic(sign, reals: a, b, to, count)
    case .integerFunction(let function, let from, let to):
      apply(function, integers: from, to, count)
    case .realFunction(let function, let from, let to): apply(function, reals: from, to, count)
    case .compareIntegers(let comparison, let a, let b, let to):
      compare(comparison, registers[a].integers, registers[b].integers, a, b, to, count)
    case .compareReals(let comparison, let a, let b, let to):
      compare(comparison, registers[a].reals, registers[b].reals, a, b, to, count)
    case .member(let from, let list, let to): member(from, list, to, count)
    case .isNull(let from, let to):
      let nulls = registers[from].nulls
      setTruths(to, count) { nulls[$0] ? CellTruth.yes : CellTruth.no }
    case .constant(let value, let to): setTruths(to, count) { _ in value }
    case .not(let from, let to):
      let source = truths[from]
      setTruths(to, count) { source[$0] == CellTruth.unknown ? source[$0] : 1 - source[$0] }
    case .and(let a, let b, let to):
      let (first, second) = (truths[a], truths[b])
      setTruths(to, count) { index in
        let (x, y) = (first[index], second[index])
        return x == CellTruth.no || y == CellTruth.no ? CellTruth.no : max(x, y)
      }
    case .or(let a, let b, let to):
      let (first, second) = (truths[a], truths[b])
      setTruths(to, count) { index in
        let (x, y) = (first[index], second[index])
        return x == CellTruth.yes || y == CellTruth.yes ? CellTruth.yes : max(x, y)
      }
    }
  }

  // MARK: Registers

  // Each register is written by only one step, so a step never reads the register that it writes.

  /// Changes the elements of a register. The array is moved to a local variable, so that the loop
  /// in `body` does not test for each element whether the array is shared.
  @inline(__always)
  private func change<Element>(_ place: inout [Element], _ body: (inout [Element]) -> Void) {
    var elements: [Element] = []
    swap(&elements, &place)
    body(&elements)
    swap(&elements, &place)
  }

  /// Sets the integers of a register, which are not NULL.
  @inline(__always)
  private func setIntegers(_ to: Int, _ count: Int, _ value: (Int) -> Int64) {
    change(&registers[to].integers) { target in
      for index in 0..<count { target[index] = value(index) }
    }
    setNulls(to, count) { _ in false }
  }

  /// Sets the doubles of a register; NaN is NULL.
  @inline(__always)
  private func setReals(_ to: Int, _ count: Int, _ value: (Int) -> Double) {
    change(&registers[to].reals) { target in
      for index in 0..<count { target[index] = value(index) }
    }
    let values = registers[to].reals
    setNulls(to, count) { values[$0].isNaN }
  }

  @inline(__always)
  private func setNulls(_ to: Int, _ count: Int, _ value: (Int) -> Bool) {
    change(&registers[to].nulls) { target in
      for index in 0..<count { target[index] = value(index) }
    }
  }

  @inline(__always)
  private func setTruths(_ to: Int, _ count: Int, _ value: (Int) -> UInt8) {
    change(&truths[to]) { target in
      for index in 0..<count { target[index] = value(index) }
    }
  }

  /// Sets the cells of a register to NULL where the source register is NULL.
  private func copyNulls(_ from: Int, _ to: Int, _ count: Int) {
    let source = registers[from].nulls
    change(&registers[to].nulls) { target in
      for index in 0..<count { target[index] = target[index] || source[index] }
    }
  }

  // MARK: Arithmetic

  private func arithmetic(_ sign: SQLSign, integers a: Int, _ b: Int, _ to: Int, _ count: Int) {
    let (x, y) = (registers[a].integers, registers[b].integers)
    switch sign {
    case .bitAnd: setIntegers(to, count) { x[$0] & y[$0] }
    case .bitOr: setIntegers(to, count) { x[$0] | y[$0] }
    case .bitXor: setIntegers(to, count) { x[$0] ^ y[$0] }
    case .shiftLeft, .shiftRight:
      setIntegers(to, count) { sign == .shiftLeft ? x[$0] << y[$0] : x[$0] >> y[$0] }
      setNulls(to, count) { y[$0] < 0 }
    case .remainder:
      func isInvalid(_ index: Int) -> Bool { y[index] == 0 || y[index] == -1 && x[index] == .min }
      setIntegers(to, count) { index in
        x[index] % (isInvalid(index) ? 1 : y[index])
      }
      setNulls(to, count) { isInvalid($0) }
    default:
      for index in 0..<count {
        let (value, isOver) =
          switch sign {
          case .plus: x[index].addingReportingOverflow(y[index])
          case .minus: x[index].subtractingReportingOverflow(y[index])
          default: x[index].multipliedReportingOverflow(by: y[index])
          }
        registers[to].integers[index] = value
        registers[to].nulls[index] = isOver
      }
    }
    copyNulls(a, to, count)
    copyNulls(b, to, count)
  }

  private func arithmetic(_ sign: SQLSign, reals a: Int, _ b: Int, _ to: Int, _ count: Int) {
    let (x, y) = (registers[a].reals, registers[b].reals)
    setReals(to, count) { index in
      switch sign {
      case .plus: x[index] + y[index]
      case .minus: x[index] - y[index]
      case .times: x[index] * y[index]
      case .divided: y[index] == 0 ? .nan : x[index] / y[index]
      default: y[index] == 0 ? .nan : x[index].truncatingRemainder(dividingBy: y[index])
      }
    }
    copyNulls(a, to, count)
    copyNulls(b, to, count)
  }

  private func apply(
    _ function: CellStep.Function, integers from: Int, _ to: Int, _ count: Int
  ) {
    let source = registers[from].integers
    setIntegers(to, count) { index in
      switch function {
      case .negated: 0 &- source[index]
      case .absolute: source[index] < 0 ? 0 &- source[index] : source[index]
      case .sign: source[index].signum()
      case .floor, .ceiling, .root: source[index]
      }
    }
    if function == .negated || function == .absolute {
      // The negation of the least 64-bit integer cannot be represented.
      setNulls(to, count) { source[$0] == .min }
    }
    copyNulls(from, to, count)
  }

  private func apply(_ function: CellStep.Function, reals from: Int, _ to: Int, _ count: Int) {
    let source = registers[from].reals
    setReals(to, count) { index in
      switch function {
      case .negated: -source[index]
      case .absolute: abs(source[index])
      case .sign: source[index] > 0 ? 1 : source[index] < 0 ? -1 : 0
      case .floor: source[index].rounded(.down)
      case .ceiling: source[index].rounded(.up)
      case .root: source[index].squareRoot()
      }
    }
    copyNulls(from, to, count)
  }

  // MARK: Comparisons

  private func compare<Value: Comparable>(
    _ comparison: SQLComparison, _ x: [Value], _ y: [Value], _ a: Int, _ b: Int, _ to: Int,
    _ count: Int
  ) {
    let (xNulls, yNulls) = (registers[a].nulls, registers[b].nulls)
    @inline(__always)
    func fill(_ isTrue: (Value, Value) -> Bool) {
      setTruths(to, count) { index in
        xNulls[index] || yNulls[index]
          ? CellTruth.unknown : isTrue(x[index], y[index]) ? CellTruth.yes : CellTruth.no
      }
    }
    switch comparison {
    case .equal: fill { $0 == $1 }
    case .notEqual: fill { $0 != $1 }
    case .less: fill { $0 < $1 }
    case .lessOrEqual: fill { $0 <= $1 }
    case .greater: fill { $0 > $1 }
    case .greaterOrEqual: fill { $0 >= $1 }
    }
  }

  private func member(_ from: Int, _ list: [Int64], _ to: Int, _ count: Int) {
    let (source, nulls) = (registers[from].integers, registers[from].nulls)
    setTruths(to, count) { index in
      if nulls[index] { return CellTruth.unknown }
      var (low, high) = (0, list.count)
      while low < high {
        let middle = (low + high) / 2
        if list[middle] < source[index] { low = middle + 1 } else { high = middle }
      }
      return low < list.count && list[low] == source[index] ? CellTruth.yes : CellTruth.no
    }
  }
}
