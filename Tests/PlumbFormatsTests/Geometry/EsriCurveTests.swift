import PlumbCore
import PlumbIO
import PlumbTestSupport
import Testing

@testable import PlumbFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Curves of EsriJSON become chords within a ten-thousandth of the curve's extent.
@Suite struct EsriCurveTests {
  private func vertices(_ text: String) throws -> [SIMD2<Double>] {
    try #require(try EsriJSONGeometry.decode(text, reference: resolved)).vertices.xy
  }

  private func size(_ way: SIMD2<Double>) -> Double { (way * way).sum().squareRoot() }

  /// The greatest distance of the chords' ends and middles from a curve around a centre, given
  /// by a function of the offset that is 1 on it.
  private func check(
    _ points: [SIMD2<Double>], extent: Double, radius: Double, _ share: (SIMD2<Double>) -> Double
  ) {
    for (a, b) in zip(points, points.dropFirst()) {
      #expect(abs(share(a) - 1) * radius < 1e-9 * extent)
      #expect(abs(share((a + b) / 2) - 1) * radius <= 1e-4 * extent)
    }
  }

  @Test func anArcThroughThreePoints() throws {
    // The arc runs from east over north to west on a circle of radius 5 around (10, 20).
    let points = try vertices(
      #"{"curvePaths":[[[15,20],{"c":[[5,20],[10,25]]},[5,0]]]}"#)
    #expect(points.first == [15, 20] && points[points.count - 2] == [5, 20])
    #expect(points.last == [5, 0])
    check(Array(points.dropLast()), extent: 10, radius: 5) { size($0 - [10, 20]) / 5 }
    #expect(points.dropLast().allSatisfy { $0.y >= 20 - 1e-9 })
    // Over the south instead.
    let other = try vertices(#"{"curvePaths":[[[15,20],{"c":[[5,20],[10,15]]}]]}"#)
    check(other, extent: 10, radius: 5) { size($0 - [10, 20]) / 5 }
    #expect(other.allSatisfy { $0.y <= 20 + 1e-9 })
  }

  @Test func aCircleAsARing() throws {
    let text = #"{"curveRings":[[[15,20],{"c":[[15,20],[5,20]]}]]}"#
    guard case .polygon(let circle)? = try EsriJSONGeometry.decode(text, reference: resolved) else {
      throw FormatError("no polygon")
    }
    let points = circle.vertices.xy
    check(points, extent: 10, radius: 5) { size($0 - [10, 20]) / 5 }
    let area = circle.vertices.doubleArea(ofRing: circle.rings[0]) / 2
    #expect(abs(abs(area) / (25 * Double.pi) - 1) < 1e-3)
  }

  @Test(arguments: [(true, -1.0), (false, 1.0)])
  func anArcRoundItsCentre(isClockwise: Bool, side: Double) throws {
    let minor = isClockwise ? 0 : 1
    let points = try vertices(
      "{\"curvePaths\":[[[1,0],{\"a\":[[0,1],[0,0],\(minor),\(isClockwise ? 1 : 0)]}]]}")
    check(points, extent: isClockwise ? 2 : 1, radius: 1) { size($0) }
    // A quarter counter-clockwise, or three quarters clockwise.
    let sum = zip(points, points.dropFirst()).reduce(0.0) { $0 + size($1.1 - $1.0) }
    #expect(abs(sum - (isClockwise ? 1.5 : 0.5) * .pi) < 1e-3)
    #expect(points[1].y * side > 0)
  }

  @Test func anEllipticArc() throws {
    // Semi-axes 10 and 4, rotated by 30°, the full ellipse.
    let (c, s) = (cos(Double.pi / 6), sin(Double.pi / 6))
    let start = SIMD2(3 + 10 * c, 4 + 10 * s)
    let points = try vertices(
      "{\"curveRings\":[[[\(start.x),\(start.y)],{\"a\":[[\(start.x),\(start.y)],[3,4],0,1,"
        + "\(Double.pi / 6),10,0.4]}]]}")
    check(points, extent: 17.8, radius: 10) { point in
      let offset = point - [3, 4]
      let (x, y) = (offset.x * c + offset.y * s, offset.y * c - offset.x * s)
      return size([x / 10, y / 4])
    }
    #expect(points.count > 50)
  }

  @Test func aBezierCurve() throws {
    let (a, b, c, d) = (
      SIMD2(0.0, 0.0), SIMD2(0.0, 10.0), SIMD2(10.0, -10.0), SIMD2(10.0, 0.0)
    )
    let points = try vertices(#"{"curvePaths":[[[0,0],{"b":[[10,0],[0,10],[10,-10]]}]]}"#)
    let curve = (0...100_000).map { step in
      let t = Double(step) / 100_000
      let rest = 1 - t
      return rest * rest * rest * a + 3 * rest * rest * t * b + 3 * rest * t * t * c + t * t * t * d
    }
    // Each chord's middle by the nearest of many points on the curve.
    for (first, last) in zip(points, points.dropFirst()) {
      let middle = (first + last) / 2
      let nearest = curve.lazy.map { size($0 - middle) }.min() ?? .infinity
      #expect(nearest < 1e-4 * 10 + 1e-4)
    }
    #expect(points.first == a && points.last == d)
  }

  @Test func heightsAndMeasuresGoAlong() throws {
    let line = try #require(
      try EsriJSONGeometry.decode(
        #"{"hasZ":true,"hasM":true,"curvePaths":[[[0,0,5,100],{"c":[[2,0,7,300],[1,1]]}]]}"#,
        reference: resolved)
    ).vertices
    #expect(line.z?.first == 5 && line.z?.last == 7)
    #expect(line.m?.first == 100 && line.m?.last == 300)
    #expect(zip(line.z ?? [], (line.z ?? []).dropFirst()).allSatisfy { $0 < $1 })
    let middle = try #require(line.m?[line.count / 2])
    #expect(abs(middle - 200) < 5)
  }

  /// Three points on a line, length 0, a centre at the start.
  @Test(arguments: [
    #"{"curvePaths":[[[0,0],{"c":[[2,0],[1,0]]}]]}"#,
    #"{"curvePaths":[[[0,0],{"c":[[0,0],[0,0]]}]]}"#,
    #"{"curvePaths":[[[0,0],{"a":[[2,0],[0,0],1,0]}]]}"#,
    #"{"curvePaths":[[[0,0],{"a":[[0,0],[1,1],1,0]}]]}"#,
  ])
  func curvesThatAreStraight(text: String) throws {
    #expect(try vertices(text).count == 2)
  }

  @Test(arguments: [
    #"{"curvePaths":[[{"c":[[1,1],[2,0]]}]]}"#, #"{"curvePaths":[[[0,0],{}]]}"#,
    #"{"curvePaths":[[[0,0],{"c":[[1,1]]}]]}"#, #"{"curvePaths":[[[0,0],{"c":[1,1]}]]}"#,
    #"{"curvePaths":[[[0,0],{"b":[[1,1],[2,2]]}]]}"#,
    #"{"curvePaths":[[[0,0],{"a":[[1,1],[2,2]]}]]}"#,
    #"{"curvePaths":[[[0,0],{"a":[[1,1],[2,2],0,1,0,-3,0.5]}]]}"#,
    #"{"curvePaths":[[[0,0],{"c":[[1,1],[2,0]],"b":[]}]]}"#,
    #"{"curvePaths":[[[0,0],{"c":[[1e999,1],[2,0]]}]]}"#,
    #"{"curvePaths":[[[0,0],{"b":[[1e308,0],[1e308,1e308],[-1e308,1e308]]}]]}"#,
    #"{"curvePaths":[],"rings":[]}"#, #"{"curveRings":{}}"#,
  ])
  func whatIsNoCurveIsAnError(text: String) {
    let error = #expect(throws: FormatError.self) { try vertices(text) }
    #expect(error?.offset != nil)
  }

  /// With any numbers, a curve has a bounded number of finite vertices, or is an error.
  @Test func curvesOfAnyNumbers() throws {
    var numbers = SeededGenerator(seed: 4)
    func number() -> String {
      let exponent = Double.random(in: -12...12, using: &numbers)
      return "\(Double.random(in: -1...1, using: &numbers) * pow(10, exponent))"
    }
    func point() -> String { "[\(number()),\(number())]" }
    for index in 0..<3000 {
      let curve =
        switch index % 4 {
        case 0: "{\"c\":[\(point()),\(point())]}"
        case 1: "{\"b\":[\(point()),\(point()),\(point())]}"
        case 2: "{\"a\":[\(point()),\(point()),1,\(index % 8 / 4)]}"
        default: "{\"a\":[\(point()),\(point()),0,\(index % 8 / 4),\(number()),1e3,0.01]}"
        }
      guard let found = try? vertices("{\"curvePaths\":[[\(point()),\(curve)]]}") else { continue }
      #expect(found.count <= 4097)
      #expect(found.allSatisfy { $0.x.isFinite && $0.y.isFinite })
    }
  }

  @Test func curvesGoBeforeStraightEdges() throws {
    let both = try vertices(
      #"{"paths":[[[1,0],[-1,0]]],"curvePaths":[[[1,0],{"c":[[-1,0],[0,1]]}]]}"#)
    #expect(both.count > 10)
  }
}
