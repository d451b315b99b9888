import PlumbCore

extension Geometry {
  /// The names of a shape's members, in the order of iteration.
  var arcadeMembers: [String] {
    let shape =
      switch self {
      case .point: ["x", "y", "z", "m"]
      case .multipoint: ["points"]
      case .polyline: ["paths"]
      case .polygon: ["rings"]
      case .envelope: ["xmin", "ymin", "xmax", "ymax", "zmin", "zmax", "width", "height"]
      }
    let common =
      switch self {
      case .point, .envelope: ["hasZ", "hasM", "spatialReference", "type"]
      default: ["hasZ", "hasM", "extent", "spatialReference", "type"]
      }
    return shape + common
  }

  /// The value of `shape.name`, regardless of the case of the name.
  func arcadeMember(
    _ name: String, _ context: any ArcadeContext
  ) throws(ArcadeFailure) -> ArcadeValue {
    switch (name.lowercased(), self) {
    case ("type", _): return .text(arcadeType)
    case ("spatialreference", _):
      return spatialReference.map { .dictionary(ArcadeDictionary(reference: $0)) } ?? .null
    case ("hasz", _): return .boolean(hasHeights)
    case ("hasm", _): return .boolean(hasMeasures)
    case ("extent", .multipoint), ("extent", .polyline), ("extent", .polygon):
      return .geometry(.envelope(envelope))
    case ("x", .point(let point)): return .number(point.x)
    case ("y", .point(let point)): return .number(point.y)
    case ("z", .point(let point)): return point.z.map { .number($0) } ?? .null
    case ("m", .point(let point)): return point.m.map { .number($0) } ?? .null
    case ("points", .multipoint(let multipoint)):
      let vertices = multipoint.vertices
      try context.spend(steps: vertices.count, bytes: 80 * vertices.count)
      return .array(points(vertices, vertices.xy.indices))
    case ("paths", .polyline(let polyline)):
      return try parts(polyline.vertices, polyline.parts, context)
    case ("rings", .polygon(let polygon)):
      return try parts(polygon.vertices, polygon.rings, context)
    case (let name, .envelope(let envelope)): return try envelope.arcadeMember(name)
    default: throw unknown(name)
    }
  }

  fileprivate func unknown(_ name: String) -> ArcadeFailure {
    ArcadeFailure(
      "a \(arcadeType) has no member \(name.shown)"
        + NameSuggestions.hint(name, among: arcadeMembers))
  }

  private var arcadeType: String {
    switch self {
    case .point: "point"
    case .multipoint: "multipoint"
    case .polyline: "polyline"
    case .polygon: "polygon"
    case .envelope: "extent"
    }
  }

  private var hasHeights: Bool {
    if case .envelope(let envelope) = self { return envelope.zRange != nil }
    return vertices.z != nil
  }

  private var hasMeasures: Bool {
    if case .envelope(let envelope) = self { return envelope.mRange != nil }
    return vertices.m != nil
  }

  private func parts(
    _ vertices: VertexList, _ ranges: [Range<Int>], _ context: any ArcadeContext
  ) throws(ArcadeFailure) -> ArcadeValue {
    try context.spend(
      steps: vertices.count, bytes: 80 * vertices.count + 64 * ranges.count)
    return .array(ArcadeArray(ranges.map { .array(points(vertices, $0)) }))
  }

  private func points(_ vertices: VertexList, _ range: Range<Int>) -> ArcadeArray {
    ArcadeArray(
      range.map { vertex in
        .geometry(
          .point(
            Point(
              x: vertices.xy[vertex].x, y: vertices.xy[vertex].y, z: vertices.z?[vertex],
              m: vertices.m?[vertex], spatialReference: spatialReference)))
      })
  }
}

extension Envelope {
  /// The value of a member, with `name` in lower case.
  fileprivate func arcadeMember(_ name: String) throws(ArcadeFailure) -> ArcadeValue {
    switch name {
    case "xmin": .number(xMin)
    case "ymin": .number(yMin)
    case "xmax": .number(xMax)
    case "ymax": .number(yMax)
    case "zmin": zRange.map { .number($0.lowerBound) } ?? .null
    case "zmax": zRange.map { .number($0.upperBound) } ?? .null
    case "width": .number(xMax - xMin)
    case "height": .number(yMax - yMin)
    default: throw Geometry.envelope(self).unknown(name)
    }
  }
}
