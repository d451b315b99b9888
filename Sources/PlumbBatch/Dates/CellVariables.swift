import PlumbCore
import PlumbExpressions
import PlumbLayers
import PlumbRaster
import PlumbSources

/// The bands of stacks that conditions on cells can use as variables.
struct CellVariables: Sendable {
  /// A band whose values a condition can use.
  struct Variable: Sendable {
    var stack: Int
    /// The position of the band among the bands that are read.
    var position: Int
    var band: Band
    /// The name, which is that of the band's column.
    var name: String
    /// Whether scale and offset apply to its values.
    var isScaled: Bool

    /// Whether values are integers that a signed 64-bit integer can represent.
    var isInteger: Bool {
      !band.pixelType.isFloatingPoint && band.pixelType != .uint64 && !isScaled
    }
  }

  private let variables: [Variable]

  /// - Parameter bands: the bands that are read, from 0; nil for all.
  init(of stacks: [DatedStack], bands: [Int]?, isScaled: Bool) {
    variables = stacks.enumerated().flatMap { index, stack in
      let request = stack.request(bands)
      let isNumbered = request.numbersBands && stack.raster.bands.count > 1
      return request.bands.enumerated().map { position, number in
        let band = stack.raster.bands[number]
        return Variable(
          stack: index, position: position, band: band,
          name: isNumbered ? "\(stack.name)_\(number + 1)" : stack.name,
          isScaled: isScaled && band.isScaled)
      }
    }
  }

  subscript(index: Int) -> Variable { variables[index] }

  /// The stacks that a condition uses, ascending.
  func stacks(of condition: CellCondition) -> [Int] {
    Array(Set(condition.usedVariables.map { variables[$0].stack })).sorted()
  }

  /// - Throws: for an invalid condition.
  func compile(_ text: String) throws(PlumbError) -> CellCondition {
    do {
      let condition = try CellCondition(
        text,
        variables: variables.map {
          CellCondition.Variable(name: $0.name, isInteger: $0.isInteger)
        })
      for index in condition.usedVariables where variables[index].band.pixelType.isComplex {
        throw PlumbError("\(variables[index].name.printable) is complex")
      }
      return condition
    } catch {
      var fault = PlumbError("\(.valid)", error)
      fault.code = .badCondition
      throw fault
    }
  }
}

/// The values of a variable at some cells.
struct CellInput: Sendable {
  /// The index of the variable.
  var variable: Int
  var column: ValueColumn
  /// The band whose scale and offset apply; nil for stored values.
  var scaling: Band?
  /// Whether the variable is an integer, regardless of the column's type.
  var isInteger: Bool

  init(_ index: Int, _ variable: CellVariables.Variable, _ column: ValueColumn) {
    (self.variable, self.column) = (index, column)
    scaling = variable.isScaled ? variable.band : nil
    isInteger = variable.isInteger
  }
}

/// Evaluates a condition at many cells, on all workers.
final class CellMask {
  private let evaluators: WorkerStates<CellEvaluator>
  private let workers: Workers

  init(_ condition: CellCondition, workers: Workers) {
    self.workers = workers
    evaluators = WorkerStates(count: workers.count) { CellEvaluator(condition) }
  }

  /// The truth of the condition at each cell.
  func truths(_ inputs: [CellInput], count: Int) -> TrivialBuffer<UInt8> {
    let truths = TrivialBuffer<UInt8>(count: count)
    workers.runRanges(count, grain: CellEvaluator.blockSize * 16) { [evaluators] worker, range in
      var start = range.lowerBound
      while start < range.upperBound {
        let size = min(CellEvaluator.blockSize, range.upperBound - start)
        let result = evaluators[worker].evaluate(count: size) { variable, target in
          guard let input = inputs.first(where: { $0.variable == variable }) else { return }
          input.column.load(start..<start + size, &target, input)
        }
        for index in 0..<size { truths.base[start + index] = result[index] }
        start += size
      }
    }
    return truths
  }
}

extension ValueColumn {
  /// Copies values to the memory of a variable.
  ///
  /// The files of a stack may have several types, so the type of this column may differ from that
  /// of the variable.
  fileprivate func load(
    _ rows: Range<Int>, _ target: inout CellEvaluator.Block, _ input: CellInput
  ) {
    let ok = SampleStatus.ok.rawValue
    let (status, count) = (status.base + rows.lowerBound, rows.count)
    for index in 0..<count { target.nulls[index] = status[index] != ok }
    func integers<Value: FixedWidthInteger>(_ type: Value.Type) {
      let values = bytes.assumingMemoryBound(to: type) + rows.lowerBound
      guard input.isInteger else {
        for index in 0..<count { target.reals[index] = Double(values[index]) }
        return
      }
      for index in 0..<count { target.integers[index] = Int64(truncatingIfNeeded: values[index]) }
    }
    func reals<Value>(_ type: Value.Type, _ number: (Value) -> Double) {
      let values = bytes.assumingMemoryBound(to: type) + rows.lowerBound
      for index in 0..<count { target.reals[index] = number(values[index]) }
    }
    if let band = input.scaling {
      for index in 0..<count {
        target.reals[index] = self[rows.lowerBound + index].flatMap { band.scaled($0) } ?? .nan
        target.nulls[index] = target.nulls[index] || target.reals[index].isNaN
      }
      return
    }
    switch pixelType {
    case .uint8: integers(UInt8.self)
    case .int8: integers(Int8.self)
    case .uint16: integers(UInt16.self)
    case .int16: integers(Int16.self)
    case .uint32: integers(UInt32.self)
    case .int32: integers(Int32.self)
    case .int64: integers(Int64.self)
    case .uint64: reals(UInt64.self) { Double($0) }
    case .float32: reals(Float.self) { Double($0) }
    case .float64: reals(Double.self) { $0 }
    // The compiler of conditions rejects complex bands.
    case .complexInt16, .complexInt32, .complexFloat32, .complexFloat64:
      for index in 0..<count { target.nulls[index] = true }
    }
  }
}
