import Plumb

/// Plumb's part of the geometry workloads. All input is read and prepared before timing starts; the
/// time ends with the last result in memory.
///
///     plumb-workload buffers --x x.npy --y y.npy --d d.npy --sample points.npy --out PREFIX
///     plumb-workload union --xy xy.npy --ring VERTICES --out PREFIX
///     plumb-workload buffer-union --x x.npy --y y.npy --d d.npy --out PREFIX
///     plumb-workload within --x x.npy --y y.npy --xy xy.npy --ring VERTICES --out PREFIX
///     plumb-workload within-ready ...
///     plumb-workload discs --x x.npy --y y.npy --metres R --deviation M --out PREFIX
///
/// `xy` contains closed rings of `ring` vertices, one for each polygon, as x, y, x, y…
struct GeometryWorkload {
  /// The number of edges in a quarter of every planar circle.
  static let segments = 32

  let mode: String
  let arguments: Arguments
  let workers: Workers

  /// nil for another mode.
  init?(_ arguments: Arguments, _ workers: Workers) {
    let modes = ["buffers", "union", "buffer-union", "within", "within-ready", "discs"]
    guard modes.contains(arguments.mode) else { return nil }
    (mode, self.arguments, self.workers) = (arguments.mode, arguments, workers)
  }

  /// The line with the time, for the suite.
  func run() throws -> String {
    switch mode {
    case "buffers": try buffers()
    case "union": try union()
    case "buffer-union": try unitedBuffers()
    case "discs": try discs()
    default: try within(isReady: mode == "within-ready")
    }
  }

  // MARK: Planar

  private func buffers() throws -> String {
    let (points, distances) = (try points(), try arguments.doubles("d"))
    var polygons: [Polygon] = []
    let measured = try Measured.run {
      polygons = try GeometryEngine.buffer(
        around: points, distances: distances,
        method: .planar(PlanarBufferOptions(segmentsPerQuarter: Self.segments)), workers: workers)
    }
    let sample = try arguments.doubles("sample").map { Int($0) }
    let file = PolygonFile(prefix: try arguments.text("out"))
    try file.writeAreas(polygons)
    try file.writeVertices(sample.map { polygons[$0] })
    return measured.json(["vertices": polygons.reduce(0) { $0 + $1.vertices.count }])
  }

  private func union() throws -> String {
    let circles = try rings().map { Geometry.polygon($0) }
    return try written { try GeometryEngine.union(circles, workers: workers) }
  }

  private func unitedBuffers() throws -> String {
    let (points, distances) = (try points(), try arguments.doubles("d"))
    return try written {
      try GeometryEngine.buffer(
        around: points, distances: distances, union: true,
        method: .planar(PlanarBufferOptions(segmentsPerQuarter: Self.segments)), workers: workers
      ).first.map { .polygon($0) }
    }
  }

  private func written(_ body: () throws -> Geometry?) throws -> String {
    var result: Geometry?
    let measured = try Measured.run { result = try body() }
    guard case .polygon(let polygon) = result else {
      throw NumPyFile.Failure(message: "the union is not an area")
    }
    try PolygonFile(prefix: arguments.text("out")).write(polygon)
    return measured.json(["vertices": polygon.vertices.count])
  }

  /// - Parameter isReady: whether the locator is built before timing starts.
  private func within(isReady: Bool) throws -> String {
    let (x, y) = (try arguments.doubles("x"), try arguments.doubles("y"))
    let polygons = try rings()
    var locator = try isReady ? PolygonLocator(polygons, workers: workers) : nil
    var lists: ItemLists?
    let measured = try Measured.run {
      let known = try locator ?? PolygonLocator(polygons, workers: workers)
      locator = known
      lists = known.polygons(atEach: x, y, relation: .contains, workers: workers)
    }
    guard let lists else { throw NumPyFile.Failure(message: "there is no result") }
    var pairs: [Int64] = []
    for point in 0..<lists.count {
      for polygon in lists[point] { pairs.append(Int64(point) << 32 | Int64(polygon)) }
    }
    try NumPyFile.write(arguments.text("out") + "_pairs.npy", type: "<i8", pairs)
    return measured.json(["pairs": pairs.count])
  }

  // MARK: Geodesic

  private func discs() throws -> String {
    let points = try points(.wgs84)
    let distances = [try arguments.decimal("metres")]
    let options = GeodesicBufferOptions(maxDeviation: try arguments.decimal("deviation"))
    var polygons: [Polygon] = []
    let measured = try Measured.run {
      polygons = try GeometryEngine.buffer(
        around: points, distances: distances, method: .geodesic(options), workers: workers)
    }
    try PolygonFile(prefix: arguments.text("out")).writeVertices(polygons)
    return measured.json(["vertices": polygons.reduce(0) { $0 + $1.vertices.count }])
  }

  // MARK: Inputs

  private func points(_ reference: SpatialReference? = nil) throws -> [Geometry] {
    zip(try arguments.doubles("x"), try arguments.doubles("y")).map {
      .point(Point(x: $0, y: $1, spatialReference: reference))
    }
  }

  private func rings() throws -> [Polygon] {
    let numbers = try NumPyFile.doubles(arguments.text("xy"))
    guard let size = arguments.number("ring"), size > 3 else {
      throw NumPyFile.Failure(message: "--ring is missing")
    }
    return (0..<numbers.count / (2 * size)).map { polygon in
      let start = polygon * size * 2
      return Polygon(
        VertexList(
          (0..<size).map { SIMD2(numbers[start + 2 * $0], numbers[start + 2 * $0 + 1]) }))
    }
  }
}
