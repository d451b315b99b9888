import CPROJ
import PlumbCore
import PlumbTestSupport
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

  /// Compares PROJ's own operation with operations of the pool, which are copies. The pairs include single
  /// formulas, several operations by area, grids of longitudes in other units, and projections that
  /// are undefined at some of the points.
  @Test(arguments: [
    ("EPSG:4326", "EPSG:32734"), ("EPSG:4326", "EPSG:27700"), ("EPSG:27700", "EPSG:4326"),
    ("EPSG:4267", "EPSG:4326"), ("EPSG:4326", "EPSG:4267"), ("EPSG:4807", "EPSG:2154"),
    ("EPSG:4326", "+proj=sinu +R=6371007.181 +type=crs"), ("EPSG:4230", "EPSG:3035"),
    ("EPSG:4326", "EPSG:3031"), ("EPSG:3413", "EPSG:4258"),
    ("EPSG:4326", "+proj=gnom +lat_0=90 +type=crs"),
    ("+proj=goode +R=6371000 +type=crs", "EPSG:4326"),
    ("+proj=ob_tran +o_proj=moll +o_lat_p=39 +R=6371000 +type=crs", "EPSG:4326"),
  ]) func copiesReturnTheSameCoordinates(_ pair: (String, String)) throws {
    let (source, target) = (try SpatialReference(pair.0), try SpatialReference(pair.1))
    let context = try ProjContext()
    let raw = try #require(
      proj_create_crs_to_crs(context.pointer, source.definition, target.definition, nil))
    defer { proj_destroy(raw) }
    let original = try #require(proj_normalize_for_visualization(context.pointer, raw))
    defer { proj_destroy(original) }
    let pool = OperationPool(limit: 4)
    let copies = try (0..<2).map { _ in try pool.reserve(from: source, to: target) }
    var generator = SeededGenerator(seed: 2_611)
    let scale = source.isGeographic ? 1.0 : 20_000
    for _ in 0..<500 {
      let point = SIMD2(
        Double.random(in: -180...180, using: &generator), .random(in: -90...90, using: &generator))
      let found = ([original] + copies.map(\.pointer)).map { operation -> SIMD2<UInt64> in
        proj_errno_reset(operation)
        let image = proj_trans(
          operation, PJ_FWD, proj_coord(point.x * scale, point.y * scale, 0, 0)
        ).xy
        return SIMD2(image.x.bitPattern, image.y.bitPattern)
      }
      #expect(found[1] == found[0] && found[2] == found[0], "\(pair) at \(point)")
    }
  }

  /// An operation whose definition names a file is created again each time, because reading the file needs
  /// permission each time.
  @Test func operationsWithFilesAreNotKept() throws {
    let shifted = try SpatialReference("+proj=longlat +ellps=clrk66 +nadgrids=@/none.gsb +type=crs")
    let pool = OperationPool(limit: 4)
    let first = try pool.reserve(from: shifted, to: .wgs84)
    pool.release(first)
    #expect(try pool.reserve(from: shifted, to: .wgs84) !== first)
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
