import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

/// Compares conditions on the values of cells with conditions on attributes and with Swift's
/// operators.
@Suite struct CellConditionTests {
  private static let variables = [
    CellCondition.Variable(name: "qa", isInteger: true),
    CellCondition.Variable(name: "evi", isInteger: false),
    CellCondition.Variable(name: "scl", isInteger: true),
  ]

  /// The values of the three variables of each cell; nil for a missing value.
  private typealias Cell = (qa: Int64?, evi: Double?, scl: Int64?)

  private func truths(_ text: String, _ cells: [Cell]) throws -> [UInt8] {
    let evaluator = CellEvaluator(try CellCondition(text, variables: Self.variables))
    var truths: [UInt8] = []
    var start = 0
    while start < cells.count {
      let block = cells[start..<min(cells.count, start + CellEvaluator.blockSize)]
      let result = evaluator.evaluate(count: block.count) { variable, target in
        for (index, cell) in block.enumerated() {
          switch variable {
          case 0: (target.integers[index], target.nulls[index]) = (cell.qa ?? 7, cell.qa == nil)
          case 1: (target.reals[index], target.nulls[index]) = (cell.evi ?? 7, cell.evi == nil)
          default: (target.integers[index], target.nulls[index]) = (cell.scl ?? 7, cell.scl == nil)
          }
        }
      }
      truths += result[..<block.count]
      start += block.count
    }
    return truths
  }

  private func cells(_ random: inout SeededGenerator, count: Int) -> [Cell] {
    (0..<count).map { _ in
      (
        Int.random(in: 0...9, using: &random) == 0 ? nil : .random(in: -9...70_000, using: &random),
        Int.random(in: 0...9, using: &random) == 0
          ? nil : Double(Int.random(in: -8...8, using: &random)) / 4,
        Int.random(in: 0...9, using: &random) == 0 ? nil : .random(in: 0...11, using: &random)
      )
    }
  }

  private func number(_ random: inout SeededGenerator, _ depth: Int) -> String {
    let leaves = ["qa", "evi", "scl", "2", "0.25", "-3", "11", "NULL"]
    guard depth > 0 else { return leaves.randomElement(using: &random)! }
    let (a, b) = (number(&random, depth - 1), number(&random, depth - 1))
    return switch Int.random(in: 0...9, using: &random) {
    case 0: "(\(a) + \(b))"
    case 1: "(\(a) - \(b))"
    case 2: "(\(a) * \(b))"
    // The quotient of two integers is an integer in conditions on attributes.
    case 3: "(1.0 * \(a) / \(b))"
    case 4: "(\(a) % \(b))"
    case 5: "ABS(\(a))"
    case 6: "SIGN(\(a))"
    case 7: "FLOOR(\(a))"
    case 8: "-(\(a))"
    default: leaves.randomElement(using: &random)!
    }
  }

  private func condition(_ random: inout SeededGenerator, _ depth: Int) -> String {
    func number() -> String { self.number(&random, Int.random(in: 0...2, using: &random)) }
    let sign = ["=", "<>", "<", "<=", ">", ">="].randomElement(using: &random)!
    guard depth > 0 else { return "\(number()) \(sign) \(number())" }
    return switch Int.random(in: 0...7, using: &random) {
    case 0: "(\(condition(&random, depth - 1)) AND \(condition(&random, depth - 1)))"
    case 1: "(\(condition(&random, depth - 1)) OR \(condition(&random, depth - 1)))"
    case 2: "NOT (\(condition(&random, depth - 1)))"
    case 3: "\(number()) IN (1, 2, 5, \(Int.random(in: 0...70_000, using: &random)))"
    case 4: "\(number()) NOT IN (0.25, 1, 11)"
    case 5: "\(number()) BETWEEN \(number()) AND \(number())"
    case 6: "\(number()) IS NOT NULL"
    default: "scl NOT BETWEEN 2 AND \(number())"
    }
  }

  @Test(arguments: 0..<8) func equalsConditionsOnAttributes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fields = [
      Field(name: "qa", kind: .integer), Field(name: "evi", kind: .real),
      Field(name: "scl", kind: .integer),
    ]
    let cells = cells(&random, count: 700)
    for _ in 0..<60 {
      let text = condition(&random, 3)
      let bound = try Condition(text).bound(to: fields)
      let found = try truths(text, cells)
      for (cell, truth) in zip(cells, found) {
        let row: [FieldValue] = [
          cell.qa.map { .integer($0) } ?? .null, cell.evi.map { .real($0) } ?? .null,
          cell.scl.map { .integer($0) } ?? .null,
        ]
        let isTrue = bound.isTrue(row)
        #expect((truth == CellTruth.yes) == isTrue, "\(text) at \(cell)")
        if (truth == CellTruth.yes) != isTrue { return }
      }
    }
  }

  @Test func bits() throws {
    var random = SeededGenerator(seed: 39)
    let cells = cells(&random, count: 2_000)
    func check(_ text: String, _ wanted: (Int64, Int64) -> Bool) throws {
      for (cell, truth) in zip(cells, try truths(text, cells)) {
        guard let qa = cell.qa, let scl = cell.scl else {
          #expect(truth == CellTruth.unknown)
          continue
        }
        #expect((truth == CellTruth.yes) == wanted(qa, scl), "\(text) at \(cell)")
      }
    }
    try check("(qa & scl) == 0") { $0 & $1 == 0 }
    try check("qa & 3 = scl") { $0 & 3 == $1 }
    try check("qa >> scl & 1 = 1") { ($0 >> $1) & 1 == 1 }
    try check("qa | scl ^ 5 & 6 = 7") { $0 | ($1 ^ (5 & 6)) == 7 }
    try check("qa & 1 << scl <> 0") { $0 & (1 << $1) != 0 }
    try check("qa & scl + 1 > 2") { $0 & ($1 + 1) > 2 }
    try check("(qa - scl) / (qa + scl) > 0.3") {
      $0 + $1 != 0 && Double($0 - $1) / Double($0 + $1) > 0.3
    }
    try check("qa / 4 + 0 * scl > 8750.5") { qa, _ in qa > 35_002 }
    try check("qa / 4 * 4 = qa + 0 * scl") { _, _ in true }
    try check("FLOOR(qa / 16) & 1 = scl") { ($0 >> 4) & 1 == $1 }
    try check("INCLUDES(qa, scl)") { $0 & $1 == $1 }
    try check("INCLUDESANY(qa, scl) AND scl = scl") { $0 & $1 != 0 }
    #expect(try truths("qa << -1 = 0 OR scl < 0", [(1, 1, 1)]) == [CellTruth.unknown])
    #expect(try truths("qa << 64 = 0 AND scl >> 99 = 0", [(1, 1, 1)]) == [CellTruth.yes])
    #expect(
      try truths("qa * 9223372036854775807 > 0", [(2, 1, 1)]) == [CellTruth.unknown])
  }

  @Test(arguments: [
    ("qa", "qa is not a condition: compare it with a value"),
    ("evi & 1 = 0", "evi is not an integer"), ("1 & evi = 0", "evi is not an integer"),
    ("qa = 'a'", "'a' is not available"),
    ("nope = 1", "there is no raster nope; available: qa, evi, scl"),
    ("UPPER(qa) = 1", "UPPER is not available"), ("qa LIKE 'a'", "is not a condition"),
    ("CASE WHEN qa = 1 THEN 1 ELSE 2 END = 1", "is not available"), ("", "the condition is empty"),
  ])
  func faults(text: String, message: String) {
    let error = #expect(throws: ExpressionError.self) {
      try CellCondition(text, variables: Self.variables)
    }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  /// The memory of an evaluation is limited.
  @Test func longConditions() throws {
    let sum = "qa" + String(repeating: " + 1", count: 1_000) + " > 0"
    #expect(try truths(sum, [(1, 1, 1)]) == [CellTruth.yes])
    let error = #expect(throws: ExpressionError.self) {
      try CellCondition(
        "qa" + String(repeating: " + 1", count: 3_000) + " > 0", variables: Self.variables)
    }
    #expect(error?.message.contains("more than 4000 operations") == true)
    let list = (0..<50_000).map(String.init).joined(separator: ",")
    #expect(try truths("qa IN (\(list))", [(49_999, 1, 1), (50_000, 1, 1)]) == [1, 0])
  }

  /// Bitwise operators are not allowed in conditions on attributes.
  @Test(arguments: ["a & 1 = 0", "a | 1 = 0", "a ^ 1 = 0", "a << 1 = 0", "a >> 1 = 0", "a == 1"])
  func attributesHaveNoBits(text: String) {
    #expect(throws: ExpressionError.self) { try Condition(text) }
  }
}
