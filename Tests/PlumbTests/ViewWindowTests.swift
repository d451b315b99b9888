import Plumb
import PlumbDrawing
import PlumbTestSupport
import Testing

/// The shapes that are read for a picture include all shapes that it shows.
@Suite struct ViewWindowTests {
  private struct Case: Sendable {
    var code: String
    var extent: [Double]
    /// A point that is in the picture.
    var seen: [Double]
    /// A point that is outside of the picture.
    var unseen: [Double]
  }

  private static func legend(_ example: Case, _ point: [Double]) throws -> Int {
    let folder = try TemporaryFolder()
    try folder.write(
      "p.geojson",
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":"#
        + #"{"type":"Point","coordinates":[\#(point[0]),\#(point[1])]}}]}"#)
    let reference = try SpatialReference(example.code)
    let view = try DrawnView(
      extent: Envelope(
        xMin: example.extent[0], yMin: example.extent[1], xMax: example.extent[2],
        yMax: example.extent[3]),
      width: 300, height: 300, reference: reference)
    var painter = MapPainter(view, on: try Canvas(width: 300, height: 300, format: .png))
    painter.draw(try Map.any(path: folder.path("p.geojson")))
    return painter.legend.count
  }

  /// Views in the CRS of the shapes, across ±180°, a period of longitude away, and at a pole.
  @Test func shapesOfTheViewAreDrawn() throws {
    for example in [
      Case(code: "EPSG:4326", extent: [-10, -10, 10, 10], seen: [9, 9], unseen: [40, 9]),
      Case(code: "EPSG:4326", extent: [170, -10, 190, 10], seen: [-175, 0], unseen: [100, 0]),
      Case(code: "EPSG:4326", extent: [-10, -10, 10, 10], seen: [365, 0], unseen: [330, 0]),
      Case(code: "EPSG:3857", extent: [0, 0, 1e6, 1e6], seen: [364, 3], unseen: [4, 60]),
      Case(code: "EPSG:32634", extent: [2e5, 6e6, 6e5, 6.4e6], seen: [20, 55], unseen: [60, 55]),
    ] {
      #expect(try Self.legend(example, example.seen) == 1, "\(example)")
      #expect(try Self.legend(example, example.unseen) == 0, "\(example)")
    }
    let pole = Case(
      code: "EPSG:3031", extent: [-1e6, -1e6, 1e6, 1e6], seen: [123, -89], unseen: [])
    #expect(try Self.legend(pole, pole.seen) == 1)
  }
}
