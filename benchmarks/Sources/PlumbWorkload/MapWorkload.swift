import Plumb

/// Plumb's part of the workloads of single points on a map of five layers, all in WGS84:
///
///     plumb-workload map-exact RASTER --layers FOLDER --out PREFIX
///     plumb-workload map-reach RASTER --layers FOLDER --pixels P --scale S --out PREFIX
///
/// Points are x.npy and y.npy of the folder. For each layer of features, NAME_xy.npy contains the
/// vertices as x, y, x, y…, NAME_parts.npy the end of each feature and, for areas, NAME_rings.npy the
/// end of each ring. Everything is in memory, and every point has been identified once before timing
/// starts.
struct MapWorkload {
  private enum Shape {
    case point, line, area
  }

  /// The layers of features, in the order of the written counts.
  private static let layers: KeyValuePairs<String, Shape> = [
    "parcels": .area, "roads": .line, "points": .point, "districts": .area, "hydrants": .point,
  ]
  private static let raster = "ndvi"
  private static let fields = [
    Field(name: "id", kind: .integer), Field(name: "name", kind: .text),
    Field(name: "class", kind: .integer), Field(name: "value", kind: .real),
  ]

  let arguments: Arguments

  /// nil for another mode.
  init?(_ arguments: Arguments) {
    guard ["map-exact", "map-reach"].contains(arguments.mode) else { return nil }
    self.arguments = arguments
  }

  /// The line with the time, for the suite.
  func run() throws -> String {
    let identifier = try MapIdentifier(
      try map(), options: try options(), workers: Workers(count: 1))
    if let warning = identifier.warnings.first {
      throw NumPyFile.Failure(message: warning.text())
    }
    let (x, y) = (try numbers("x"), try numbers("y"))
    let names = Self.layers.map(\.key) + [Self.raster]
    var counts: [Int64] = []
    for point in x.indices {
      let found = Self.counts(identifier.identify(x: x[point], y: y[point]))
      counts += names.map { found[$0] ?? 0 }
    }
    var times: [Double] = []
    times.reserveCapacity(x.count)
    var elements = 0
    for point in x.indices {
      var results: [IdentifyLayerResult] = []
      times.append(timed { results = identifier.identify(x: x[point], y: y[point]) })
      elements += results.reduce(0) { $0 + $1.elementCount }
    }
    try NumPyFile.write(arguments.text("out") + "_counts.npy", type: "<i8", counts)
    return Self.json(times, elements: elements)
  }

  private func options() throws -> IdentifyOptions {
    guard arguments.mode == "map-reach" else { return IdentifyOptions() }
    return IdentifyOptions(
      tolerance: .pixels(try arguments.decimal("pixels")), scale: try arguments.decimal("scale"))
  }

  // MARK: Layers

  /// Three layers of features, a map image layer with two more, and a raster below them.
  private func map() throws -> Map {
    let layers = try Self.layers.map { try layer($0.key, $0.value) }
    let rasters = try [Raster].open(arguments.rasters)
    guard let raster = rasters.first else { throw NumPyFile.Failure(message: "no raster") }
    return Map(
      layers: [
        RasterLayer(LayerProperties(id: Self.raster), raster: raster), layers[0],
        MapImageLayer(LayerProperties(id: "services"), sublayers: [layers[4], layers[3]]),
        layers[1], layers[2],
      ],
      spatialReference: .wgs84)
  }

  private func layer(_ name: String, _ shape: Shape) throws -> FeatureLayer {
    let features = try geometries(name, shape).enumerated().map { index, geometry in
      let number = Int64(index)
      return Feature(
        id: number,
        attributes: [
          .integer(number + 1), .text("\(name) \(number)"), .integer(number % 9),
          .real(Double(number) / 4),
        ],
        geometry: geometry)
    }
    let layer = FeatureLayer(
      LayerProperties(id: name),
      table: MemoryFeatureTable(
        fields: Self.fields, features: features, spatialReference: .wgs84))
    try layer.loadFeatures()
    return layer
  }

  private func geometries(_ name: String, _ shape: Shape) throws -> [Geometry] {
    let xy = try numbers("\(name)_xy")
    let vertices = stride(from: 0, to: xy.count - 1, by: 2).map { SIMD2(xy[$0], xy[$0 + 1]) }
    switch shape {
    case .point:
      return vertices.map { .point(Point(x: $0.x, y: $0.y, spatialReference: .wgs84)) }
    case .line:
      return try ranges("\(name)_parts").map {
        .polyline(Polyline(VertexList(Array(vertices[$0])), spatialReference: .wgs84))
      }
    case .area:
      let rings = try ranges("\(name)_rings")
      return try ranges("\(name)_parts").map { part in
        let first = rings[part.lowerBound].lowerBound
        let ends = rings[part].map { $0.upperBound - first }
        return .polygon(
          Polygon(
            VertexList(Array(vertices[first..<rings[part.upperBound - 1].upperBound])),
            ringEnds: ends, spatialReference: .wgs84))
      }
    }
  }

  private func numbers(_ name: String) throws -> UnsafeBufferPointer<Double> {
    try NumPyFile.doubles(try arguments.text("layers") + "/\(name).npy")
  }

  private func ranges(_ name: String) throws -> [Range<Int>] {
    var start = 0
    return try numbers(name).map { end in
      defer { start = Int(end) }
      return start..<Int(end)
    }
  }

  // MARK: Replies

  /// The number of elements of each layer without sublayers, by id.
  private static func counts(_ results: [IdentifyLayerResult]) -> [String: Int64] {
    var counts: [String: Int64] = [:]
    for result in results {
      counts[result.layerContent.id] = Int64(result.foundCount)
      counts.merge(Self.counts(result.sublayerResults)) { first, _ in first }
    }
    return counts
  }

  /// The mean, the median and the 99th percentile of the time, in nanoseconds.
  private static func json(_ times: [Double], elements: Int) -> String {
    let sorted = times.sorted()
    func nanoseconds(_ share: Double) -> Double {
      sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))] * 1e9
    }
    let mean = times.reduce(0, +) / Double(times.count) * 1e9
    return "{\"nanoseconds_per_call\": \(mean), \"median\": \(nanoseconds(0.5)), "
      + "\"most\": \(nanoseconds(0.99)), \"elements\": \(elements)}"
  }
}
