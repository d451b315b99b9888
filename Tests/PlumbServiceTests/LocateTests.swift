import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// `POST /api/locate`: the element of a network nearest to a point.
@Suite struct LocateTests {
  private struct Element {
    var id: String
    var geometry: Geometry
  }

  /// The features of a file of the sample network.
  private static func elements(_ name: String) throws -> [Element] {
    let path = TestPaths.rasters + "/gas_\(name).geojson"
    let root = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
    return try #require((root as? [String: Any])?["features"] as? [[String: Any]]).map { feature in
      let id = try #require((feature["properties"] as? [String: Any])?["GLOBALID"] as? String)
      let shape = try #require(feature["geometry"] as? [String: Any])
      func point(_ pair: [Double]) -> Point {
        Point(x: pair[0], y: pair[1], spatialReference: .wgs84)
      }
      if let pair = shape["coordinates"] as? [Double] {
        return Element(id: id, geometry: .point(point(pair)))
      }
      let pairs = try #require(shape["coordinates"] as? [[Double]])
      let line = Polyline(
        VertexList(pairs.map { SIMD2($0[0], $0[1]) }), spatialReference: .wgs84)
      return Element(id: id, geometry: .polyline(line))
    }
  }

  private func locate(
    _ service: TestService, _ x: Double, _ y: Double, _ tolerance: Double
  ) throws -> [String: Any]? {
    let reply = service.api(
      "locate", "{\"network\":\"gas\",\"at\":[\(x),\(y)],\"tolerance\":\(tolerance)}")
    #expect(reply.status == 200)
    return try TestService.object(reply)["element"] as? [String: Any]
  }

  @Test func `the nearest device, else junction, else pipe, by geodesic distance`() throws {
    let service = try TestService.sample.get()
    let classes = try ["devices", "junctions", "pipes"].map(Self.elements)
    var random = SeededGenerator(seed: 93)
    var counts = [0, 0, 0, 0]
    for _ in 0..<120 {
      let near = try #require(classes.joined().randomElement(using: &random))
      let vertex = try #require(near.geometry.vertices.xy.randomElement(using: &random))
      let x = vertex.x + Double.random(in: -4e-4...4e-4, using: &random)
      let y = vertex.y + Double.random(in: -4e-4...4e-4, using: &random)
      let tolerances: [Double] = [5, 15, 40]
      let tolerance: Double = tolerances.randomElement(using: &random) ?? 5
      let point = Geometry.point(Point(x: x, y: y, spatialReference: .wgs84))
      let distances = try classes.map { elements in
        try elements.map {
          try GeometryEngine.distance(
            from: point, to: $0.geometry, measure: .geodesic(.shapePreserving))
        }
      }
      let found = try locate(service, x, y, tolerance)
      guard let kind = distances.firstIndex(where: { ($0.min() ?? .infinity) <= tolerance }),
        let minimum = distances[kind].min()
      else {
        counts[3] += 1
        #expect(found == nil, "\(x),\(y)")
        continue
      }
      counts[kind] += 1
      // A distance at the tolerance may be within it or not.
      if (distances.joined().map { abs($0 - tolerance) }.min() ?? 1) < 0.02 { continue }
      let element = try #require(found, "\(x),\(y) within \(tolerance)")
      let id = element["id"] as? String ?? ""
      let index = try #require(classes[kind].firstIndex { $0.id == id }, "\(id)")
      #expect(distances[kind][index] - minimum < 0.02, "\(id)")
      let distance = element["distance"] as? Double ?? .nan
      #expect((distance - minimum).magnitude < 0.02, "\(id)")
      #expect(element["isEdge"] as? Bool == (kind == 2))
    }
    #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
  }

  @Test func `a trace starts at the element that is found`() throws {
    let service = try TestService.sample.get()
    for element in try Self.elements("pipes").prefix(20) {
      let vertices = element.geometry.vertices.xy
      let middle = (vertices[0] + vertices[1]) / 2
      let found = try #require(try locate(service, middle.x, middle.y, 0.5))
      guard found["isEdge"] as? Bool == true else { continue }
      #expect(found["id"] as? String == element.id)
      let fraction = found["fraction"] as? Double ?? .nan
      #expect(fraction > 0 && fraction < 1)
      let start = try #require(found["start"] as? String)
      let trace = service.api(
        "trace", "{\"network\":\"gas\",\"type\":\"connected\",\"start\":[\"\(start)\"]}")
      #expect(trace.status == 200, "\(start)")
    }
  }

  @Test func `terminals and types are those of the definition`() throws {
    let service = try TestService.sample.get()
    let meter = try #require(try Self.elements("devices").first { $0.id == "M0054" })
    let vertex = meter.geometry.vertices.xy[0]
    let found = try #require(try locate(service, vertex.x, vertex.y, 0))
    #expect(found["reference"] as? String == "Pipeline Device:M0054")
    #expect(found["start"] as? String == "Pipeline Device:M0054")
    #expect(found["assetGroup"] as? String == "Meter")
    #expect(found["distance"] as? Double == 0)
    let terminals = try #require(found["terminals"] as? [[String: Any]])
    #expect(terminals.map { $0["name"] as? String } == ["Supply", "Load"])
  }

  @Test(arguments: [
    (#"{"network":"gas"}"#, 400, "at is missing"),
    (#"{"network":"gas","at":[18]}"#, 400, "longitude and latitude"),
    (#"{"network":"gas","at":[18,95]}"#, 400, "longitude and latitude"),
    (#"{"network":"gas","at":[18,-34],"tolerance":-1}"#, 400, "a number of metres"),
    (#"{"network":"gas","at":[18,-34],"tolerance":10001}"#, 400, "metres from 0 to 10000"),
    (#"{"network":"gas","at":[18,-34],"near":1}"#, 400, "unknown option near"),
    (#"{"network":"gas","at":[18,-34],"network":"gas"}"#, 400, "the member network is repeated"),
    (#"{"network":"gas","at":[18,-34],"at":null}"#, 400, "the member at is repeated"),
    (#"{"network":"water","at":[18,-34]}"#, 404, "water"),
  ])
  func `requests that are not valid`(body: String, status: Int, part: String) throws {
    let reply = try TestService.sample.get().api("locate", body)
    #expect(reply.status == status)
    let text = String(decoding: try reply.bytes(), as: UTF8.self)
    #expect(text.contains(part), "\(text)")
  }

  @Test func `the coordinates of a network without a CRS are longitudes and latitudes`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "town.inp",
      """
      [JUNCTIONS]
      J1 10 5
      [RESERVOIRS]
      R1 50
      [PIPES]
      P1 R1 J1 100 200 100 0 Open
      [COORDINATES]
      R1 18.400 -33.900
      J1 18.410 -33.900
      [END]
      """)
    let service = try TestService(maps: [], networks: [folder.path("town.inp")])
    let reply = service.api("locate", #"{"at":[18.4101,-33.9]}"#)
    let element = try #require(try TestService.object(reply)["element"] as? [String: Any])
    #expect(element["id"] as? String == "J1")
  }
}
