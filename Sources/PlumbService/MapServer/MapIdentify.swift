import Plumb
import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbVerbs

/// Handles `identify` of a map service, which returns the features and values near a shape.
struct MapIdentify {
  let service: MapService
  private let geometry: Geometry
  /// The CRS of the request's and the results' shapes.
  private let reference: SpatialReference
  /// The tolerance in screen pixels.
  private let tolerance: Double
  /// The side of a pixel in the CRS's units.
  private let pixelSide: Double
  private let layers: [ServiceLayer]
  private let isFirstOnly: Bool
  private let returnsGeometry: Bool
  private let isUnformatted: Bool
  private let conditions: [Int: String]
  private let time: TimeExtent?
  private var shapes: RowQuery

  init(_ parameters: Parameters, of service: MapService) throws(ServiceError) {
    self.service = service
    reference = try parameters.reference("sr") ?? service.reference
    guard let geometry = try parameters.geometry("geometry", reference: reference) else {
      throw ServiceError("'geometry' parameter is not specified.")
    }
    self.geometry = geometry
    guard let tolerance = try parameters.number("tolerance") else {
      throw ServiceError("'tolerance' parameter is not specified.")
    }
    guard (0...100).contains(tolerance) else {
      throw ServiceError("'tolerance' parameter is invalid: 0 to 100 pixels are allowed")
    }
    self.tolerance = tolerance
    guard let extent = try parameters.box("mapExtent", reference: reference) else {
      throw ServiceError("'mapExtent' parameter is not specified.")
    }
    guard let display = try parameters.numbers("imageDisplay"), (2...3).contains(display.count),
      display.allSatisfy({ $0 > 0 && $0 < 1e6 })
    else { throw ServiceError("'imageDisplay' parameter is invalid: expected width,height,dpi") }
    let viewExtent: Envelope
    if case .envelope(let projected) = try GeometryText.box(extent, in: reference) {
      viewExtent = projected
    } else {
      viewExtent = extent
    }
    // The value is rounded, so that it does not change when the user pans the view.
    let width = viewExtent.xMax - viewExtent.xMin
    let side = max(width / display[0], (viewExtent.yMax - viewExtent.yMin) / display[1])
    pixelSide = side.rounded(digits: 9)
    let dpi = display.count == 3 ? display[2] : 96
    let scale = pixelSide * reference.metresPerUnit * dpi / 0.0254
    (layers, isFirstOnly) = try LayerChoice(service: service).requested(
      parameters.word("layers"), scale: scale)
    returnsGeometry = try parameters.flag("returnGeometry", default: true)
    isUnformatted = try parameters.flag("returnUnformattedValues")
    conditions = try LayerConditions.read(parameters, of: service)
    time = try parameters.time()
    shapes = RowQuery()
    (shapes.outReference, shapes.returnsGeometry) = (reference, returnsGeometry)
    shapes.returnsZ = try parameters.flag("returnZ")
    shapes.returnsM = try parameters.flag("returnM")
    shapes.precision = try parameters.integer("geometryPrecision", 0...17)
    shapes.deviation = max(0, try parameters.number("maxAllowableOffset") ?? 0)
  }

  func content() throws -> ReplyContent {
    var found = Found()
    if time != nil { _ = try service.timeFields() }
    if case .point(let point) = try GeometryText.projected(geometry, to: reference) {
      try identify(layers, at: point.xy, &found)
    } else {
      try identifyAround(&found)
    }
    var object = JSONObject()
    object.add("results", json: found.list)
    if found.isTruncated { object.add("exceededTransferLimit", true) }
    if !found.errors.isEmpty { object.add("errors", found.errors) }
    return .json(object, warnings: found.warnings)
  }

  /// The results so far.
  private struct Found {
    var text = TextBuffer(capacity: 1 << 12)
    var count = 0
    var isTruncated = false
    var errors: [JSONObject] = []
    var warnings: [String] = []
    private var failed: Set<Int> = []

    var list: [UInt8] { [UInt8(ascii: "[")] + Array(text.bytes) + [UInt8(ascii: "]")] }

    var isFull: Bool { count >= ServiceLimits.records }

    /// Reports a layer's failure once.
    mutating func fail(_ layer: ServiceLayer, _ error: any Error) {
      guard failed.insert(layer.number).inserted else { return }
      var object = JSONObject()
      object.add("layerId", layer.number)
      object.add("message", ServiceError(error).message)
      errors.append(object)
    }
  }

  // MARK: At a point

  private func identify(
    _ layers: [ServiceLayer], at point: SIMD2<Double>, _ found: inout Found
  ) throws {
    var request = Identify.Request()
    request.tolerance = tolerance == 0 ? .exact : .pixels(tolerance)
    request.scale = pixelSide / Pixel.side(atScale: 1, in: reference)
    request.maxResults = .count(ServiceLimits.records)
    request.layers = ""
    var warnings: [String] = []
    var context = RunContext(.service) {
      warnings.append($0.text(FrontEnd.service.spellings))
    }
    // The caller has already chosen the layers.
    context.layers = { _, _ in Set(layers.map(\.path)) }
    var query = try request.query(in: context)
    query.reference = reference
    (query.options.viewReference, query.options.moment) = (reference, time?.moment)
    try identify(query, at: point, layers, in: context, &found)
    for line in warnings where !found.warnings.contains(line) { found.warnings.append(line) }
  }

  private func identify(
    _ query: OpenedMap.Query, at point: SIMD2<Double>, _ layers: [ServiceLayer],
    in context: RunContext, _ found: inout Found
  ) throws {
    var rows: [Int: FeatureRows] = [:]
    for layer in layers where layer.isFeatures {
      do { rows[layer.number] = try service.rows(of: layer) } catch { found.fail(layer, error) }
    }
    _ = try Identify.withIdentifier(
      query, on: service.opened, at: [point], isStrict: false, in: context
    ) { identifier in
      try add(identifier, at: point, rows, &found)
      return ((), nil)
    }
  }

  /// Adds the results at a point.
  ///
  /// - Parameter rows: the rows of the feature layers, by the number of the layer.
  private func add(
    _ identifier: MapIdentifier, at point: SIMD2<Double>, _ rows: [Int: FeatureRows],
    _ found: inout Found
  ) throws {
    let points = SingleLocation(point)
    let answers = points.with { identifier.answers(to: $0, keepsProvenance: true) }
    let results = identifier.results(at: 0, of: answers, x: point.x, y: point.y)
    var byPath: [String: IdentifyLayerResult] = [:]
    Self.gather(results, service: nil, into: &byPath)
    for leaf in identifier.leaves {
      guard let number = service.number(ofPath: leaf.path) else { continue }
      let layer = service.layers[number]
      if let error = byPath[leaf.path]?.error { found.fail(layer, error) }
      let before = found.count
      switch leaf.source {
      case .features(let index):
        guard let rows = rows[number] else { continue }
        let hits = answers.features[index].items(at: 0).reversed().map { Int($0) }
        try add(hits, rows, layer, &found)
      case .raster:
        for case .cell(let cell) in byPath[leaf.path]?.geoElements ?? [] {
          try add(cell, layer, &found)
        }
      case .remote:
        for element in byPath[leaf.path]?.geoElements ?? [] {
          switch element {
          case .cell(let cell): try add(cell, layer, &found)
          case .feature(let feature): try add(feature, layer, &found)
          }
        }
      case .failed: continue
      }
      if isFirstOnly, found.count > before { break }
    }
  }

  private static func gather(
    _ results: [IdentifyLayerResult], service: String?,
    into byPath: inout [String: IdentifyLayerResult]
  ) {
    for result in results {
      let id = result.layerContent.id
      byPath[(service.map { $0 + "/" } ?? "") + id] = result
      let isService =
        service == nil
        && result.sublayerResults.contains {
          $0.layerContent.type == "sublayer"
        }
      gather(result.sublayerResults, service: service ?? (isService ? id : nil), into: &byPath)
    }
  }

  // MARK: Near another shape

  private func identifyAround(_ found: inout Found) throws {
    var area = try GeometryText.projected(geometry, to: reference)
    let centre = try GeometryEngine.centroid(of: area)
    let distance = tolerance * pixelSide
    if distance > 0 {
      if case .envelope(let envelope) = area { area = .polygon(envelope.polygon) }
      let areas = try GeometryEngine.buffer(
        around: [area], distances: [distance],
        method: .planar(PlanarBufferOptions(segmentsPerQuarter: 16)), workers: Workers(count: 1))
      if let buffered = areas.first, !buffered.isEmpty { area = .polygon(buffered) }
    }
    for layer in layers {
      try WorkCancellation.checkCurrent()
      let before = found.count
      if layer.isFeatures {
        do {
          let rows = try service.rows(of: layer)
          var query = shapes
          query.geometry = area
          if let line = rows.warning(from: reference, to: rows.reference) {
            found.warnings.append("\(layer.name.printable): \(line)")
          }
          let hits = try RowSelection(rows: rows, query: query).found()
          try add(hits.reversed(), rows, layer, &found)
        } catch {
          try WorkCancellation.checkCurrent()
          found.fail(layer, error)
        }
      } else if !centre.isEmpty {
        // For a raster, the result is the cell at the centre of the shape.
        try identify([layer], at: centre.xy, &found)
      }
      if isFirstOnly, found.count > before { break }
    }
  }

  // MARK: Results

  private func add(
    _ hits: [Int], _ rows: FeatureRows, _ layer: ServiceLayer, _ found: inout Found
  ) throws {
    var hits = hits
    if let condition = conditions[layer.number] {
      var query = shapes
      query.condition = condition
      query.ids = hits.map { rows.ids[$0] }
      let meeting = Set(try RowSelection(rows: rows, query: query).found())
      hits.removeAll { !meeting.contains($0) }
    }
    // Layers without a time field are not filtered by time.
    if let time, rows.timeField != nil { hits = try rows.rows(hits, in: time) }
    let maker = try ShapeMaker(rows, shapes)
    defer { found.warnings += maker.warnings.map { "\(layer.name.printable): \($0)" } }
    let display = rows.field(rows.displayField) ?? rows.fields.count
    for row in hits {
      if found.isFull {
        found.isTruncated = true
        return
      }
      let text = found.text
      start(layer, rows.displayField, rows.value(row, display).shownText, &found)
      for index in [rows.fields.count] + Array(rows.fields.indices) {
        if index != rows.fields.count { text.append(UInt8(ascii: ",")) }
        text.append(key: rows.esriField(index).name)
        append(rows.value(row, index), to: text)
      }
      if let shape = rows.shape { text.append(",\"Shape\":\"\(shape.word)\"") }
      text.append(literal: "}")
      if returnsGeometry, var shape = try maker.shape(row), let kind = rows.shape {
        shape.spatialReference = reference
        text.append(",\"geometryType\":\"\(kind.rawValue)\",\"geometry\":")
        var text = text
        try EsriJSONGeometry.append(shape, to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
  }

  /// Adds a feature of another service unchanged.
  private func add(
    _ feature: IdentifiedFeature, _ layer: ServiceLayer, _ found: inout Found
  ) throws {
    guard !found.isFull else {
      found.isTruncated = true
      return
    }
    let text = found.text
    let first = feature.attributes.first
    start(layer, first?.name ?? "", first?.value.shownText ?? "", &found)
    for (index, attribute) in feature.attributes.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(key: attribute.name)
      append(attribute.value, to: text)
    }
    text.append(literal: "}")
    if returnsGeometry, let shape = feature.geometry {
      let kind = EsriShape(shape)
      text.append(",\"geometryType\":\"\(kind.rawValue)\",\"geometry\":")
      var text = text
      try EsriJSONGeometry.append(shape, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  private func add(_ cell: RasterCell, _ layer: ServiceLayer, _ found: inout Found) throws {
    guard !found.isFull else {
      found.isTruncated = true
      return
    }
    let text = found.text
    let value = cell["Band_0"]?.fieldValue ?? .null
    start(layer, "Band_0", value.isNull ? "NoData" : value.shownText, &found)
    for (index, attribute) in cell.attributes.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(key: attribute.name)
      let value = attribute.value.fieldValue
      if value.isNull, !isUnformatted {
        text.append(json: "NoData")
      } else {
        append(value, to: text)
      }
    }
    text.append(literal: "}")
    if returnsGeometry, cell.footprint.count > 2 {
      let ring = VertexList(cell.footprint.map { SIMD2($0.x, $0.y) })
      let polygon = Polygon(
        ring, ringEnds: [ring.count], partEnds: [1], spatialReference: reference)
      text.append(literal: ",\"geometryType\":\"esriGeometryPolygon\",\"geometry\":")
      var text = text
      try EsriJSONGeometry.append(.polygon(polygon), to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  /// Writes the members of a result that precede its attributes.
  private func start(
    _ layer: ServiceLayer, _ field: String, _ value: String, _ found: inout Found
  ) {
    let text = found.text
    if found.count > 0 { text.append(UInt8(ascii: ",")) }
    found.count += 1
    text.append("{\"layerId\":\(layer.number),\"layerName\":")
    text.append(json: layer.name)
    text.append(literal: ",\"displayFieldName\":")
    text.append(json: field)
    text.append(literal: ",\"value\":")
    text.append(json: value)
    text.append(literal: ",\"attributes\":{")
  }

  private func append(_ value: FieldValue, to text: TextBuffer) {
    if isUnformatted {
      text.append(json: value.esri)
    } else {
      text.append(json: value.shownText)
    }
  }
}

extension FieldValue {
  /// The value as a string in identify replies.
  var shownText: String {
    switch self {
    case .null: "Null"
    case .boolean(let flag): flag ? "1" : "0"
    default: plainText
    }
  }
}

/// A single point for functions that accept a list of points.
struct SingleLocation {
  private let x, y: [Double]
  private let status: [UInt8]

  init(_ point: SIMD2<Double>) {
    (x, y) = ([point.x], [point.y])
    let isLocation = point.x.isFinite && point.y.isFinite
    status = [(isLocation ? SampleStatus.ok : .badPoint).rawValue]
  }

  func with<Value>(_ body: (PointCoordinates) throws -> Value) rethrows -> Value {
    try x.withUnsafeBufferPointer { x in
      try y.withUnsafeBufferPointer { y in
        try status.withUnsafeBufferPointer { status in
          guard let x = x.baseAddress, let y = y.baseAddress, let status = status.baseAddress
          else { preconditionFailure("one point") }
          return try body(PointCoordinates(x: x, y: y, status: status, count: 1))
        }
      }
    }
  }
}

extension Double {
  /// Returns the number rounded to significant digits.
  func rounded(digits: Int) -> Double {
    guard self != 0, isFinite else { return self }
    var magnitude = self.magnitude
    var exponent = 0
    while magnitude >= 10 { (magnitude, exponent) = (magnitude / 10, exponent + 1) }
    while magnitude < 1 { (magnitude, exponent) = (magnitude * 10, exponent - 1) }
    var scale = 1.0
    for _ in 1..<digits { scale *= 10 }
    let digits = (magnitude * scale).rounded() / scale
    return Double("\(sign == .minus ? "-" : "")\(digits)e\(exponent)") ?? self
  }
}
