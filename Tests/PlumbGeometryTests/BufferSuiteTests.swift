import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// The XML suites of JTS and GEOS, with the tolerances that JTS publishes in `BufferResultMatcher`.
@Suite(.enabled(if: TestPaths.data != nil, "the shared data are missing"))
struct BufferSuiteTests {
  @Test(arguments: [
    ("TestBuffer.xml", 38), ("TestBufferExternal-1.xml", 2), ("TestBufferExternal-2.xml", 100),
    ("TestBufferMitredJoin.xml", 5),
  ])
  func everyCaseOfTheSuite(file: String, count: Int) throws {
    let path = try #require(TestPaths.data) + "/geometry/" + file
    let cases = BufferCase.cases(in: try String(contentsOfFile: path, encoding: .utf8))
    #expect(cases.count == count)
    let oracle = GEOSOracle()
    for (index, item) in cases.enumerated() {
      let point = "\(file), \(index + 1): \(item.distance)"
      let geometry = try oracle.geometry(item.geometry)
      let buffers = try GeometryEngine.buffer(
        around: [geometry], distances: [item.distance],
        method: .planar(
          PlanarBufferOptions(
            join: item.isMitred ? .mitre(limit: 5) : .round, segmentsPerQuarter: item.segments)))
      let buffer = try #require(buffers.first)
      guard !item.expectsNothing else {
        #expect(buffer.isEmpty, "\(point)")
        continue
      }
      #expect(try oracle.isValid(.polygon(buffer)), "\(point)")
      let actual = try oracle.context.shape(of: .polygon(buffer))
      let expected = try oracle.shape(item.expected)
      let area = try oracle.area(expected)
      try #require(area > 0, "\(point)")
      #expect(try oracle.areaApart(actual, expected) / area <= 1e-3, "\(point)")
      #expect(
        try oracle.boundaryDistance(actual, expected) <= abs(item.distance) / 100, "\(point)")
    }
  }
}

/// One operation of a suite.
private struct BufferCase {
  var geometry: String
  var distance: Double
  var segments: Int
  var isMitred: Bool
  var expected: String

  var expectsNothing: Bool { expected.contains("EMPTY") }

  /// The files are simple: cases with one `<a>` and any number of `<op>`, without nesting.
  static func cases(in text: String) -> [BufferCase] {
    text.components(separatedBy: "<case>").dropFirst().flatMap { block in
      let geometry = block.between("<a>", "</a>").joined(whitespace: " ")
      return block.components(separatedBy: "<op").dropFirst().compactMap {
        operation -> BufferCase? in
        let head = operation.between("", ">")
        let name = head.between("name='", "'").lowercased()
        guard name == "buffer" || name == "buffermitredjoin",
          let distance = Double(head.between("arg2='", "'"))
        else { return nil }
        return BufferCase(
          geometry: geometry, distance: distance, segments: Int(head.between("arg3='", "'")) ?? 8,
          isMitred: name == "buffermitredjoin",
          expected: operation.between(">", "</op>").joined(whitespace: " "))
      }
    }
  }
}

extension String {
  /// The text after the first `start` and before the next `end`; empty if one of them is missing.
  fileprivate func between(_ start: String, _ end: String) -> String {
    guard let low = start.isEmpty ? startIndex..<startIndex : range(of: start),
      let high = range(of: end, range: low.upperBound..<endIndex)
    else { return "" }
    return String(self[low.upperBound..<high.lowerBound])
  }

  fileprivate func joined(whitespace: String) -> String {
    split(whereSeparator: \.isWhitespace).joined(separator: whitespace)
  }
}
