import Plumb
import PlumbFormats
import PlumbIO
import PlumbVerbs

/// Parses shapes and CRSs in parameters.
enum GeometryText {
  /// Parses a shape in Esri JSON or in the short forms `x,y` and `xmin,ymin,xmax,ymax`. The keys of
  /// the JSON may be unquoted.
  ///
  /// - Parameters:
  ///   - name: the parameter name.
  ///   - reference: the default CRS of the shape.
  ///   - pointLimit: the maximum number of points of a multipoint.
  static func read(
    _ text: String, _ name: String, reference: SpatialReference?,
    pointLimit: Int = ServiceLimits.vertices
  ) throws(ServiceError) -> Geometry {
    var geometry: Geometry
    if text.trimmingASCIISpace().hasPrefix("{") {
      geometry = try decode(
        LenientJSON.quoted(text, hasTextNumbers: true), name, pointLimit: pointLimit)
    } else if let numbers = Parameters.numbers(text), numbers.count == 2 {
      geometry = .point(Point(x: numbers[0], y: numbers[1]))
    } else if let numbers = Parameters.numbers(text), numbers.count == 4 {
      geometry = .envelope(
        Envelope(
          xMin: numbers[0], yMin: min(numbers[1], numbers[3]), xMax: numbers[2],
          yMax: max(numbers[1], numbers[3])))
    } else {
      throw ServiceError(
        "'\(name)' parameter is invalid: \(text.shown) is not a geometry; write JSON, x,y or "
          + "xmin,ymin,xmax,ymax")
    }
    if geometry.spatialReference == nil { geometry.spatialReference = reference }
    geometry = try eastward(geometry, name)
    try EdgeCrossings.check([geometry], name)
    return geometry
  }

  /// Returns a shape in which x increases to the east. An extent whose west exceeds its east is
  /// converted to an extent that crosses 180 degrees of longitude.
  ///
  /// - Parameter name: the parameter name.
  static func eastward(_ shape: Geometry, _ name: String) throws(ServiceError) -> Geometry {
    guard case .envelope(let box) = shape else { return shape }
    do {
      return .envelope(try box.eastward)
    } catch {
      throw ServiceError("'\(name)' parameter is invalid: \(error.message)")
    }
  }

  /// - Parameters:
  ///   - name: the parameter name for errors.
  ///   - pointLimit: the maximum number of points of a multipoint.
  static func decode(
    _ json: [UInt8], _ name: String, pointLimit: Int = ServiceLimits.vertices
  ) throws(ServiceError) -> Geometry {
    let read = json.withUnsafeBytes { bytes in
      Result { try EsriJSONGeometry.decode(bytes) { try SpatialReference($0) } }
    }
    switch read {
    case .success(let geometry?):
      var limit = ServiceLimits.vertices
      if case .multipoint = geometry { limit = pointLimit }
      guard geometry.vertices.count <= limit else {
        throw ServiceError(
          "'\(name)' parameter is invalid: a shape has more than \(limit) vertices", kind: .limit)
      }
      guard geometry.vertices.xy.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
        throw ServiceError("'\(name)' parameter is invalid: a coordinate is not a finite number")
      }
      return geometry
    case .success(nil): throw ServiceError("'\(name)' parameter is invalid: no geometry")
    case .failure(let error):
      throw ServiceError(
        "'\(name)' parameter is invalid: \(PlumbError(error).line.text(FrontEnd.service.spellings))"
      )
    }
  }

  /// Parses a CRS given by its code, or as JSON with `wkid` or `wkt`.
  static func reference(
    _ text: String, _ name: String
  ) throws(ServiceError) -> SpatialReference {
    var definition = text
    if text.hasPrefix("{") {
      let tree = try JSONTree.of(LenientJSON.quoted(text), "'\(name)' parameter")
      guard
        let word = tree.member("latestWkid")?.text ?? tree.member("wkid")?.text
          ?? tree.member("wkt")?.text
      else { throw ServiceError("'\(name)' parameter is invalid: no wkid and no wkt") }
      definition = word
    } else {
      guard Int(text) != nil || text.uppercased().hasPrefix("EPSG:") || text.last == "]" else {
        throw ServiceError("'\(name)' parameter is invalid: \(text.shown) is not a wkid")
      }
    }
    guard definition.utf8.count < 20_000 else {
      throw ServiceError("'\(name)' parameter is invalid: the text is too long")
    }
    do {
      return try SpatialReference(definition)
    } catch {
      throw ServiceError("'\(name)' parameter is invalid: \(error.message)")
    }
  }

  /// Returns the bounding box of a box in another CRS.
  static func box(
    _ envelope: Envelope, in reference: SpatialReference
  ) throws(ServiceError) -> Geometry {
    guard let source = envelope.spatialReference, source != reference else {
      return .envelope(envelope)
    }
    do {
      return try GeometryEngine.project(.envelope(envelope), to: reference)
    } catch {
      throw ServiceError("Unable to project the extent: \(error.message)", kind: .transformFailed)
    }
  }

  /// A one-line warning if transformations of shapes may be less accurate than the CRSs allow; nil if there is
  /// none.
  static func warning(of shapes: [Geometry], to reference: SpatialReference?) -> String? {
    guard let reference,
      let source = shapes.lazy.compactMap(\.spatialReference).first(where: { $0 != reference })
    else { return nil }
    let some = shapes.filter { $0.spatialReference == source }
    return Transformation.warning(
      from: source, to: reference, around: some.flatMap(\.envelope.corners), in: source)
  }

  /// Projects a shape to a CRS. A shape without a CRS is assumed to be in the target CRS.
  static func projected(
    _ geometry: Geometry, to reference: SpatialReference?
  ) throws(ServiceError) -> Geometry {
    guard let source = geometry.spatialReference, let reference, source != reference,
      !source.isEquivalent(to: reference)
    else {
      var geometry = geometry
      geometry.spatialReference = reference ?? geometry.spatialReference
      return geometry
    }
    do {
      // The edges of a box are densified, because they are not straight in another CRS.
      var geometry = geometry
      if case .envelope(let envelope) = geometry {
        let longest = max(envelope.xMax - envelope.xMin, envelope.yMax - envelope.yMin) / 32
        guard longest > 0 else {
          return try GeometryEngine.project(geometry, to: reference)
        }
        geometry = try GeometryEngine.densify(
          .polygon(envelope.polygon), maxSegmentLength: longest)
      }
      return try GeometryEngine.project(geometry, to: reference)
    } catch {
      throw ServiceError("Unable to project the geometry: \(error.message)", kind: .transformFailed)
    }
  }
}

extension Parameters {
  /// Reads a CRS that is given by its code or as JSON; nil if the parameter is missing.
  func reference(_ name: String) throws(ServiceError) -> SpatialReference? {
    guard let text = word(name) else { return nil }
    return try GeometryText.reference(text, name)
  }

  /// Reads a shape; nil if it is missing.
  ///
  /// - Parameters:
  ///   - reference: the default CRS of the shape.
  ///   - pointLimit: the maximum number of points of a multipoint.
  func geometry(
    _ name: String, reference: SpatialReference?, pointLimit: Int = ServiceLimits.vertices
  ) throws(ServiceError) -> Geometry? {
    guard let text = word(name) else { return nil }
    return try GeometryText.read(text, name, reference: reference, pointLimit: pointLimit)
  }

  /// Reads a box as four numbers or an envelope, with its CRS.
  func box(
    _ name: String, reference: SpatialReference
  ) throws(ServiceError) -> Envelope? {
    guard let shape = try geometry(name, reference: reference) else { return nil }
    let envelope = shape.envelope
    guard !envelope.isEmpty, envelope.xMax > envelope.xMin, envelope.yMax > envelope.yMin else {
      throw ServiceError("'\(name)' parameter is invalid: the extent has no width or height")
    }
    return envelope
  }
}
