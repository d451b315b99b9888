import PlumbCore
import Synchronization
import Testing

@testable import PlumbGeometry

/// Operations are reused by one owner at a time, and at most the given number is kept.
@Suite struct OperationPoolTests {
  private let utm: SpatialReference
  private let grads: SpatialReference

  init() throws {
    utm = try SpatialReference("EPSG:32734")
    grads = try SpatialReference("EPSG:4807")
  }

  @Test func releasedOperationsAreReused() throws {
    let pool = OperationPool(limit: 4)
    let first = try pool.reserve(from: .wgs84, to: utm)
    let second = try pool.reserve(from: .wgs84, to: utm)
    #expect(first !== second)
    pool.release(first)
    // The opposite direction is a different operation.
    #expect(try pool.reserve(from: utm, to: .wgs84) !== first)
    #expect(try pool.reserve(from: .wgs84, to: utm) === first)
  }

  @Test func theLongestUnusedIsDropped() throws {
    let pool = OperationPool(limit: 2)
    weak var oldest: OperationPool.Operation?
    do {
      let operations = [
        try pool.reserve(from: .wgs84, to: utm), try pool.reserve(from: utm, to: .wgs84),
        try pool.reserve(from: .wgs84, to: grads),
      ]
      oldest = operations[0]
      for operation in operations { pool.release(operation) }
    }
    #expect(oldest == nil)
    #expect(try pool.reserve(from: utm, to: .wgs84) !== pool.reserve(from: .wgs84, to: grads))
  }

  @Test func manyThreadsTransformAsOneDoes() throws {
    let alone = try Self.image(of: SIMD2(18.4, -33.9), to: utm)
    let workers = Workers(count: 4)
    let differ = Mismatches()
    workers.run(400) { _, job in
      let found = try? Self.image(of: SIMD2(18.4, -33.9), to: job % 3 == 0 ? grads : utm)
      if job % 3 != 0, found != alone { differ.add() }
    }
    #expect(differ.count == 0)
  }

  private static func image(
    of point: SIMD2<Double>, to target: SpatialReference
  ) throws -> SIMD2<Double> {
    let transformation = try Transformation(from: .wgs84, to: target)
    var (x, y) = ([point.x], [point.y])
    transformation.apply(x: &x, y: &y, count: 1)
    return SIMD2(x[0], y[0])
  }
}

private final class Mismatches: Sendable {
  private let counter = Mutex(0)
  var count: Int { counter.withLock { $0 } }
  func add() { counter.withLock { $0 += 1 } }
}
