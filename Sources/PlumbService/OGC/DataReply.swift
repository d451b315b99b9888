import Plumb
import PlumbCore
import PlumbIO

/// Writes the values of points as CoverageJSON, GeoJSON or a table.
struct DataReply: Sendable {
  let samples: DataSamples
  let parameters: [RasterParameter]
  let reference: OGCReference
  /// Whether the request contains a single point instead of a list of points.
  let isPoint: Bool
  /// The number of points written between two cancellation checks. Replies with more points are
  /// streamed.
  private static let chunk = 1 << 15

  func reply(_ form: OGCForm.Kind) throws -> ServiceReply {
    let type: String
    let write: @Sendable (TextBuffer, (TextBuffer) throws -> Void) throws -> Void
    switch form {
    case .geoJSON: (type, write) = ("application/geo+json", writeGeoJSON)
    case .csv: (type, write) = (ContentType.csv, writeTable)
    case .json, .page, .coverageJSON, .parquet:
      (type, write) = ("application/prs.coverage+json", writeCoverage)
    }
    guard samples.count * answers.count > Self.chunk else {
      let text = TextBuffer(capacity: 1 << 12 + samples.count * 48)
      try write(text) { _ in }
      return ServiceReply(.bytes(Array(text.bytes)), type, warnings: samples.warnings)
    }
    let stream = ReplyStream(values: samples.memory) { send in
      let text = TextBuffer(capacity: 1 << 20)
      try write(text) { text in
        try WorkCancellation.checkCurrent()
        try send(Array(text.bytes))
        text.removeAll()
      }
      try send(Array(text.bytes))
    }
    return ServiceReply(.stream(stream), type, warnings: samples.warnings)
  }

  /// The values of each date, or of a raster without dates.
  private var answers: [(date: String?, values: RasterAnswer)] {
    guard !samples.dates.isEmpty else { return [(nil, samples.values)] }
    return samples.dates.map { (date: $0.text, values: $0.values) }
  }

  /// Calls `body` with the number of each point and its row in the samples.
  ///
  /// - Parameter start: the number of points before these.
  @inline(__always)
  private func forEachRow(
    _ text: TextBuffer, _ part: (TextBuffer) throws -> Void, from start: Int = 0,
    _ body: (Int, Int) -> Void
  ) throws {
    for number in 0..<samples.count {
      if start + number > 0, (start + number) % Self.chunk == 0 { try part(text) }
      body(start + number, samples.rows?[number] ?? number)
    }
  }

  // MARK: CoverageJSON

  func writeCoverage(
    _ text: TextBuffer, _ part: (TextBuffer) throws -> Void
  ) throws {
    text.append(literal: "{\"type\":\"Coverage\",\"domain\":{\"type\":\"Domain\",\"domainType\":")
    let isSeries = samples.dates.count > 1
    if isPoint, let point = samples.points.first {
      text.append(literal: isSeries ? "\"PointSeries\"" : "\"Point\"")
      text.append(literal: ",\"axes\":{\"x\":{\"values\":[")
      text.append(json: point.x)
      text.append(literal: "]},\"y\":{\"values\":[")
      text.append(json: point.y)
      text.append(literal: "]}")
    } else {
      text.append(literal: isSeries ? "\"MultiPointSeries\"" : "\"MultiPoint\"")
      text.append(literal: ",\"axes\":{\"composite\":{\"dataType\":\"tuple\",\"coordinates\":")
      text.append(literal: "[\"x\",\"y\"],\"values\":[")
      try forEachRow(text, part) { number, row in
        text.append(literal: number > 0 ? ",[" : "[")
        text.append(json: samples.points[row].x)
        text.append(UInt8(ascii: ","))
        text.append(json: samples.points[row].y)
        text.append(UInt8(ascii: "]"))
      }
      text.append(literal: "]}")
    }
    Self.append(times: samples.dates.map(\.text), to: text)
    text.append(UInt8(ascii: "}"))
    Self.append(reference, hasTimes: !samples.dates.isEmpty, to: text)
    text.append(literal: "},\"parameters\":{")
    Self.append(parameters.map { ($0.name, $0.coverageJSON) }, to: text)
    text.append(literal: "},\"ranges\":{")
    for (index, parameter) in parameters.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(key: parameter.name)
      text.append(literal: "{\"type\":\"NdArray\",\"dataType\":")
      text.append(json: parameter.dataType)
      appendShape(isSeries: isSeries, to: text)
      text.append(literal: ",\"values\":[")
      for (number, answer) in answers.enumerated() {
        let column = answer.values.columns[parameter.band]
        try forEachRow(text, part, from: number * samples.count) { number, row in
          if number > 0 { text.append(UInt8(ascii: ",")) }
          parameter.append(column, row, isField: false, to: text)
        }
      }
      text.append(literal: "]}")
    }
    text.append(literal: "}}")
  }

  /// Appends the names of the axes with several values, and the numbers of their values.
  private func appendShape(isSeries: Bool, to text: TextBuffer) {
    guard isSeries || !isPoint else { return }
    text.append(literal: ",\"axisNames\":[")
    if isSeries { text.append(literal: isPoint ? "\"t\"" : "\"t\",") }
    if !isPoint { text.append(literal: "\"composite\"") }
    text.append(literal: "],\"shape\":[")
    if isSeries {
      text.append(signed: Int64(samples.dates.count))
      if !isPoint { text.append(UInt8(ascii: ",")) }
    }
    if !isPoint { text.append(signed: Int64(samples.count)) }
    text.append(UInt8(ascii: "]"))
  }

  /// Appends the axis of times; nothing for a raster without dates.
  static func append(times: [String], to text: TextBuffer) {
    guard !times.isEmpty else { return }
    text.append(literal: ",\"t\":{\"values\":[")
    for (index, time) in times.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(json: time)
    }
    text.append(literal: "]}")
  }

  /// Appends the CRS of a coverage's domain, and the system of its times.
  static func append(_ reference: OGCReference, hasTimes: Bool, to text: TextBuffer) {
    // The coordinates are listed in the axis order of the CRS.
    text.append(literal: ",\"referencing\":[{\"coordinates\":")
    text.append(literal: reference.isYFirst ? "[\"y\",\"x\"]" : "[\"x\",\"y\"]")
    text.append(literal: ",\"system\":{\"type\":")
    text.append(
      literal: reference.reference.isGeographic ? "\"GeographicCRS\"" : "\"ProjectedCRS\"")
    text.append(literal: ",\"id\":")
    text.append(json: reference.address)
    text.append(literal: "}}")
    if hasTimes {
      text.append(literal: ",{\"coordinates\":[\"t\"],\"system\":{\"type\":\"TemporalRS\",")
      text.append(literal: "\"calendar\":\"Gregorian\"}}")
    }
    text.append(UInt8(ascii: "]"))
  }

  /// Appends the members of a JSON object.
  static func append(_ members: [(name: String, value: JSONObject)], to text: TextBuffer) {
    for (index, member) in members.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(key: member.name)
      text.append(contentsOf: member.value.bytes)
    }
  }

  // MARK: GeoJSON

  private func writeGeoJSON(
    _ text: TextBuffer, _ part: (TextBuffer) throws -> Void
  ) throws {
    text.append(literal: "{\"type\":\"FeatureCollection\",\"parameters\":{")
    Self.append(parameters.map { ($0.name, $0.description) }, to: text)
    text.append(literal: "},\"features\":[")
    for (index, answer) in answers.enumerated() {
      let columns = parameters.map { answer.values.columns[$0.band] }
      try forEachRow(text, part, from: index * samples.count) { number, row in
        appendFeature(number, row, answer.date, columns, to: text)
      }
    }
    text.append(literal: "]}")
  }

  @inline(__always)
  private func appendFeature(
    _ number: Int, _ row: Int, _ date: String?, _ columns: [ValueColumn], to text: TextBuffer
  ) {
    text.append(
      literal: number > 0 ? ",{\"type\":\"Feature\",\"id\":" : "{\"type\":\"Feature\",\"id\":")
    text.append(signed: Int64(number))
    text.append(literal: ",\"geometry\":{\"type\":\"Point\",\"coordinates\":[")
    let point = samples.points[row]
    text.append(json: reference.isYFirst ? point.y : point.x)
    text.append(UInt8(ascii: ","))
    text.append(json: reference.isYFirst ? point.x : point.y)
    text.append(literal: "]},\"properties\":{")
    if let date {
      text.append(literal: "\"datetime\":")
      text.append(json: date)
      if !parameters.isEmpty { text.append(UInt8(ascii: ",")) }
    }
    for (index, parameter) in parameters.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(key: parameter.name)
      parameter.append(columns[index], row, isField: false, to: text)
    }
    text.append(literal: "}}")
  }

  // MARK: Table

  private func writeTable(
    _ text: TextBuffer, _ part: (TextBuffer) throws -> Void
  ) throws {
    text.append(literal: samples.dates.isEmpty ? "x,y" : "x,y,datetime")
    for parameter in parameters {
      text.append(UInt8(ascii: ","))
      text.append(parameter.name)
    }
    text.append(UInt8(ascii: "\n"))
    for (index, answer) in answers.enumerated() {
      let columns = parameters.map { answer.values.columns[$0.band] }
      let date = answer.date.map { "," + $0 } ?? ""
      try forEachRow(text, part, from: index * samples.count) { _, row in
        text.append(json: samples.points[row].x)
        text.append(UInt8(ascii: ","))
        text.append(json: samples.points[row].y)
        text.append(date)
        for (index, parameter) in parameters.enumerated() {
          text.append(UInt8(ascii: ","))
          parameter.append(columns[index], row, isField: true, to: text)
        }
        text.append(UInt8(ascii: "\n"))
      }
    }
  }
}
