import Plumb
import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO

/// Handles `getSamples` of an image service, which returns the values at each of many points.
struct ImageSamples {
  private let service: ImageService
  private let reference: SpatialReference
  private let points: [SIMD2<Double>]
  private let choice: ImageChoice
  /// The number of points written between two cancellation checks.
  private static let chunk = 1 << 15
  /// The maximum number of values in memory before they are written.
  private static let maximumValues = 50_000_000

  init(_ parameters: Parameters, of service: ImageService) throws {
    self.service = service
    let limit = max(service.settings.maximumPoints, ServiceLimits.vertices)
    let (geometry, reference) = try parameters.geometry(for: service, pointLimit: limit)
    self.reference = reference
    choice = try ImageChoice(parameters, of: service)
    switch geometry {
    case .point(let point): points = point.isEmpty ? [] : [point.xy]
    case .multipoint(let list): points = list.vertices.xy
    case .polyline, .polygon, .envelope:
      points = try Self.points(along: geometry, try parameters.integer("sampleCount", 1...100_000))
    }
    guard points.count <= service.settings.maximumPoints else {
      throw ServiceError(
        "more than \(service.settings.maximumPoints) points in one request", kind: .limit)
    }
  }

  /// Returns the points at which a shape is sampled. The points are at equal distances along a
  /// line, or in a grid over an area.
  private static func points(
    along geometry: Geometry, _ count: Int?
  ) throws -> [SIMD2<Double>] {
    let count = count ?? 100
    if case .polyline(let line) = geometry {
      let length = try GeometryEngine.length(of: geometry)
      // The search for each point begins at the start of the line, so the work is proportional to
      // the number of points multiplied by the number of vertices.
      guard count * line.vertices.count <= 100_000_000 else {
        throw ServiceError(
          "'sampleCount' parameter is invalid: too many samples along this line", kind: .limit)
      }
      return try (0..<count).map { number in
        try WorkCancellation.checkCurrent()
        let share = count == 1 ? 0.5 : Double(number) / Double(count - 1)
        return try GeometryEngine.point(along: line, distance: share * length).xy
      }
    }
    let box = geometry.envelope
    let side = max(1, Int(Double(count).squareRoot().rounded(.up)))
    let locator = GeometryLocator([geometry])
    var points: [SIMD2<Double>] = []
    for row in 0..<side {
      for column in 0..<side {
        let point = SIMD2(
          box.xMin + (Double(column) + 0.5) / Double(side) * (box.xMax - box.xMin),
          box.yMax - (Double(row) + 0.5) / Double(side) * (box.yMax - box.yMin))
        if !locator.items(at: point).isEmpty { points.append(point) }
      }
    }
    return points
  }

  /// Reads all values before the reply begins, so that a read failure can be reported as an error.
  func content() throws -> ReplyContent {
    let raster = try service.raster(choice)
    let bandCount = choice.bands?.count ?? raster.bands.count
    guard points.count * bandCount <= Self.maximumValues else {
      throw ServiceError(
        "more than \(Self.maximumValues) values in one request: request fewer points", kind: .limit)
    }
    var warnings: [String] = []
    let samples = try service.values(
      at: points, reference, keepsCells: raster.isMosaic, choice, &warnings)
    let resolution = try service.cellSize(choice).x
    let numbers = choice.members ?? Array(raster.members.indices)
    let dates = try choice.isEmpty ? nil : service.dates()
    let moment = dates.map {
      $0.dates[choice.date ?? $0.dates.count - 1].microseconds.floorDivided(by: 1000)
    }
    let (points, reference) = (points, reference.json.bytes)
    let memory = points.count * 16 + samples.memory
    let stream = ReplyStream(values: memory) { send in
      let text = TextBuffer(capacity: 1 << 20)
      text.append(literal: "{\"samples\":[")
      for (row, point) in points.enumerated() {
        if row > 0, row % Self.chunk == 0 {
          try send(Array(text.bytes))
          text.removeAll()
        }
        text.append(literal: row > 0 ? ",{\"location\":{\"x\":" : "{\"location\":{\"x\":")
        text.append(json: point.x)
        text.append(literal: ",\"y\":")
        text.append(json: point.y)
        text.append(literal: ",\"spatialReference\":")
        text.append(contentsOf: reference)
        text.append(literal: "},\"locationId\":")
        text.append(signed: Int64(row))
        text.append(literal: ",\"value\":\"")
        Self.append(samples, row, to: text)
        text.append(literal: "\",\"rasterId\":")
        // If no file has a value at the point, the first file is reported.
        let member = samples.provenance.map { Int($0.member.base[row]) } ?? 0
        text.append(signed: Int64(numbers[max(0, member)] + 1))
        text.append(literal: ",\"resolution\":")
        text.append(json: resolution)
        if let moment {
          text.append(literal: ",\"attributes\":{\"StdTime\":")
          text.append(signed: moment)
          text.append(UInt8(ascii: "}"))
        }
        text.append(literal: "}")
      }
      text.append(literal: "]}")
      try send(Array(text.bytes))
    }
    return .stream(stream, type: ContentType.json, warnings: warnings)
  }

  /// Appends the values of a point, separated by spaces. If no band has a value, a single `NoData`
  /// is appended.
  static func append(_ samples: RasterAnswer, _ row: Int, to text: TextBuffer) {
    let ok = SampleStatus.ok.rawValue
    guard samples.columns.contains(where: { $0.status[row] == ok }) else {
      return text.append(literal: "NoData")
    }
    for (band, column) in samples.columns.enumerated() {
      if band > 0 { text.append(UInt8(ascii: " ")) }
      switch column[row] {
      case nil: text.append(literal: "NoData")
      case .signed(let value)?: text.append(signed: value)
      case .unsigned(let value)?: text.append(unsigned: value)
      case let value?: text.append(value.description)
      }
    }
  }
}
