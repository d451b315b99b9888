import Plumb
import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO
import PlumbVerbs

/// Handles queries of a raster's values at points, within a radius, in an area or along a line.
struct DataQuery {
  private let image: ImageService
  private let kind: String
  private let form: OGCForm.Kind
  private let reference: OGCReference
  private let shape: Geometry
  private let parameters: [RasterParameter]
  private let statistics: [AreaStatistic]
  /// The radius in metres; 0 for queries without a radius.
  private let within: Double
  private let times: DataTimes

  /// The units of the parameter `within`, with their lengths in metres.
  static let units: [(name: String, metres: Double)] = [
    ("m", 1), ("km", 1000), ("mi", 1609.344), ("nmi", 1852), ("ft", 0.3048),
  ]
  /// The WKT geometry types of each kind of query.
  static let shapes = [
    "position": ["POINT", "MULTIPOINT"], "radius": ["POINT"], "area": ["POLYGON", "MULTIPOLYGON"],
    "trajectory": ["LINESTRING", "MULTILINESTRING"],
  ]
  private static let common = [
    "coords", "crs", "parameter-name", "parameter_names", "datetime", "z", "f",
  ]

  /// - Parameter kind: one of `OGCRouter.dataQueries`.
  init(_ image: ImageService, _ request: ServiceRequest, kind: String) throws {
    (self.image, self.kind) = (image, kind)
    let isRadius = kind == "radius"
    let received = try OGCParameters(
      request, known: Self.common + (isRadius ? ["within", "within-units"] : []))
    form = try OGCForm.chosen(received["f"], accept: request.accept, from: OGCForm.data)
    let storageReference = try image.reference()
    let references = OGCReference.all(storage: storageReference)
    reference =
      try received["crs"].map {
        try OGCReference.named($0, "crs", among: references, allowsShortName: true)
      } ?? .crs84
    let raster = try image.raster()
    guard received["parameter-name"] == nil || received["parameter_names"] == nil else {
      throw ServiceError("'parameter-name' and 'parameter_names' are synonyms; send only one")
    }
    (parameters, statistics) = try Self.parameters(
      received["parameter-name"] ?? received["parameter_names"], of: raster, kind)
    guard statistics.isEmpty || parameters.isEmpty || form != .geoJSON && form != .csv else {
      throw ServiceError(
        "'parameter-name': cell values and area statistics can be combined only in CoverageJSON"
      )
    }
    // The parameter `z` is only checked. A raster has no heights, so its values apply to all heights.
    times = try DataTimes(received.period("datetime"), of: image)
    if let z = received["z"] { try Self.check(heights: z) }
    shape = try Self.shape(received["coords"], kind, reference)
    within = isRadius ? try Self.radius(received) : 0
  }

  /// Returns the parameters for cell values and for area statistics that a request names, in the
  /// order of the request. By default, the parameters for all cell values are returned.
  ///
  /// - Parameter text: comma-separated names.
  private static func parameters(
    _ text: String?, of raster: Raster, _ kind: String
  ) throws(ServiceError) -> ([RasterParameter], [AreaStatistic]) {
    let all = RasterParameter.all(of: raster)
    guard let text else { return (all, []) }
    let statistics = kind == "area" ? AreaStatistic.all(of: all) : []
    var chosen: (values: [RasterParameter], statistics: [AreaStatistic]) = ([], [])
    for name in try RasterParameter.names(text) {
      if let found = all.first(where: { $0.name == name }) {
        chosen.values.append(found)
      } else if let found = statistics.first(where: { $0.name == name }) {
        chosen.statistics.append(found)
      } else {
        throw ServiceError(
          "'parameter-name': \(name.shown) is not one of "
            + (all.map(\.name) + statistics.map(\.name)).joined(separator: ", "))
      }
    }
    return chosen
  }

  private static func check(heights text: String) throws(ServiceError) {
    let isRepeated = text.uppercased().hasPrefix("R") && text.split(separator: "/").count == 3
    let parts = (isRepeated ? Substring(text.dropFirst()) : Substring(text))
      .split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "," }
    guard parts.allSatisfy({ Double(plain: String($0)) != nil }) else {
      throw ServiceError(
        "'z': \(text.shown) is not a height; write 10, 10,20, 10/20 or R5/10/20")
    }
  }

  private static func radius(_ received: OGCParameters) throws(ServiceError) -> Double {
    guard let within = try received.number("within") else {
      throw ServiceError("'within' is missing: the radius around the point is required")
    }
    let name = received["within-units"] ?? "m"
    guard let unit = units.first(where: { $0.name == name }) else {
      throw ServiceError(
        "'within-units': \(name.shown) is not one of "
          + units.map(\.name).joined(separator: ", "))
    }
    guard within >= 0 else { throw ServiceError("'within': \(within) is below 0") }
    return within * unit.metres
  }

  private static func shape(
    _ text: String?, _ kind: String, _ reference: OGCReference
  ) throws -> Geometry {
    let words = shapes[kind] ?? []
    guard let text else {
      throw ServiceError("'coords' is missing: give a \(words.joined(separator: " or ")) as WKT")
    }
    let word = text.prefix { $0.isLetter }.uppercased()
    let tags = words.flatMap { [$0, $0 + "Z", $0 + "M", $0 + "ZM"] }
    guard tags.contains(word) else {
      throw ServiceError(
        "'coords': \(text.shown) is not a \(words.joined(separator: " or ")) as well-known text")
    }
    let read: Geometry?
    do {
      read = try WKTGeometry.decode(text)
    } catch {
      throw ServiceError("'coords': \(PlumbError(error).line.text(FrontEnd.service.spellings))")
    }
    guard var shape = read, !shape.isEmpty else { throw ServiceError("'coords' is empty") }
    guard shape.vertices.count <= ServiceLimits.vertices else {
      throw ServiceError(
        "'coords' has more than \(ServiceLimits.vertices) vertices", kind: .limit)
    }
    guard shape.vertices.xy.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
      throw ServiceError("'coords': a coordinate is not a finite number")
    }
    shape = reference.ordered(shape)
    shape.spatialReference = reference.reference
    try EdgeCrossings.check([shape], "coords")
    return shape
  }

  // MARK: Reply

  func reply() throws -> ServiceReply {
    var reply = try body()
    reply.headers = [("Content-Crs", "<\(reference.address)>")]
    return reply
  }

  private func body() throws -> ServiceReply {
    guard !statistics.isEmpty else { return try values().reply(form) }
    guard times.indices.count <= 1 else {
      throw ServiceError(
        "'datetime': statistics of an area are for one date; send an instant")
    }
    let areas = try AreaReply(shape, statistics, of: image, reference, times)
    return try areas.reply(form, beside: parameters.isEmpty ? nil : values())
  }

  private func values() throws -> DataReply {
    let limit = image.settings.maximumPoints
    var samples: DataSamples
    if times.indices.count > 1, kind == "area" || kind == "radius", try image.gridCount() > 1 {
      throw ServiceError(
        "'datetime': the files of the dates have different grids; query points, or one date",
        kind: .unsupported)
    }
    switch kind {
    case "position": samples = try at(shape.vertices.xy, limit)
    case "radius":
      samples = try RasterCells(image, reference.reference, limit, times.choice)
        .near(shape, metres: within)
    case "area":
      samples = try RasterCells(image, reference.reference, limit, times.choice).inside(shape)
    default:
      samples = try at(
        try RasterLine(image, reference.reference, limit: limit, times.choice)
          .points(along: shape), limit)
    }
    try times.complete(&samples, of: image, reference.reference, limit: limit)
    var isPoint = false
    if case .point = shape, kind == "position" { isPoint = true }
    return DataReply(
      samples: samples, parameters: parameters, reference: reference, isPoint: isPoint)
  }

  private func at(_ points: [SIMD2<Double>], _ limit: Int) throws -> DataSamples {
    guard points.count <= limit else {
      throw ServiceError("more than \(limit) points in one request", kind: .limit)
    }
    return try DataSamples(
      image, reference.reference, points, keepsCells: false, times.choice)
  }
}
