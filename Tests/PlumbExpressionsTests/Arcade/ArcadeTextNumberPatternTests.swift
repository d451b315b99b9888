import Foundation
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

/// Number patterns against C's printf, which rounds by the exact value too.
@Suite struct ArcadeTextNumberPatternTests {
  @Test(
    "Digits after the point are printf's, but for exact halves", arguments: [1, 2, 3] as [UInt64])
  func printf(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var compared = 0
    for _ in 0..<8000 {
      var number: Double
      switch Int.random(in: 0..<4, using: &random) {
      case 0: number = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random))
      case 1: number = Double.random(in: -1e6...1e6, using: &random)
      case 2: number = (Double.random(in: -1e5...1e5, using: &random)).rounded() / 100
      default: number = Double.random(in: -1...1, using: &random)
      }
      if !number.isFinite { number = 0.25 }
      let places = Int.random(in: 0...20, using: &random)
      // printf takes halves to even: they are in the table of examples.
      let exact = String(format: "%.*f", 1080, number.magnitude)
      let point = try #require(exact.firstIndex(of: "."))
      let rest = exact[exact.index(point, offsetBy: 1 + places)...]
      guard rest.first != "5" || rest.dropFirst().contains(where: { $0 != "0" }) else { continue }
      let pattern = places == 0 ? "#" : "#." + String(repeating: "0", count: places)
      let text = try ArcadeNumberPattern(pattern).text(of: number)
      #expect(text == String(format: "%.*f", places, number), "\(number) by \(pattern)")
      compared += 1
    }
    #expect(compared > 6_000)
  }

  @Test("Grouped digits without their commas are the digits, in groups of three")
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
