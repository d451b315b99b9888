import Foundation
import Plumb
import PlumbTestSupport
import Testing

@testable import PlumbService

/// Means and counts of areas in `area` queries of rasters, compared with those of `POST /api/zonal`.
@Suite struct OGCAreaTests {
  private let path = "/collections/cape.evi/area"

  private func ring(_ random: inout SeededGenerator) -> String {
    let centre = SIMD2(
      Double.random(in: 18.4...18.9, using: &random),
      Double.random(in: -34.1 ... -33.7, using: &random))
    var points = (0..<7).map { index -> SIMD2<Double> in
      let angle = 2 * Double.pi * Double(index) / 7
      return centre + Double.random(in: 0.002...0.05, using: &random)
        * SIMD2(cos(angle), sin(angle))
    }
    points.append(points[0])
    return "(" + points.map { "\($0.x) \($0.y)" }.joined(separator: ",") + ")"
  }

  /// The mean and the count of an area, as returned by the plain service.
  private func known(_ service: TestService, _ ring: String) throws -> [Double?] {
    let points = ring.dropFirst().dropLast().split(separator: ",").map {
      "[" + $0.replacing(" ", with: ",") + "]"
    }
    let body =
      #"{"rasters":["n=cape_21"],"crs":"EPSG:4326","stat":"mean,count","features":{"type":"#
      + #""Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[["#
      + points.joined(separator: ",") + "]]}}}"
    let reply = service.api("zonal", body)
    let text = String(decoding: try reply.bytes(), as: UTF8.self)
    #expect(reply.status == 200, "\(text)")
    let properties = try TestService.object(reply).list("features")[0].object("properties")
    return [properties["n_mean"] as? Double, properties["n_count"] as? Double]
  }

  @Test func statisticsAreThoseOfZonal() throws {
    let service = try TestService.sample.get()
    var random = SeededGenerator(seed: 21)
    for count in [1, 1, 1, 3] {
      let rings = (0..<count).map { _ in ring(&random) }
      let known = try rings.map { try self.known(service, $0) }
      let coords =
        count == 1
        ? "POLYGON(\(rings[0]))"
        : "MULTIPOLYGON(\(rings.map { "(\($0))" }.joined(separator: ",")))"
      var parameters = ["coords": coords, "parameter-name": "Band_0_mean,Band_0_count"]
      let coverage = try service.ogcJSON(path, parameters)
      #expect(
        try coverage.object("domain")["domainType"] as? String
          == (count == 1 ? "Polygon" : "MultiPolygon"))
      let ranges = try coverage.object("ranges")
      for (position, name) in ["Band_0_mean", "Band_0_count"].enumerated() {
        let values = try ranges.object(name)["values"] as? [Double?]
        #expect(values == known.map { $0[position] })
        #expect(try ranges.object(name)["shape"] as? [Int] == [count])
      }
      parameters["f"] = "CSV"
      let lines = String(decoding: try service.ogc(path, parameters).bytes(), as: UTF8.self)
        .split(separator: "\n")
      #expect(lines[0] == "area,Band_0_mean,Band_0_count" && lines.count == count + 1)
      // Foundation's parser of JSON numbers may be off by one unit in the last place.
      for (line, mean) in zip(lines.dropFirst(), known.map { $0[0] }) {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        #expect(abs((Double(fields[1]) ?? .nan) - (mean ?? .nan)) < 1e-12)
      }
      parameters["f"] = "GeoJSON"
      let features = try service.ogcJSON(path, parameters).list("features")
      let means = try features.map { try $0.object("properties")["Band_0_mean"] as? Double }
      #expect(means == known.map { $0[0] })
      #expect(try features[0].object("geometry")["type"] as? String == "Polygon")
    }
  }

  /// Cell values and statistics are two coverages of one reply.
  @Test func valuesBesideStatistics() throws {
    let service = try TestService.sample.get()
    var parameters = ["coords": "POLYGON((18.5 -34,18.52 -34,18.52 -33.98,18.5 -33.98,18.5 -34))"]
    let plain = try service.ogcJSON(path, parameters)
    parameters["parameter-name"] = "Band_0,Band_0_count"
    let both = try service.ogcJSON(path, parameters).list("coverages")
    #expect(both.count == 2)
    #expect(
      try both[0].object("ranges").object("Band_0")["values"] as? [Double?]
        == plain.object("ranges").object("Band_0")["values"] as? [Double?])
    let names = try both[1].object("ranges").keys.sorted()
    #expect(names == ["Band_0_count"])
    #expect(
      try both[1].object("domain").object("axes").object("composite")["dataType"] as? String
        == "polygon")
    for form in ["CSV", "GeoJSON"] {
      parameters["f"] = form
      #expect(try service.problem(path, parameters).contains("CoverageJSON"))
    }
  }

  @Test func otherQueriesHaveNoStatistics() throws {
    let service = try TestService.sample.get()
    let detail = try service.problem(
      "/collections/cape.evi/position",
      ["coords": "POINT(18.5 -34)", "parameter-name": "Band_0_mean"])
    #expect(detail.contains("Band_0_mean") && detail.contains("parameter-name"))
    // Outside of the raster.
    let outside = try service.ogcJSON(
      path, ["coords": "POLYGON((0 0,1 0,1 1,0 0))", "parameter-name": "Band_0_mean,Band_0_count"])
    let ranges = try outside.object("ranges")
    #expect((try ranges.object("Band_0_mean")["values"] as? [Any])?.first is NSNull)
    #expect(try ranges.object("Band_0_count")["values"] as? [Double] == [0])
  }
}
