import Plumb
import PlumbBatch
import PlumbCore
import PlumbIO

/// Writes statistics of the polygons of a query as CoverageJSON, GeoJSON or a table. Each polygon
/// of a multipolygon has separate statistics.
struct AreaReply {
  private let polygons: [Polygon]
  private let statistics: [AreaStatistic]
  private let reference: OGCReference
  /// The value of each statistic for each polygon; nil if there is no value.
  private let values: [[Double?]]
  /// The date of the raster; nil for a raster without dates.
  private let date: String?
  private let warnings: [String]

  /// - Parameter times: at most one date.
  init(
    _ shape: Geometry, _ statistics: [AreaStatistic], of image: ImageService,
    _ reference: OGCReference, _ times: DataTimes
  ) throws {
    guard case .polygon(let area) = shape else { throw ServiceError("'coords' is not a polygon") }
    polygons = Self.polygons(of: area)
    (self.statistics, self.reference) = (statistics, reference)
    let areas = ImageAreas(
      polygons.map { .polygon($0) }, reference.reference, of: image, parameter: "coords")
    let raster = try image.raster(times.choice)
    date = times.texts.first
    let computed: [ZonalStatistic] = [.mean, .count]
    var values = [[Double?]](repeating: [], count: statistics.count)
    var warnings: [String] = []
    // The statistics of all bands are computed together, once for stored values and once for scaled
    // values.
    for isScaled in [false, true] {
      let chosen = statistics.indices.filter {
        statistics[$0].parameter.isScaled == isScaled
      }
      let bands = Set(chosen.map { statistics[$0].parameter.band }).sorted()
      if bands.isEmpty { continue }
      let found = try areas.statistics(
        computed, bands: bands, raster, isScaled: isScaled, &warnings)
      for index in chosen {
        let band = bands.firstIndex(of: statistics[index].parameter.band) ?? 0
        let position = computed.firstIndex(of: statistics[index].statistic) ?? 0
        values[index] = found.map { $0[band][position] }
      }
    }
    (self.values, self.warnings) = (values, warnings)
  }

  private static func polygons(of area: Polygon) -> [Polygon] {
    let rings = area.rings
    return area.parts.compactMap { part in
      guard let first = part.first, let last = part.last else { return nil }
      let range = rings[first].lowerBound..<rings[last].upperBound
      return Polygon(
        VertexList(Array(area.vertices.xy[range])),
        ringEnds: part.map { rings[$0].upperBound - range.lowerBound })
    }
  }

  /// - Parameter cells: the values of the cells, which only CoverageJSON includes in addition to
  ///   the statistics.
  func reply(_ form: OGCForm.Kind, beside cells: DataReply?) throws -> ServiceReply {
    var reply = try body(form, beside: cells)
    reply.warnings = warnings + (cells?.samples.warnings ?? []).filter { !warnings.contains($0) }
    return reply
  }

  private func body(_ form: OGCForm.Kind, beside cells: DataReply?) throws -> ServiceReply {
    let text = TextBuffer(capacity: 1 << 14)
    switch form {
    case .geoJSON:
      writeGeoJSON(text)
      return ServiceReply(.bytes(Array(text.bytes)), "application/geo+json")
    case .csv:
      writeTable(text)
      return ServiceReply(.bytes(Array(text.bytes)), ContentType.csv)
    case .json, .page, .coverageJSON, .parquet:
      if let cells {
        text.append(literal: "{\"type\":\"CoverageCollection\",\"coverages\":[")
        try cells.writeCoverage(text) { _ in try WorkCancellation.checkCurrent() }
        text.append(UInt8(ascii: ","))
      }
      writeCoverage(text)
      if cells != nil { text.append(literal: "]}") }
      return ServiceReply(.bytes(Array(text.bytes)), "application/prs.coverage+json")
    }
  }

  private func append(_ value: Double?, isField: Bool, to text: TextBuffer) {
    guard let value else {
      if !isField { text.append(literal: "null") }
      return
    }
    value.isFinite || !isField ? text.append(json: value) : text.append(value.description)
  }

  /// Appends the rings of a polygon as arrays of positions.
  private func append(_ polygon: Polygon, isYFirst: Bool, to text: TextBuffer) {
    text.append(UInt8(ascii: "["))
    for (number, ring) in polygon.rings.enumerated() {
      text.append(literal: number > 0 ? ",[" : "[")
      for index in ring {
        let vertex = polygon.vertices.xy[index]
        text.append(literal: index > ring.lowerBound ? ",[" : "[")
        text.append(json: isYFirst ? vertex.y : vertex.x)
        text.append(UInt8(ascii: ","))
        text.append(json: isYFirst ? vertex.x : vertex.y)
        text.append(UInt8(ascii: "]"))
      }
      text.append(UInt8(ascii: "]"))
    }
    text.append(UInt8(ascii: "]"))
  }

  private func writeCoverage(_ text: TextBuffer) {
    text.append(literal: "{\"type\":\"Coverage\",\"domain\":{\"type\":\"Domain\",\"domainType\":")
    text.append(literal: polygons.count == 1 ? "\"Polygon\"" : "\"MultiPolygon\"")
    text.append(
      literal: ",\"axes\":{\"composite\":{\"dataType\":\"polygon\",\"coordinates\":[\"x\",\"y\"],")
    text.append(literal: "\"values\":[")
    for (number, polygon) in polygons.enumerated() {
      if number > 0 { text.append(UInt8(ascii: ",")) }
      append(polygon, isYFirst: false, to: text)
    }
    text.append(UInt8(ascii: "]"))
    text.append(UInt8(ascii: "}"))
    DataReply.append(times: date.map { [$0] } ?? [], to: text)
    text.append(UInt8(ascii: "}"))
    DataReply.append(reference, hasTimes: date != nil, to: text)
    text.append(literal: "},\"parameters\":{")
    DataReply.append(statistics.map { ($0.name, $0.coverageJSON) }, to: text)
    text.append(literal: "},\"ranges\":{")
    for (index, statistic) in statistics.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(key: statistic.name)
      text.append(
        literal: "{\"type\":\"NdArray\",\"dataType\":\"float\",\"axisNames\":[\"composite\"],")
      text.append(literal: "\"shape\":[")
      text.append(signed: Int64(polygons.count))
      text.append(literal: "],\"values\":[")
      for (number, value) in values[index].enumerated() {
        if number > 0 { text.append(UInt8(ascii: ",")) }
        append(value, isField: false, to: text)
      }
      text.append(literal: "]}")
    }
    text.append(literal: "}}")
  }

  private func writeGeoJSON(_ text: TextBuffer) {
    text.append(literal: "{\"type\":\"FeatureCollection\",\"parameters\":{")
    DataReply.append(statistics.map { ($0.name, $0.description) }, to: text)
    text.append(literal: "},\"features\":[")
    for (number, polygon) in polygons.enumerated() {
      if number > 0 { text.append(UInt8(ascii: ",")) }
      text.append(literal: "{\"type\":\"Feature\",\"id\":")
      text.append(signed: Int64(number))
      text.append(literal: ",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":")
      append(polygon, isYFirst: reference.isYFirst, to: text)
      text.append(literal: "},\"properties\":{")
      if let date {
        text.append(literal: "\"datetime\":")
        text.append(json: date)
        text.append(UInt8(ascii: ","))
      }
      for (index, statistic) in statistics.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        text.append(key: statistic.name)
        append(values[index][number], isField: false, to: text)
      }
      text.append(literal: "}}")
    }
    text.append(literal: "]}")
  }

  /// Writes one line for each polygon. A line begins with the polygon's number from 0.
  private func writeTable(_ text: TextBuffer) {
    text.append(literal: date == nil ? "area" : "area,datetime")
    for statistic in statistics {
      text.append(UInt8(ascii: ","))
      text.append(statistic.name)
    }
    text.append(UInt8(ascii: "\n"))
    for number in polygons.indices {
      text.append(signed: Int64(number))
      if let date { text.append("," + date) }
      for index in statistics.indices {
        text.append(UInt8(ascii: ","))
        append(values[index][number], isField: true, to: text)
      }
      text.append(UInt8(ascii: "\n"))
    }
  }
}
