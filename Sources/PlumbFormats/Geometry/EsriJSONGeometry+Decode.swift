import PlumbCore
import PlumbIO

extension EsriJSONGeometry {
  /// Reads a geometry.
  ///
  /// Rings may be in any order, and open rings are closed. A counter-clockwise ring is a hole of
  /// the smallest clockwise ring around it. Without a clockwise ring around it, the ring is an
  /// exterior ring. A ring without area is a hole if another ring contains it. Without `hasZ` and
  /// `hasM`, the third number of a vertex is its height and the fourth number is its measure. If
  /// heights or measures are declared but missing, null or `"NaN"`, they are NaN.
  ///
  /// The curves of `curvePaths` and `curveRings` are approximated by chords. The deviation is at
  /// most a ten-thousandth of the curve's extent.
  /// - Parameters:
  ///   - json: UTF-8 text.
  ///   - reference: a function that returns the CRS for a code, such as `"3857"`, or for WKT. It is not
  ///     called for a geometry without a CRS.
  /// - Returns: nil for `null`.
  /// - Throws: if the text is not exactly one geometry, or if its CRS is unknown.
  public static func decode(
    _ json: UnsafeRawBufferPointer, reference: (String) throws -> SpatialReference
  ) throws(FormatError) -> Geometry? {
    var scanner = JSONScanner(json)
    let geometry = try read(&scanner, reference: reference)
    try scanner.expectEnd()
    return geometry
  }

  /// Reads a geometry, as above.
  public static func decode(
    _ json: String, reference: (String) throws -> SpatialReference
  ) throws(FormatError) -> Geometry? {
    try Array(json.utf8).withUnsafeBufferPointer { bytes throws(FormatError) in
      try decode(UnsafeRawBufferPointer(bytes), reference: reference)
    }
  }

  /// Reads the value at a scanner's position.
  ///
  /// - Parameters:
  ///   - hasZ: the value of `hasZ` for a geometry without this member.
  ///   - hasM: the value of `hasM` for a geometry without this member.
  package static func read(
    _ scanner: inout JSONScanner, hasZ: Bool? = nil, hasM: Bool? = nil,
    reference: (String) throws -> SpatialReference
  ) throws(FormatError) -> Geometry? {
    guard let first = scanner.peek(), first != UInt8(ascii: "n") else {
      try scanner.skipValue()
      return nil
    }
    guard first == UInt8(ascii: "{") else {
      throw scanner.misfit("an EsriJSON geometry object was expected")
    }
    let start = scanner
    var members = try EsriJSONMembers(&scanner)
    // The flags of the feature set apply only to geometries that have neither flag.
    if members.hasZ == nil, members.hasM == nil { (members.hasZ, members.hasM) = (hasZ, hasM) }
    let spatialReference = try members.reference.map { named throws(FormatError) in
      try resolve(named.text, offset: named.offset, with: reference)
    }
    guard let (kind, value) = members.shape else {
      throw start.misfit("an EsriJSON geometry needs x, points, paths, rings or xmin")
    }
    switch kind {
    case .point: return .point(try point(members, spatialReference))
    case .envelope: return .envelope(try envelope(members, spatialReference, at: start))
    case .points, .paths, .rings:
      var values = value
      return try vertices(kind, &values, members).geometry(spatialReference)
    }
  }

  private static func point(
    _ members: EsriJSONMembers, _ reference: SpatialReference?
  ) throws(FormatError) -> Point {
    let x = members.number("x") ?? .nan
    // If x is NaN, the point is empty and y may be missing.
    let y = x.isNaN ? .nan : members.number("y")
    guard let y, x.isNaN == y.isNaN else {
      throw FormatError("an EsriJSON point needs a number y", offset: members.values["x"]?.offset)
    }
    return Point(
      x: x, y: y, z: members.number("z"), m: members.number("m"),
      spatialReference: reference)
  }

  private static func envelope(
    _ members: EsriJSONMembers, _ reference: SpatialReference?, at start: JSONScanner
  ) throws(FormatError) -> Envelope {
    let xMin = members.number("xmin") ?? .nan
    if xMin.isNaN { return .empty(reference) }
    guard let yMin = members.number("ymin"), let xMax = members.number("xmax"),
      let yMax = members.number("ymax"), !yMin.isNaN, !xMax.isNaN, !yMax.isNaN
    else { throw start.misfit("an EsriJSON envelope needs numbers xmin, ymin, xmax and ymax") }
    return Envelope(
      xMin: xMin, yMin: yMin, xMax: xMax, yMax: yMax,
      zRange: try range(members, "zmin", "zmax", at: start),
      mRange: try range(members, "mmin", "mmax", at: start), spatialReference: reference)
  }

  private static func range(
    _ members: EsriJSONMembers, _ low: String, _ high: String, at start: JSONScanner
  ) throws(FormatError) -> ClosedRange<Double>? {
    guard let lower = members.number(low), let upper = members.number(high),
      !lower.isNaN, !upper.isNaN
    else { return nil }
    guard lower <= upper else { throw start.misfit("\(low) is greater than \(high)") }
    return lower...upper
  }

  private static func vertices(
    _ kind: EsriJSONMembers.Shape, _ scanner: inout JSONScanner, _ members: EsriJSONMembers
  ) throws(FormatError) -> ShapeBuilder {
    var builder = ShapeBuilder()
    let list = EsriJSONVertices(hasZ: members.hasZ, hasM: members.hasM)
    builder.declare(z: members.hasZ == true, m: members.hasM == true)
    let offset = scanner.baseOffset + scanner.position
    switch kind {
    case .paths:
      try builder.begin(.lines, offset: offset)
      try scanner.readArray(of: "paths") { path throws(FormatError) in
        try list.read(&path, into: &builder)
        builder.endPart()
      }
    case .rings:
      try builder.begin(.areas, offset: offset)
      try scanner.readArray(of: "rings") { ring throws(FormatError) in
        try list.read(&ring, into: &builder)
        builder.endRing()
      }
      builder.groupRings()
    default:
      try builder.begin(.points, offset: offset)
      try list.read(&scanner, into: &builder)
    }
    return builder
  }
}
