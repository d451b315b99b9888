import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

/// Calls every text, date and geometry function with values of every kind: each call returns a
/// value or a failure, never traps, and does not exceed the budget.
@Suite struct ArcadeGeometryFuzzTests {
  private struct Values {
    /// Small random shapes are sufficient, because GEOS takes a long time to repair large ones.
    mutating func shape() -> Geometry {
      while true {
        let shape = geometry.any()
        if shape.vertices.count <= 16 { return shape }
      }
    }

    var geometry: RandomGeometry
    var random: SeededGenerator

    init(seed: UInt64) {
      geometry = RandomGeometry(seed: seed)
      geometry.isWild = seed % 2 == 0
      random = SeededGenerator(seed: seed &+ 1)
    }

    mutating func number() -> Double {
      let edges: [Double] = [
        .nan, .infinity, -.infinity, 0, -0.0, 1, -1, 0.5, 1e300, -1e300, .leastNonzeroMagnitude,
        65_536, 3857, 4326,
        1e15, 9.3e18, -9.3e18, 2024, 12, 100,
      ]
      return Bool.random(using: &random)
        ? edges.randomElement(using: &random) ?? 0 : geometry.number()
    }

    mutating func text() -> String {
      let texts = [
        "", "a", "abc,def", "🌉", "e\u{301}", "#,##0.00;(#)", "MMM D, Y [x", "days", "months",
        "years",
        "meters", "acres", "digits", "2024-02-29", "2024-02-29T12:00:00-05:00", "T*F**FFF*", "NaN",
        "12",
        "everyword", "\u{0}", String(repeating: "0", count: 300), "%‰#;;", "wkid", "0x1F",
      ]
      return texts.randomElement(using: &random) ?? ""
    }

    mutating func value(_ depth: Int = 0) -> ArcadeValue {
      switch Int.random(in: 0..<(depth < 3 ? 12 : 7), using: &random) {
      case 0: return .null
      case 1: return .boolean(Bool.random(using: &random))
      case 2: return .number(number())
      case 3, 4: return .text(text())
      case 5:
        let any = Int64(bitPattern: random.next())
        return .date(ArcadeDate(milliseconds: Bool.random(using: &random) ? any : any >> 20))
      case 6, 7: return .geometry(shape())
      case 8:
        return .feature(
          ArcadeFeature(
            fields: ArcadeFields(["a"]), attributes: [.number(number())],
            geometry: Bool.random(using: &random) ? shape() : nil))
      case 9, 10:
        return .array(
          ArcadeArray((0..<Int.random(in: 0...5, using: &random)).map { _ in value(depth + 1) }))
      default: return .dictionary(dictionary(depth))
      }
    }

    /// A dictionary; sometimes nearly the dictionary of a geometry.
    mutating func dictionary(_ depth: Int) -> ArcadeDictionary {
      let dictionary = ArcadeDictionary()
      let keys = [
        "x", "y", "z", "m", "points", "paths", "rings", "xmin", "ymin", "xmax", "ymax", "hasZ",
        "hasM",
        "spatialReference", "wkid", "wkt",
      ]
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        guard let key = keys.randomElement(using: &random) else { continue }
        switch key {
        case "points": dictionary[key] = vertices()
        case "paths", "rings":
          dictionary[key] = .array(
            ArcadeArray((0..<Int.random(in: 0...3, using: &random)).map { _ in vertices() }))
        default: dictionary[key] = depth > 1 ? .number(number()) : value(depth + 1)
        }
      }
      return dictionary
    }

    private mutating func vertices() -> ArcadeValue {
      .array(
        ArcadeArray(
          (0..<Int.random(in: 0...6, using: &random)).map { _ in
            .array(
              ArcadeArray(
                (0..<Int.random(in: 1...5, using: &random)).map { _ in
                  .number(geometry.number())
                }))
          }))
    }
  }

  @Test("Random calls give a value or a failure", arguments: [1, 2, 3, 4] as [UInt64])
  func calls(seed: UInt64) throws {
    var values = Values(seed: seed)
    let all = ArcadeFunction.texts + ArcadeFunction.dates + ArcadeFunction.geometries
    var outcomes: [String: Int] = [:]
    for _ in 0..<16 {
      for function in all {
        let maximum = min(function.counts.upperBound, function.counts.lowerBound + 4)
        let count = Int.random(in: function.counts.lowerBound...maximum, using: &values.random)
        var argumentValues = (0..<count).map { _ in values.value() }
        // The first argument of a geometry function is often a geometry.
        if function.family == .geometry, !argumentValues.isEmpty, Bool.random(using: &values.random)
        {
          argumentValues[0] = .geometry(values.shape())
          if argumentValues.count > 1, Bool.random(using: &values.random) {
            argumentValues[1] = .geometry(values.shape())
          }
        }
        do {
          let context = CallContext(steps: 1_000_000, bytes: 10_000_000)
          let result = try function.body(ArcadeArguments(argumentValues, context))
          if case .text(let text) = result { #expect(text.utf8.count <= 10_000_000) }
          outcomes[function.name, default: 0] += 1
        } catch {
          #expect(!error.message.isEmpty && !error.message.contains("\n"), "\(function.name)")
        }
      }
    }
    // GUID functions, and functions that change features, rarely get valid arguments.
    #expect(outcomes.count * 10 >= all.count * 9)
  }

  @Test("Function names are unique, and each function has its family")
  func names() {
    let all = ArcadeFunction.texts + ArcadeFunction.dates + ArcadeFunction.geometries
    #expect(Set(all.map { $0.name.lowercased() }).count == all.count)
    #expect(ArcadeFunction.texts.allSatisfy { $0.family == .text })
    #expect(ArcadeFunction.dates.allSatisfy { $0.family == .date })
    #expect(ArcadeFunction.geometries.allSatisfy { $0.family == .geometry })
  }
}
