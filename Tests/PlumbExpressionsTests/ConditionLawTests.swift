import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

/// Laws of three-valued logic, on random conditions and rows with NULLs.
@Suite struct ConditionLawTests {
  /// True, false or unknown for every row, from `isTrue` of a condition and of its negation.
  private func truths(_ text: String, _ rows: [[FieldValue]]) throws -> [SQLTruth] {
    let bound = try Condition(text).bound(to: RandomConditions.fields)
    return rows.map { bound.truth.truth($0) }
  }

  @Test("Equal laws hold for every row", arguments: [11, 12] as [UInt64])
  func laws(seed: UInt64) throws {
    var random = RandomConditions(seed: seed, .sqlite)
    let rows = random.rows(60)
    var seen: Set<SQLTruth> = []
    for _ in 0..<200 {
      let (x, y) = (random.condition(2), random.condition(2))
      let truths = try truths(x, rows)
      seen.formUnion(truths)
      #expect(try self.truths("NOT NOT (\(x))", rows) == truths, "\(x)")
      #expect(try self.truths("NOT (\(x))", rows) == truths.map(\.inverse), "\(x)")
      let (both, either) = ("NOT ((\(x)) AND (\(y)))", "NOT (\(x)) OR NOT (\(y))")
      #expect(try self.truths(both, rows) == self.truths(either, rows), "\(both)")
      let (neither, none) = ("NOT ((\(x)) OR (\(y)))", "NOT (\(x)) AND NOT (\(y))")
      #expect(try self.truths(neither, rows) == self.truths(none, rows), "\(neither)")
      let condition = try Condition(x)
      #expect(try Condition(condition.description) == condition, "\(x)")
      #expect(try self.truths(condition.description, rows) == truths, "\(x)")
    }
    #expect(seen.count == 3)
  }

  @Test("IN is equality with any of the values, BETWEEN is two comparisons")
  func lists() throws {
    var random = RandomConditions(seed: 13, .sqlite)
    let rows = random.rows(60)
    let numbers = [
      "pop", "rank", "area", "depth", "1", "2.5", "-3", "NULL", "pop + 1", "pop / rank",
    ]
    for _ in 0..<300 {
      let x = random.one(["pop", "area", "rank * 2", "-depth"])
      let list = (0...random.below(8)).map { _ in random.one(numbers) }
      let either = list.map { "\(x) = \($0)" }.joined(separator: " OR ")
      let member = "\(x) IN (\(list.joined(separator: ", ")))"
      #expect(try truths(member, rows) == truths(either, rows), "\(member)")
      let (low, high) = (list[0], random.one(numbers))
      let between = "\(x) BETWEEN \(low) AND \(high)"
      let two = "\(x) >= \(low) AND \(x) <= \(high)"
      #expect(try truths(between, rows) == truths(two, rows), "\(between)")
      let outside = "\(x) NOT BETWEEN \(low) AND \(high)"
      #expect(try truths(outside, rows) == truths("NOT (\(two))", rows), "\(outside)")
    }
  }
}
