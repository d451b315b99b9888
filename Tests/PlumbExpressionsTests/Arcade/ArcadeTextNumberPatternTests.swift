import Foundation
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

/// Number patterns against Foundation's decimal arithmetic.
@Suite struct ArcadeTextNumberPatternTests {
  @Test(
    "Decimals are those of the number as written, halves rounded away from zero",
    arguments: [1, 2, 3] as [UInt64])
  func decimals(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<4000 {
      let number: Double
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        number =
          Double.random(in: 1..<10, using: &random)
          * pow(10, Double.random(in: -20...15, using: &random))
      case 1: number = Double.random(in: -1e6...1e6, using: &random)
      // One more digit than requested, often a 5.
      case 2: number = Double(Int.random(in: -20_000...20_000, using: &random) * 5) / 1000
      default: number = Double.random(in: -1...1, using: &random)
      }
      let points = Int.random(in: 0...12, using: &random)
      var exact = try #require(Decimal(string: number.magnitude.description))
      var rounded = Decimal()
      NSDecimalRound(&rounded, &exact, points, .plain)
      let pattern = points == 0 ? "#" : "#." + String(repeating: "0", count: points)
      let text = try #require(try ArcadeNumberPattern(pattern).text(of: number.magnitude))
      #expect(Decimal(string: text) == rounded, "\(number) by \(pattern)")
      #expect(text.split(separator: ".").dropFirst().first?.count ?? 0 == points)
    }
  }

  @Test("A pattern reads what it writes, and Round gives the number that Text writes")
  func readBack() throws {
    var random = SeededGenerator(seed: 4)
    for pattern in ["#.00", "#,##0.00", "$#,###.00;($#,###.00)", "Floor #.00 m", "#.00%"] {
      let format = try ArcadeNumberPattern(pattern)
      for _ in 0..<500 {
        let number = Double(Int.random(in: -9_999_999...9_999_999, using: &random)) / 1000
        let text = try #require(format.text(of: number))
        let read = try #require(format.number(of: text), "\(text) by \(pattern)")
        let points = pattern.contains("%") ? 4 : 2
        let rounded = try ArcadeTesting.value("Round(\(number), \(points))").asNumber
        #expect(read == rounded, "\(number) by \(pattern)")
      }
    }
  }

  @Test("Grouped digits without commas are the digits, in groups of three")
  func groups() throws {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<5000 {
      let number = Double(
        Int64.random(in: 0...1 << 53, using: &random)
          >> Int64.random(in: 0...53, using: &random))
      let text = try #require(try ArcadeNumberPattern("#,##0").text(of: number))
      #expect(text.filter { $0 != "," } == String(Int64(number)))
      let groups = text.split(separator: ",")
      #expect(groups.dropFirst().allSatisfy { $0.count == 3 } && (1...3).contains(groups[0].count))
    }
  }
}
