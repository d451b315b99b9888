import PlumbCore
import PlumbGeometry
import PlumbRaster
import PlumbTestSupport
import Testing

@testable import PlumbLayers

/// Maps and rasters queried by several tasks concurrently.
@Suite struct TaskTests {
  private static func map() -> Map {
    let areas = (0..<40).map { square(Double($0), 0, Double($0) + 3, 4) }
    return Map(layers: [
      featureLayer("a", areas), featureLayer("b", [square(2, 2, 30, 3)]),
      featureLayer("c", [point(5, 5)]),
    ])
  }

  private static let locations = (0..<200).map { SIMD2(Double($0) / 4, Double($0 % 7)) }

  private static func text(_ results: [IdentifyLayerResult]) -> String {
    results.map { "\($0.layerContent.name) \($0.geoElements) \(String(describing: $0.error))" }
      .joined(separator: "\n")
  }

  @Test func `several tasks query a map that is not loaded`() async throws {
    let options = IdentifyOptions(maximumResultsPerLayer: nil)
    let expected = try Self.locations.map {
      Self.text(try Self.map().identified($0.x, $0.y, options))
    }
    #expect(Set(expected).count > 20)
    let map = Self.map()
    let tasks = (0..<8).map { number in
      Task.detached {
        if number % 2 == 0 {
          return try await map.identify(
            atEach: Self.locations.map(\.x), Self.locations.map(\.y), options)
        }
        var results: [[IdentifyLayerResult]] = []
        for point in Self.locations {
          results.append(try await map.identify(at: Point(x: point.x, y: point.y), options))
        }
        return results
      }
    }
    for task in tasks { #expect(try await task.value.map(Self.text) == expected) }
    let one = try await map.identify(layer: "b", at: Point(x: 5, y: 2.5), options)
    #expect(one.geoElements.count == 1)
    await #expect(throws: LayerError.self) {
      _ = try await map.identify(layer: "no such layer", at: Point(x: 5, y: 2.5))
    }
  }

  @Test func `separate identifiers read a map's features at once`() async throws {
    let map = Self.map()
    let tasks = (0..<8).map { _ in
      Task.detached {
        let identifier = try MapIdentifier(map)
        identifier.startLoading()
        return Self.text(identifier.identify(x: 5, y: 2.5)) + "\(identifier.warnings)"
      }
    }
    var texts: Set<String> = []
    for task in tasks { texts.insert(try await task.value) }
    #expect(texts.count == 1)
  }

  @Test func `a cancelled task reads nothing further`() async throws {
    let map = Self.map()
    let x = [Double](repeating: 5, count: 3_000_000)
    let task = Task.detached {
      try await map.identify(atEach: x, x, workers: Workers(count: 1))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }
}
