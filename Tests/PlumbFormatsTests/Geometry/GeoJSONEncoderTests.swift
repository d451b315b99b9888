import PlumbCore
import PlumbIO
import Testing

@testable import PlumbFormats

/// RFC 7946 as text.
@Suite struct GeoJSONEncoderTests {
  private func text(_ geometry: Geometry?) -> String {
    var buffer = TextBuffer()
    GeoJSONGeometry.append(geometry, to: &buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  private let square: [SIMD2<Double>] = [[0, 0], [0, 4], [4, 4], [4, 0], [0, 0]]
  private let hole: [SIMD2<Double>] = [[1, 1], [2, 1], [2, 2], [1, 1]]

  @Test func pointsWithHeightAndWithoutMeasure() {
    #expect(
      text(.point(Point(x: 1.5, y: -0.0))) == #"{"type":"Point","coordinates":[1.5,-0.0]}"#)
    #expect(
      text(.point(Point(x: 1, y: 2, z: 3, m: 4)))
        == #"{"type":"Point","coordinates":[1.0,2.0,3.0]}"#)
    #expect(
      text(.multipoint(Multipoint(VertexList([[1, 2], [3, 4]], z: [5, .nan]))))
        == #"{"type":"MultiPoint","coordinates":[[1.0,2.0,5.0],[3.0,4.0]]}"#)
  }

  @Test func aLineOfOnePartAndOfSeveral() {
    let vertices = VertexList([[1, 2], [3, 4], [5, 6], [7, 8]])
    #expect(
      text(.polyline(Polyline(vertices[0..<2])))
        == #"{"type":"LineString","coordinates":[[1.0,2.0],[3.0,4.0]]}"#)
    #expect(
      text(.polyline(Polyline(vertices, partEnds: [2, 4])))
        == #"{"type":"MultiLineString","coordinates":[[[1.0,2.0],[3.0,4.0]],[[5.0,6.0],[7.0,8.0]]]}"#
    )
  }

  @Test func exteriorRingsRunCounterClockwiseAndHolesClockwise() {
    let polygon = Polygon(VertexList(square + hole), ringEnds: [5, 9], partEnds: [2])
    let area =
      "[[[0.0,0.0],[4.0,0.0],[4.0,4.0],[0.0,4.0],[0.0,0.0]],"
      + "[[1.0,1.0],[2.0,2.0],[2.0,1.0],[1.0,1.0]]]"
    #expect(text(.polygon(polygon)) == #"{"type":"Polygon","coordinates":\#(area)}"#)
    let two = Polygon(
      VertexList(square + hole + square), ringEnds: [5, 9, 14], partEnds: [2, 3])
    #expect(
      text(.polygon(two))
        == #"{"type":"MultiPolygon","coordinates":[\#(area),"#
        + "[[[0.0,0.0],[4.0,0.0],[4.0,4.0],[0.0,4.0],[0.0,0.0]]]]}")
  }

  @Test func anEnvelopeIsItsPolygon() {
    #expect(
      text(.envelope(Envelope(xMin: 1, yMin: 2, xMax: 3, yMax: 4)))
        == #"{"type":"Polygon","coordinates":[[[1.0,2.0],[3.0,2.0],[3.0,4.0],[1.0,4.0],[1.0,2.0]]]}"#
    )
  }

  @Test func nothingIsNullAndAnEmptyShapeHasEmptyCoordinates() {
    #expect(text(nil) == "null")
    #expect(text(.polygon(.empty())) == #"{"type":"Polygon","coordinates":[]}"#)
    #expect(text(.envelope(.empty())) == #"{"type":"Polygon","coordinates":[]}"#)
    #expect(text(.point(.empty())) == #"{"type":"Point","coordinates":[]}"#)
    #expect(
      text(.multipoint(Multipoint(VertexList()))) == #"{"type":"MultiPoint","coordinates":[]}"#)
    #expect(text(.polyline(Polyline(VertexList()))) == #"{"type":"LineString","coordinates":[]}"#)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func aPointThatIsNoNumberMakesTheShapeNull(_ value: Double) {
    #expect(text(.point(Point(x: value, y: 1))) == "null")
    #expect(text(.polyline(Polyline(VertexList([[0, 0], [1, value]])))) == "null")
    #expect(text(.envelope(Envelope(xMin: -.infinity, yMin: 0, xMax: 1, yMax: 1))) == "null")
  }
}
