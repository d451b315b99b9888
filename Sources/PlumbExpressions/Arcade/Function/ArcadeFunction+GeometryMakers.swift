import PlumbCore
import PlumbGeometry

/// Functions that create geometries from EsriJSON (dictionaries or text) or from features.
extension ArcadeFunction {
  static let makers: [ArcadeFunction] = [
    maker("Point", "a point") { if case .point = $0 { $0 } else { nil } },
    maker("Multipoint", "a multipoint") { if case .multipoint = $0 { $0 } else { nil } },
    maker("Polyline", "a polyline") { if case .polyline = $0 { $0 } else { nil } },
    maker("Polygon", "a polygon") {
      switch $0 {
      case .polygon: $0
      case .envelope(let envelope): .polygon(envelope.polygon)
      default: nil
      }
    },
    maker("Extent", "an extent") { $0.isEmpty ? nil : .envelope($0.envelope) },
    maker("Geometry", "a geometry") { $0 },
    ArcadeFunction("SetGeometry", .geometry, 2...2) { call throws(ArcadeFailure) in
      guard case .feature(let feature) = call[0] else {
        throw ArcadeFailure("SetGeometry takes a feature first, not \(call[0].typeName)")
      }
      feature.geometry = try call.geometry(1)
      return .null
    },
  ]

  private static func maker(
    _ name: String, _ kind: String, _ wanted: @escaping @Sendable (Geometry) -> Geometry?
  ) -> ArcadeFunction {
    ArcadeFunction(name, .geometry, 1...1) { call throws(ArcadeFailure) in
      let made: Geometry?
      var definition = call[0]
      if case .text(let text) = definition {
        definition = try ArcadeJSONReader.value(text, call.context)
      }
      if case .dictionary(let dictionary) = definition {
        made = try ArcadeGeometryReader(dictionary).geometry(call)
      } else {
        made = try call.geometry(of: definition)
      }
      guard let made else { return .null }
      guard let geometry = wanted(made) else {
        if made.isEmpty { return .null }
        throw ArcadeFailure(
          "\(name) creates \(kind), not \(ArcadeValue.geometry(made).typeName)")
      }
      return try call.keep(geometry)
    }
  }
}

/// Reads a geometry from a dictionary in EsriJSON. The first key present of `x`, `points`, `paths`, `rings`
/// and `xmin` determines the kind of geometry.
struct ArcadeGeometryReader {
  private let dictionary: ArcadeDictionary

  init(_ dictionary: ArcadeDictionary) { self.dictionary = dictionary }

  func geometry(_ call: borrowing ArcadeArguments) throws(ArcadeFailure) -> Geometry {
    let reference = try Self.reference(dictionary["spatialReference"])
    if dictionary["x"] != nil { return try .point(point(reference)) }
    if dictionary["xmin"] != nil { return try .envelope(envelope(reference)) }
    var vertices = ArcadeVertices()
    if case .boolean(let has)? = dictionary["hasZ"] { vertices.hasZ = has }
    if case .boolean(let has)? = dictionary["hasM"] { vertices.hasM = has }
    if let points = dictionary["points"] {
      try vertices.append(pathOf: Self.array(points, "points"), call)
      return .multipoint(
        Multipoint(vertices.list, spatialReference: reference ?? vertices.reference))
    }
    if let paths = dictionary["paths"] {
      for path in try Self.array(paths, "paths").elements {
        try vertices.append(pathOf: Self.array(path, "a path"), call)
      }
      return .polyline(
        Polyline(
          vertices.list, partEnds: vertices.ends,
          spatialReference: reference ?? vertices.reference))
    }
    if let rings = dictionary["rings"] {
      for ring in try Self.array(rings, "rings").elements {
        try vertices.append(ringOf: Self.array(ring, "a ring"), call)
      }
      let groups = try ArcadeRings(vertices.list, vertices.ends).grouped(call)
      return .polygon(
        Polygon(
          groups.vertices, ringEnds: groups.ringEnds, partEnds: groups.partEnds,
          spatialReference: reference ?? vertices.reference))
    }
    for key in ["curvePaths", "curveRings"] where dictionary[key] != nil {
      throw ArcadeFailure("geometries with curves are not supported; densify them first")
    }
    throw ArcadeFailure("a geometry needs x and y, points, paths, rings, or xmin to ymax")
  }

  /// A point; empty if x is null, NaN or the text "NaN".
  private func point(_ reference: SpatialReference?) throws(ArcadeFailure) -> Point {
    switch dictionary["x"] {
    case .null, .text("NaN"): return .empty(reference)
    case .number(let x) where x.isNaN: return .empty(reference)
    default: break
    }
    return try Point(
      x: ordinate("x"), y: ordinate("y"), z: optional("z"), m: optional("m"),
      spatialReference: reference)
  }

  private func envelope(_ reference: SpatialReference?) throws(ArcadeFailure) -> Envelope {
    if case .null = dictionary["xmin"] { return .empty(reference) }
    let (x, y) = (
      (try ordinate("xmin"), try ordinate("xmax")), (try ordinate("ymin"), try ordinate("ymax"))
    )
    func range(_ low: String, _ high: String) throws(ArcadeFailure) -> ClosedRange<Double>? {
      guard let low = try optional(low), let high = try optional(high) else { return nil }
      return min(low, high)...max(low, high)
    }
    return try Envelope(
      xMin: min(x.0, x.1), yMin: min(y.0, y.1), xMax: max(x.0, x.1), yMax: max(y.0, y.1),
      zRange: range("zmin", "zmax"), mRange: range("mmin", "mmax"), spatialReference: reference)
  }

  private func ordinate(_ key: String) throws(ArcadeFailure) -> Double {
    guard let value = dictionary[key], let number = ArcadeVertices.finite(value) else {
      throw ArcadeFailure("\(key) must be a finite number")
    }
    return number
  }

  /// The number for a key; nil if the key is missing, null or NaN.
  private func optional(_ key: String) throws(ArcadeFailure) -> Double? {
    switch dictionary[key] {
    case nil, .null?, .text("NaN")?: return nil
    case .number(let number)? where number.isNaN: return nil
    default: return try ordinate(key)
    }
  }

  private static func array(
    _ value: ArcadeValue, _ what: String
  ) throws(ArcadeFailure) -> ArcadeArray {
    guard case .array(let array) = value else {
      throw ArcadeFailure("\(what) must be an array, not \(value.typeName)")
    }
    return array
  }

  /// - Parameter value: a dictionary with `wkid`, `latestWkid` or `wkt`, or only the WKID as a number.
  private static func reference(
    _ value: ArcadeValue?
  ) throws(ArcadeFailure) -> SpatialReference? {
    let definition: ArcadeValue?
    switch value {
    case nil, .null?: return nil
    case .dictionary(let dictionary)?:
      definition = dictionary["wkid"] ?? dictionary["latestWkid"] ?? dictionary["wkt"]
    case let other?: definition = other
    }
    switch definition {
    case nil, .null?: return nil
    case .number(let number)?:
      guard let code = Int32(exactly: number), code > 0 else {
        throw ArcadeFailure("\(number) is not the wkid of a spatial reference")
      }
      return try ArcadeReferences.shared.reference(String(code))
    case .text(let text)?: return try ArcadeReferences.shared.reference(text)
    case let other?:
      throw ArcadeFailure("the wkid of a spatial reference must be a number, not \(other.typeName)")
    }
  }
}
