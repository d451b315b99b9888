import Plumb
import PlumbTestSupport
import Testing

// Sample begins
/// Buffers with separate radii around tapped points, as in Esri's sample "Create buffers around
/// points", without a screen.
struct BufferListModel {
  /// The reason why a tap or a radius is rejected.
  enum Refusal: Error, Equatable {
    case outsideArea, radius
  }

  /// Texas North Central of NAD27, in US survey feet.
  let reference: SpatialReference
  /// The area in which points may be added.
  let area: Polygon
  private(set) var points: [Point] = []
  /// The radius of each point in miles.
  private(set) var radii: [Double] = []
  var isUnion = false

  init() throws {
    reference = try SpatialReference("EPSG:32038")
    var x = [-103.070, -103.070, -94.000, -94.000]
    var y = [31.720, 34.580, 34.580, 31.720]
    try Transformation(from: .wgs84, to: reference).apply(x: &x, y: &y, count: 4)
    area = Polygon(VertexList(zip(x, y).map { SIMD2($0, $1) }), spatialReference: reference)
  }

  /// Adds a point in the model's CRS with a radius strictly between 0 and 300 miles.
  mutating func add(_ point: SIMD2<Double>, miles: Double) throws(Refusal) {
    guard miles > 0, miles < 300 else { throw .radius }
    guard isInside(point) else { throw .outsideArea }
    points.append(Point(x: point.x, y: point.y, spatialReference: reference))
    radii.append(miles)
  }

  mutating func undo() {
    _ = points.popLast()
    _ = radii.popLast()
  }

  mutating func clear() { (points, radii) = ([], []) }

  /// One polygon per point, or their union.
  func buffers() throws -> [Polygon] {
    try GeometryEngine.buffer(
      around: points.map { .point($0) }, distances: radii, unit: .mile, union: isUnion)
  }

  /// The area has four straight sides in its CRS and is clockwise: a point inside is on the right
  /// of each side.
  private func isInside(_ point: SIMD2<Double>) -> Bool {
    let corners = area.vertices.xy
    return zip(corners, corners.dropFirst()).allSatisfy { from, to in
      let (side, way) = (to - from, point - from)
      return side.x * way.y - side.y * way.x < 0
    }
  }
}
// Sample ends

/// Rule: the sample (wkid 32038; a point outside the valid area is rejected; radius strictly
/// between 0 and 300 miles).
@Suite struct BufferListSampleTests {
  /// A WGS84 point in the sample's CRS.
  private func point(_ longitude: Double, _ latitude: Double) throws -> SIMD2<Double> {
    var (x, y) = (longitude, latitude)
    try Transformation(from: .wgs84, to: SpatialReference("EPSG:32038")).apply(
      x: &x, y: &y, count: 1)
    return SIMD2(x, y)
  }

  private func area(_ polygon: Polygon) -> Double {
    let xy = polygon.vertices.xy
    var sum = 0.0
    for ring in polygon.rings {
      for index in ring.dropLast() {
        let (a, b) = (xy[index] - xy[ring.lowerBound], xy[index + 1] - xy[ring.lowerBound])
        sum += a.x * b.y - a.y * b.x
      }
    }
    return abs(sum) / 2
  }

  /// Half the sum of n sin(2π/n) r²: the area of a regular polygon inside a circle.
  private func circle(miles: Double) -> Double {
    let feet = miles * 1609.344 * 3937 / 1200
    return 64 * 0.049_067_674_327_418_015 * feet * feet
  }

  @Test func `radii in miles become US survey feet around the point`() throws {
    var model = try BufferListModel()
    #expect(model.reference.unit.name == "US survey foot")
    #expect(abs(model.reference.unit.factor - 1200.0 / 3937) < 1e-15)
    let centre = try point(-97.5, 33)
    try model.add(centre, miles: 40)
    let buffer = try #require(try model.buffers().first)
    let feet = 40 * 5280 * (0.3048 * 3937 / 1200)
    for vertex in buffer.vertices.xy {
      let (dx, dy) = (vertex.x - centre.x, vertex.y - centre.y)
      #expect(abs((dx * dx + dy * dy).squareRoot() - feet) < 1e-6)
    }
    #expect(abs(area(buffer) / circle(miles: 40) - 1) < 1e-9)
  }

  @Test func `union merges overlapping buffers and keeps the others separate`() throws {
    var model = try BufferListModel()
    try model.add(point(-102, 33), miles: 30)
    try model.add(point(-101.8, 33.1), miles: 20)
    try model.add(point(-95, 32.5), miles: 25)
    let single = try model.buffers()
    #expect(single.count == 3)
    for (buffer, miles) in zip(single, [30.0, 20, 25]) {
      #expect(buffer.parts.count == 1)
      #expect(abs(area(buffer) / circle(miles: miles) - 1) < 1e-9)
    }
    model.isUnion = true
    let joined = try model.buffers()
    #expect(joined.count == 1)
    #expect(joined[0].parts.count == 2)
    let sum = single.map(area).reduce(0, +)
    #expect(area(joined[0]) < sum)
    #expect(area(joined[0]) > circle(miles: 30) + circle(miles: 25))
  }

  @Test func `a point outside and a radius out of range are refused`() throws {
    var model = try BufferListModel()
    let inside = try point(-98, 33)
    for miles in [0, 300, -1, 300.5, .nan, .infinity] {
      #expect(throws: BufferListModel.Refusal.radius) { try model.add(inside, miles: miles) }
    }
    for (longitude, latitude) in [(-103.2, 33.0), (-93.9, 33), (-98, 31.4), (-98, 34.9)] {
      let outside = try point(longitude, latitude)
      #expect(throws: BufferListModel.Refusal.outsideArea) { try model.add(outside, miles: 10) }
    }
    #expect(throws: BufferListModel.Refusal.outsideArea) {
      try model.add(SIMD2(.nan, .nan), miles: 10)
    }
    #expect(model.points.isEmpty)
    try model.add(inside, miles: 0.001)
    try model.add(inside, miles: 299.999)
    #expect(try model.buffers().count == 2)
  }

  @Test func `undo removes the last and clear removes all`() throws {
    var model = try BufferListModel()
    #expect(try model.buffers().isEmpty)
    try model.add(point(-98, 33), miles: 10)
    try model.add(point(-96, 33), miles: 20)
    model.undo()
    #expect(model.radii == [10])
    #expect(try model.buffers().count == 1)
    model.clear()
    model.undo()
    model.isUnion = true
    #expect(try model.buffers().isEmpty)
  }
}
