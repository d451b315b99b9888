import Plumb
import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO

/// The operations of a geometry service.
final class GeometryOperation {
  private let parameters: Parameters
  private let settings: ServiceSettings
  /// Warnings about transformations, one line each.
  private(set) var warnings: [String] = []

  init(_ parameters: Parameters, _ settings: ServiceSettings) {
    (self.parameters, self.settings) = (parameters, settings)
  }

  /// - Parameter name: the name of the operation in lower case.
  /// - Returns: the reply; nil if the operation does not exist.
  func run(_ name: String) throws -> JSONObject? {
    switch name {
    case "buffer": try buffer()
    case "project": try project()
    case "simplify": try each { try GeometryEngine.simplify($0) }
    case "union": try union()
    case "intersect":
      // If two shapes only touch, their intersection has a lower dimension, and the result is
      // empty.
      try eachWith { shape, other in
        try GeometryEngine.intersections(shape, other).first { $0.dimension == shape.dimension }
      }
    case "difference": try eachWith { try GeometryEngine.difference($0, $1) }
    case "distance": try distance()
    case "lengths": try lengths()
    case "areasandlengths": try areasAndLengths()
    case "relation": try relation()
    case "densify": try densify()
    case "generalize": try generalize()
    case "convexhull": try convexHull()
    case "labelpoints": try labelPoints()
    default: nil
    }
  }

  /// Projects shapes to a CRS. Adds a warning if the transformation may be less accurate than the CRSs allow.
  private func projected(
    _ shapes: [Geometry], to reference: SpatialReference?
  ) throws -> [Geometry] {
    if let line = GeometryText.warning(of: shapes, to: reference), !warnings.contains(line) {
      warnings.append(line)
    }
    return try shapes.map { try GeometryText.projected($0, to: reference) }
  }

  // MARK: Reading

  private func reference(_ name: String = "sr") throws(ServiceError) -> SpatialReference? {
    try parameters.reference(name)
  }

  private func required(_ name: String) throws(ServiceError) -> SpatialReference {
    guard let reference = try parameters.reference(name) else {
      throw ServiceError("'\(name)' parameter is not specified.")
    }
    return reference
  }

  /// Reads a list of shapes. The list is `{"geometryType":…,"geometries":[…]}`, a JSON array of
  /// shapes, or the coordinates of points as `x,y,x,y`.
  ///
  /// - Parameter mayCross: whether edges may cross any number of times. This is allowed if the
  ///   shapes are not used in an overlay.
  private func geometries(
    _ name: String, _ reference: SpatialReference?, mayCross: Bool = false
  ) throws(ServiceError) -> [Geometry] {
    guard let text = parameters.word(name) else {
      throw ServiceError("'\(name)' parameter is not specified.")
    }
    if let numbers = Parameters.numbers(text), numbers.count % 2 == 0 {
      return stride(from: 0, to: numbers.count, by: 2).map {
        .point(Point(x: numbers[$0], y: numbers[$0 + 1], spatialReference: reference))
      }
    }
    let tree = try JSONTree.of(LenientJSON.quoted(text), "'\(name)' parameter")
    if tree.member("url") != nil {
      throw ServiceError("'\(name)' by url is not supported: send the geometries")
    }
    guard let list = tree.list ?? tree.member("geometries")?.list else {
      throw ServiceError("'\(name)' parameter is invalid: a list of geometries is expected")
    }
    guard list.count <= settings.maximumPoints else {
      throw ServiceError("more than \(settings.maximumPoints) geometries", kind: .limit)
    }
    var shapes: [Geometry] = []
    var vertices = 0
    for item in list {
      var shape = try GeometryText.decode(item.bytes, name)
      vertices += shape.vertices.count
      guard vertices <= ServiceLimits.vertices else {
        throw ServiceError("more than \(ServiceLimits.vertices) vertices", kind: .limit)
      }
      // The `sr` parameter overrides the CRS of each shape.
      if let reference { shape.spatialReference = reference }
      shapes.append(try GeometryText.eastward(shape, name))
    }
    // All shapes are checked together, because a union overlays all of them.
    if !mayCross { try EdgeCrossings.check(shapes, name) }
    return shapes
  }

  private func geometry(
    _ name: String, _ reference: SpatialReference?
  ) throws(ServiceError) -> Geometry {
    guard let tree = try parameters.json(name) else {
      throw ServiceError("'\(name)' parameter is not specified.")
    }
    if tree.member("url") != nil { throw ServiceError("'\(name)' by url is not supported") }
    var shape = try GeometryText.decode((tree.member("geometry") ?? tree).bytes, name)
    if let reference { shape.spatialReference = reference }
    shape = try GeometryText.eastward(shape, name)
    try EdgeCrossings.check([shape], name)
    return shape
  }

  /// Reads the code of a unit and returns the length of the unit in metres; nil if the parameter is
  /// missing.
  private func metres(_ name: String) throws(ServiceError) -> Double? {
    guard let text = parameters.word(name) else { return nil }
    let tree = text.hasPrefix("{") ? try JSONTree.of(LenientJSON.quoted(text), name) : nil
    let code = tree?.member("areaUnit")?.text ?? text
    guard let metres = EsriUnit.metres(code) else {
      throw ServiceError("'\(name)' parameter is invalid: \(code.shown)")
    }
    return metres
  }

  /// Returns the factor that converts a length in the request to the engine's unit. The engine's
  /// unit is the metre for geodesic lengths, and the unit of the CRS for planar lengths.
  private func lengthFactor(
    _ name: String, isGeodesic: Bool
  ) throws(ServiceError) -> Double {
    let reference = try reference()
    let isGeographic = reference?.isGeographic ?? false
    let value = try metres(name)
    if isGeodesic { return value ?? (isGeographic ? 1 : reference?.unit.factor ?? 1) }
    guard let value else { return 1 }
    guard !isGeographic else {
      throw ServiceError("'\(name)' parameter is invalid: planar lengths are in degrees here")
    }
    return value / (reference?.unit.factor ?? 1)
  }

  // MARK: Writing

  private func json(_ shape: Geometry?, _ usual: EsriShape) throws -> [UInt8] {
    if usual == .point, shape?.isEmpty ?? true {
      return Array("{\"x\":\"NaN\",\"y\":\"NaN\"}".utf8)
    }
    guard var shape else {
      let empty = usual == .polygon ? "rings" : usual == .polyline ? "paths" : "points"
      return Array("{\"\(empty)\":[]}".utf8)
    }
    if case .envelope(let envelope) = shape, usual != .envelope {
      shape = .polygon(envelope.polygon)
    }
    shape.spatialReference = nil
    return Array(try EsriJSONGeometry.encode(shape).utf8)
  }

  private func reply(_ shapes: [Geometry?], usual: EsriShape = .polygon) throws -> JSONObject {
    let kind = shapes.lazy.compactMap { $0 }.first.map { EsriShape($0) } ?? usual
    var object = JSONObject()
    object.add("geometryType", kind.rawValue)
    var list: [UInt8] = [UInt8(ascii: "[")]
    for (index, shape) in shapes.enumerated() {
      if index > 0 { list.append(UInt8(ascii: ",")) }
      list += try json(shape, kind)
    }
    object.add("geometries", json: list + [UInt8(ascii: "]")])
    return object
  }

  private func reply(_ shape: Geometry?, usual: EsriShape = .polygon) throws -> JSONObject {
    let kind = shape.map { EsriShape($0) } ?? usual
    var object = JSONObject()
    object.add("geometryType", kind.rawValue)
    object.add("geometry", json: try json(shape, kind))
    return object
  }

  private func each(
    mayCross: Bool = false, _ body: (Geometry) throws -> Geometry?
  ) throws -> JSONObject {
    let shapes = try geometries("geometries", reference(), mayCross: mayCross)
    return try reply(
      shapes.map { shape in
        try WorkCancellation.checkCurrent()
        return try body(shape)
      }, usual: shapes.first.map { EsriShape($0) } ?? .polygon)
  }

  private func eachWith(_ body: (Geometry, Geometry) throws -> Geometry?) throws -> JSONObject {
    let other = try geometry("geometry", reference())
    return try each {
      try EdgeCrossings.check([$0, other], "geometry")
      return try body($0, other)
    }
  }

  // MARK: Operations

  private func buffer() throws -> JSONObject {
    let input = try required("inSR")
    let shapes = try geometries("geometries", input)
    guard let distances = try parameters.numbers("distances"), !distances.isEmpty else {
      throw ServiceError("'distances' parameter is not specified.")
    }
    guard distances.count <= shapes.count || shapes.isEmpty else {
      throw ServiceError("'distances' parameter is invalid: more distances than geometries")
    }
    let isUnion = try parameters.flag("unionResults")
    let isGeodesic = try parameters.flag("geodesic")
    let between = try parameters.reference("bufferSR") ?? input
    let output = try parameters.reference("outSR") ?? between
    let metres = try metres("unit")
    let sourceShapes = try projected(shapes, to: between)
    let factor: Double
    if isGeodesic {
      factor = metres ?? (between.isGeographic ? 1 : between.unit.factor)
    } else if let metres {
      // A planar distance is in the unit of the CRS.
      guard !between.isGeographic else {
        throw ServiceError("'unit' parameter is invalid: planar distances are in degrees here")
      }
      factor = metres / between.unit.factor
    } else {
      factor = 1
    }
    let areas = try buffers(
      around: sourceShapes, distances.map { $0 * factor }, isGeodesic: isGeodesic,
      isUnion: isUnion)
    let results = try projected(
      areas.filter { !$0.isEmpty }.map { .polygon($0) }, to: output)
    var next = results.makeIterator()
    return try reply(areas.map { $0.isEmpty ? nil : next.next() })
  }

  /// Buffers a few shapes at a time, so that memory contains only the vertices of the reply.
  private func buffers(
    around shapes: [Geometry], _ distances: [Double], isGeodesic: Bool, isUnion: Bool
  ) throws -> [Polygon] {
    let method = isGeodesic ? ServiceLimits.geodesicBuffer : .planar()
    let unit = isGeodesic ? LengthUnit.metre : nil
    guard !isUnion, shapes.count > 1 else {
      return try GeometryEngine.buffer(
        around: shapes, distances: distances, unit: unit, union: isUnion, method: method,
        workers: settings.workers)
    }
    var areas: [Polygon] = []
    var vertexCount = 0
    let size = isGeodesic ? 16 : 256
    for start in stride(from: 0, to: shapes.count, by: size) {
      try WorkCancellation.checkCurrent()
      let range = start..<min(shapes.count, start + size)
      let some: [Polygon]
      do throws(GeometryError) {
        some = try GeometryEngine.buffer(
          around: Array(shapes[range]),
          distances: range.map { distances[min($0, distances.count - 1)] }, unit: unit,
          method: method, workers: settings.workers)
      } catch {
        throw error.member.map { error.of(member: start + $0) } ?? error
      }
      vertexCount += some.reduce(0) { $0 + $1.vertices.count }
      guard vertexCount <= ServiceLimits.joinedVertices else {
        throw ServiceError(
          "the buffers need more than \(ServiceLimits.joinedVertices) vertices; buffer fewer "
            + "geometries per request", status: 413, kind: .limit)
      }
      areas += some
    }
    return areas
  }

  private func project() throws -> JSONObject {
    let input = try required("inSR")
    let output = try required("outSR")
    let shapes = try geometries("geometries", input, mayCross: true)
    if let line = GeometryText.warning(of: shapes, to: output) { warnings.append(line) }
    let projected: [Geometry]
    do {
      projected = try GeometryEngine.project(shapes, to: output, workers: settings.workers)
    } catch {
      throw ServiceError(
        "Unable to project the geometries: \(error.message)", kind: .transformFailed)
    }
    return try reply(projected, usual: .point)
  }

  private func union() throws -> JSONObject {
    let shapes = try geometries("geometries", reference())
    return try reply(try GeometryEngine.union(shapes, workers: settings.workers))
  }

  private func convexHull() throws -> JSONObject {
    let shapes = try geometries("geometries", reference())
    return try reply(try GeometryEngine.convexHull(of: shapes))
  }

  private func densify() throws -> JSONObject {
    guard let length = try parameters.number("maxSegmentLength"), length > 0 else {
      throw ServiceError("'maxSegmentLength' parameter is not specified.")
    }
    let isGeodesic = try parameters.flag("geodesic")
    let side = try length * lengthFactor("lengthUnit", isGeodesic: isGeodesic)
    return try each(mayCross: true) { shape in
      let longest = shape.vertices.count
      let distance = try GeometryEngine.length(
        of: shape, measure: isGeodesic ? .geodesic() : .planar)
      guard distance / side + Double(longest) <= Double(ServiceLimits.vertices) else {
        throw ServiceError("more than \(ServiceLimits.vertices) vertices", kind: .limit)
      }
      return try GeometryEngine.densify(
        shape, maxSegmentLength: side, measure: isGeodesic ? .geodesic() : .planar)
    }
  }

  private func generalize() throws -> JSONObject {
    guard let deviation = try parameters.number("maxDeviation"), deviation >= 0 else {
      throw ServiceError("'maxDeviation' parameter is not specified.")
    }
    let factor = try lengthFactor("deviationUnit", isGeodesic: false)
    return try each(mayCross: true) {
      try GeometryEngine.generalize($0, maxDeviation: deviation * factor)
    }
  }

  private func labelPoints() throws -> JSONObject {
    let shapes = try geometries("polygons", reference())
    var object = JSONObject()
    var list: [UInt8] = [UInt8(ascii: "[")]
    for (index, shape) in shapes.enumerated() {
      try WorkCancellation.checkCurrent()
      if index > 0 { list.append(UInt8(ascii: ",")) }
      list += try json(.point(try GeometryEngine.labelPoint(of: shape)), .point)
    }
    object.add("labelPoints", json: list + [UInt8(ascii: "]")])
    return object
  }

  private func distance() throws -> JSONObject {
    let reference = try reference()
    let first = try geometry("geometry1", reference)
    let second = try geometry("geometry2", reference)
    let isGeodesic = try parameters.flag("geodesic")
    if isGeodesic, first.vertices.count + second.vertices.count > ServiceLimits.geodesicVertices {
      throw ServiceError(
        "geodesic distances are limited to shapes of \(ServiceLimits.geodesicVertices) vertices in total: "
          + "send parts, or fewer vertices", status: 413, kind: .limit)
    }
    let metres = try metres("distanceUnit")
    let distance = try GeometryEngine.distance(
      from: first, to: second, measure: isGeodesic ? .geodesic() : .planar)
    var object = JSONObject()
    object.add("distance", try converted(distance, reference, isGeodesic: isGeodesic, metres))
    return object
  }

  /// Converts a length from the engine to the requested unit. The default unit is the unit of the
  /// CRS, or the metre for a geographic CRS.
  private func converted(
    _ length: Double, _ reference: SpatialReference?, isGeodesic: Bool, _ metres: Double?
  ) throws(ServiceError) -> Double {
    let isGeographic = reference?.isGeographic ?? false
    let factor = isGeographic ? 1 : reference?.unit.factor ?? 1
    if isGeodesic { return length / (metres ?? factor) }
    guard let metres else { return length }
    guard !isGeographic else {
      throw ServiceError(
        "planar lengths are in degrees here: request geodesic lengths, or omit the unit")
    }
    return length * factor / metres
  }

  /// Reads the method for measuring edges.
  private func measure() throws(ServiceError) -> Measure {
    let isGeodesic =
      parameters.word("geodesic") == nil ? nil : try parameters.flag("geodesic")
    let measure: Measure
    switch parameters.word("calculationType")?.lowercased() {
    case nil: return isGeodesic == true ? .geodesic() : .planar
    case "planar": measure = .planar
    case "geodesic": measure = .geodesic()
    case "preserveshape": measure = .geodesic(.shapePreserving)
    case let other?: throw ServiceError("'calculationType' parameter is invalid: \(other.shown)")
    }
    guard isGeodesic == nil || isGeodesic == (measure != .planar) else {
      throw ServiceError(
        "'calculationType' and 'geodesic' parameters contradict each other; leave one of them out")
    }
    return measure
  }

  private func lengths() throws -> JSONObject {
    let reference = try reference()
    let shapes = try geometries("polylines", reference, mayCross: true)
    let measure = try measure()
    var object = JSONObject()
    object.add("lengths", list: try lengths(of: shapes, reference, measure))
    return object
  }

  private func lengths(
    of shapes: [Geometry], _ reference: SpatialReference?, _ measure: Measure
  ) throws -> [String] {
    let metres = try metres("lengthUnit")
    return try shapes.map { shape in
      let length = try GeometryEngine.length(of: shape, measure: measure)
      return "\(try converted(length, reference, isGeodesic: measure != .planar, metres))"
    }
  }

  private func areasAndLengths() throws -> JSONObject {
    let reference = try reference()
    let shapes = try geometries("polygons", reference)
    let measure = try measure()
    let side = try squareMetres()
    let isGeodesic = measure != .planar
    let isGeographic = reference?.isGeographic ?? false
    let factor = isGeographic ? 1 : reference?.unit.factor ?? 1
    if side != nil, !isGeodesic, isGeographic {
      throw ServiceError(
        "planar areas are in degrees here: request geodesic areas, or omit areaUnit")
    }
    var object = JSONObject()
    object.add(
      "areas",
      list: try shapes.map { shape in
        let area = try GeometryEngine.area(of: shape, measure: measure)
        let metres = isGeodesic ? area : area * factor * factor
        return "\(metres / (side ?? factor * factor))"
      })
    object.add("lengths", list: try lengths(of: shapes, reference, measure))
    return object
  }

  /// Reads the area unit and returns its area in square metres; nil if the parameter is missing.
  private func squareMetres() throws(ServiceError) -> Double? {
    guard let text = parameters.word("areaUnit") else { return nil }
    let tree = text.hasPrefix("{") ? try JSONTree.of(LenientJSON.quoted(text), "areaUnit") : nil
    let code = tree?.member("areaUnit")?.text ?? text
    guard let area = EsriUnit.squareMetres(code) else {
      throw ServiceError("'areaUnit' parameter is invalid: \(code.shown)")
    }
    return area
  }

  private func relation() throws -> JSONObject {
    let reference = try reference()
    let first = try geometries("geometries1", reference)
    let second = try geometries("geometries2", reference)
    guard Double(first.count) * Double(second.count) <= 1e6 else {
      throw ServiceError("more than 1000000 pairs", kind: .limit)
    }
    try EdgeCrossings.check(first + second, "geometries2")
    let (relation, isNegated) = try readRelation()
    var pairs: [JSONObject] = []
    for (a, one) in first.enumerated() where !second.isEmpty {
      let prepared = try PreparedGeometry(one)
      for (b, other) in second.enumerated() {
        try WorkCancellation.checkCurrent()
        let shape = try GeometryText.projected(other, to: one.spatialReference)
        guard try relation.holds(prepared, shape) != isNegated else { continue }
        var pair = JSONObject()
        pair.add("geometry1Index", a)
        pair.add("geometry2Index", b)
        pairs.append(pair)
      }
    }
    var object = JSONObject()
    object.add("relations", pairs)
    return object
  }

  private func readRelation() throws(ServiceError) -> (SpatialRelation, isNegated: Bool) {
    let name = parameters.word("relation") ?? "esriGeometryRelationIntersection"
    switch name.lowercased().replacing("esrigeometryrelation", with: "") {
    case "intersection": return (.intersects, false)
    case "disjoint": return (.intersects, true)
    case "within", "in": return (.within, false)
    case "cross": return (.crosses, false)
    case "overlap": return (.overlaps, false)
    case "touch": return (.touches, false)
    case "interiorintersection": return (.pattern("T********"), false)
    case "relation":
      guard let pattern = parameters.word("relationParam") else {
        throw ServiceError("'relationParam' parameter is not specified.")
      }
      return (.pattern(pattern), false)
    default: throw ServiceError("'relation' parameter is invalid: \(name.shown)")
    }
  }
}
