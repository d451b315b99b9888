import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// Compares the geometry service with the engine.
@Suite struct GeometryServerTests {
  private let path = "Utilities/Geometry/GeometryServer/"
  private let square = "{rings:[[[0,0],[0,2],[2,2],[2,0],[0,0]]]}"
  private let other = "{rings:[[[1,1],[1,3],[3,3],[3,1],[1,1]]]}"

  private func sendRequest(_ name: String, _ parameters: [String: String]) throws -> [String: Any] {
    try TestService.sample.get().json(path + name, parameters)
  }

  /// The area of the first shape of a reply.
  private func area(_ reply: [String: Any]) throws -> Double {
    let shape = try reply["geometry"] as? [String: Any] ?? reply.list("geometries")[0]
    let json = String(decoding: try JSONSerialization.data(withJSONObject: shape), as: UTF8.self)
    let geometry = try #require(
      try EsriJSONGeometry.decode(json) { try SpatialReference($0) })
    return try GeometryEngine.area(of: geometry)
  }

  @Test func overlays() throws {
    let pair = [
      "geometries": "[\(square)]",
      "geometry": "{geometryType:'esriGeometryPolygon',geometry:\(other)}", "sr": "3857",
    ]
    #expect(try area(sendRequest("intersect", pair)) == 1)
    #expect(try area(sendRequest("difference", pair)) == 3)
    #expect(
      try area(
        sendRequest("union", ["geometries": "{geometries:[\(square),\(other)]}", "sr": "3857"]))
        == 7
    )
    #expect(
      try area(
        sendRequest(
          "convexHull", ["geometries": "{geometries:[\(square),\(other)]}", "sr": "3857"])) == 8)
    let relation = try sendRequest(
      "relation",
      [
        "geometries1": "[\(square)]", "geometries2": "[\(other),\(square)]", "sr": "3857",
        "relation": "esriGeometryRelationOverlap",
      ])
    #expect(try relation.list("relations").map { $0["geometry2Index"] as? Int } == [0])
  }

  @Test func measures() throws {
    let sizes = try sendRequest("areasAndLengths", ["polygons": "[\(square)]", "sr": "3857"])
    #expect(sizes["areas"] as? [Double] == [4] && sizes["lengths"] as? [Double] == [8])
    let geodesic = try sendRequest(
      "lengths",
      [
        "polylines": "[{paths:[[[0,0],[0,1]]]}]", "sr": "4326", "calculationType": "geodesic",
        "lengthUnit": "9036",
      ])
    let kilometres = try #require((geodesic["lengths"] as? [Double])?.first)
    #expect(abs(kilometres - 110.574388558) < 1e-6)
    let distance = try sendRequest(
      "distance",
      [
        "geometry1": "{geometryType:'esriGeometryPoint',geometry:{x:0,y:0}}",
        "geometry2": "{geometry:{x:3,y:4}}", "sr": "3857",
      ])
    #expect(distance["distance"] as? Double == 5)
  }

  @Test func buffersAndProjections() throws {
    let reply = try sendRequest(
      "buffer",
      [
        "geometries": "18.4,-33.9", "inSR": "4326", "distances": "1", "unit": "9036",
        "geodesic": "true", "outSR": "32734",
      ])
    #expect(abs(try area(reply) / (.pi * 1e6) - 1) < 0.005)
    let projected = try sendRequest(
      "project", ["geometries": "18.4,-33.9", "inSR": "4326", "outSR": "3857"])
    let point = try projected.list("geometries")[0]
    #expect(abs((point["x"] as? Double ?? 0) - 2_048_278.63) < 0.01)
    let denser = try sendRequest(
      "densify",
      ["geometries": "[{paths:[[[0,0],[10,0]]]}]", "sr": "3857", "maxSegmentLength": "2.5"])
    #expect(
      ((try denser.list("geometries")[0])["paths"] as? [[[Double]]])?.first?.count == 5)
    let units = try sendRequest(
      "densify",
      [
        "geometries": "[{paths:[[[0,0],[10,0]]]}]", "sr": "3857", "maxSegmentLength": "5",
        "lengthUnit": "9036",
      ])
    #expect(((try units.list("geometries")[0])["paths"] as? [[[Double]]])?.first?.count == 2)
    let parallel = try sendRequest(
      "lengths",
      [
        "polylines": "[{paths:[[[0,45],[90,45]]]}]", "sr": "4326",
        "calculationType": "preserveShape", "lengthUnit": "9001",
      ])
    let metres = try #require((parallel["lengths"] as? [Double])?.first)
    #expect(abs(metres - 7_096_215.16) < 1)
    let touching = try sendRequest(
      "intersect",
      [
        "geometries": "[{rings:[[[0,0],[0,1],[1,1],[1,0],[0,0]]]},\(square)]",
        "geometry": "{geometry:{rings:[[[1,0],[1,1],[2,1],[2,0],[1,0]]]}}", "sr": "3857",
      ])
    #expect(touching["geometryType"] as? String == "esriGeometryPolygon")
    #expect((try touching.list("geometries")[0])["rings"] as? [[[Double]]] == [])
    let labels = try sendRequest("labelPoints", ["polygons": "[\(square)]", "sr": "3857"])
    #expect(try labels.list("labelPoints").count == 1)
  }

  /// `calculationType` is the newer name of `geodesic`; neither of them is ignored.
  @Test(arguments: [
    ("planar", "true"), ("geodesic", "false"), ("preserveShape", "false"),
  ])
  func contradictoryMeasuresAreErrors(type: String, geodesic: String) throws {
    let line = ["polylines": "[{paths:[[[0,0],[0,1]]]}]", "sr": "4326"]
    let both = line.merging(["calculationType": type, "geodesic": geodesic]) { $1 }
    #expect(try sendRequest("lengths", both).failure().message.contains("contradict"))
    let agreeing = line.merging(
      ["calculationType": type, "geodesic": geodesic == "true" ? "false" : "true"]
    ) { $1 }
    #expect((try sendRequest("lengths", agreeing)["lengths"] as? [Double])?.count == 1)
  }

  /// Edges with millions of crossings are rejected before they use up the memory; a shape of the
  /// same length without crossings is accepted.
  @Test func crossingsAreBounded() throws {
    var random = SeededGenerator(seed: 3)
    let wild = (0..<20_000).map { _ in
      "[\(Double.random(in: 0...1, using: &random)),\(Double.random(in: 0...1, using: &random))]"
    }.joined(separator: ",")
    for (name, shape) in [
      ("simplify", "{rings:[[\(wild),[0,0]]]}"), ("buffer", "{paths:[[\(wild)]]}"),
    ] {
      let failure = try sendRequest(
        name,
        [
          "geometries": "[\(shape)]", "sr": "3857", "inSR": "3857", "distances": "1", "f": "json",
        ]
      ).failure()
      #expect(failure.message.contains("cross"))
    }
    let plain = (0...20_000).map { number -> String in
      let angle = Double(number % 20_000) / 10_000 * .pi
      return "[\(cos(angle)),\(sin(angle))]"
    }.joined(separator: ",")
    let circle = try sendRequest(
      "simplify", ["geometries": "[{rings:[[\(plain)]]}]", "sr": "3857"])
    #expect(abs(try area(circle) - .pi) < 1e-3)
  }

  /// A URL would cause the server to send a request.
  @Test(
    arguments: [
      ("union", ["geometries": "{url:'http://127.0.0.1/x'}", "sr": "3857"]),
      ("buffer", ["geometries": "1,2"]), ("buffer", ["inSR": "4326"]),
      ("densify", ["geometries": "[{paths:[[[0,0],[10,0]]]}]", "maxSegmentLength": "1e-9"]),
      (
        "generalize",
        [
          "geometries": "[{paths:[[[0,0],[1,1]]]}]", "sr": "4326", "maxDeviation": "10",
          "deviationUnit": "9001",
        ]
      ),
      (
        "areasAndLengths",
        [
          "polygons": "[{rings:[[[0,0],[0,2],[2,2],[2,0],[0,0]]]}]", "sr": "4326",
          "areaUnit": "esriAcres",
        ]
      ),
      ("project", ["geometries": "[{x:1}]", "inSR": "4326", "outSR": "3857"]),
      ("nothing", [:]),
    ] as [(String, [String: String])])
  func mistakesAreReported(name: String, parameters: [String: String]) throws {
    let failure = try sendRequest(name, parameters).failure()
    #expect(failure.code >= 400)
  }
}
