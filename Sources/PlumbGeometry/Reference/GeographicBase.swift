import CPROJ
import PlumbCore

/// Converts between the coordinates of a CRS and longitudes and latitudes on the same datum. For a
/// projected CRS, these are the coordinates of its geographic base CRS. They are always in degrees,
/// regardless of the unit of the base.
///
/// Longitudes are relative to the prime meridian of the CRS, which does not affect lengths and
/// areas on the ellipsoid. For a geographic CRS in degrees both conversions are exactly the
/// identity. The class is not thread-safe; each worker needs a separate instance.
final class GeographicBase {
  let ellipsoid: SpatialReference.Ellipsoid
  private let context: ProjContext
  private let label: String
  /// The PROJ operation from the CRS to its base, with x first in both; nil if the CRS is its own
  /// base.
  private let operation: OpaquePointer?
  /// Degrees per unit of the base.
  let degreesPerUnit: Double
  /// The base as WKT; nil if the base is the CRS itself, or if the CRS is a bound CRS, whose base
  /// lacks the transformation to other datums.
  private let definition: String?
  private let reference: SpatialReference
  private let isBound: Bool
  /// The operation with PROJ's parameter `over`, which does not wrap longitudes. The outer optional
  /// is nil until the operation is created; the inner optional is nil if the operation is not
  /// available.
  private var continuation: OpaquePointer??
  /// The accepted range of the semi-major axis in metres. It includes a unit sphere in millimetres, and
  /// spheres larger than the Sun. Outside this range, the number of steps along a line
  /// would be unbounded.
  private static let axes = 1e-3...1e9

  /// - Throws: if the CRS is nil or not on the Earth's surface.
  convenience init(of reference: SpatialReference?) throws(GeometryError) {
    guard let reference else {
      throw GeometryError("measures on the ellipsoid need a spatial reference")
    }
    try self.init(reference)
  }

  /// - Throws: if the CRS is not on the Earth's surface, or PROJ cannot find its base.
  init(_ reference: SpatialReference) throws(GeometryError) {
    guard reference.isGeoreferenced, let ellipsoid = reference.ellipsoid else {
      throw GeometryError("\(reference.label) is not on the Earth's surface: it has no ellipsoid")
    }
    guard Self.axes.contains(ellipsoid.semiMajorAxis), ellipsoid.flattening.isFinite else {
      throw GeometryError(
        "\(reference.label) has an ellipsoid of \(ellipsoid.semiMajorAxis) m: "
          + "geodesic measures need one of 1 mm to 1000000 km")
    }
    context = try ProjContext()
    self.ellipsoid = ellipsoid
    self.reference = reference
    label = reference.label
    if reference == .wgs84 {
      (operation, degreesPerUnit, definition, isBound) = (nil, 1, nil, false)
      return
    }
    guard var base = proj_create(context.pointer, reference.definition) else {
      throw GeometryError(
        "\(reference.label): \(context.removeMessage("PROJ does not know it"))")
    }
    defer { proj_destroy(base) }
    var isBound = false
    // Get the horizontal part, without a bound transformation to another datum.
    while true {
      let inner =
        switch proj_get_type(base) {
        case PJ_TYPE_COMPOUND_CRS: proj_crs_get_sub_crs(context.pointer, base, 0)
        case PJ_TYPE_BOUND_CRS: proj_get_source_crs(context.pointer, base)
        default: OpaquePointer?.none
        }
      guard let inner else { break }
      isBound = isBound || proj_get_type(base) == PJ_TYPE_BOUND_CRS
      proj_destroy(base)
      base = inner
    }
    self.isBound = isBound
    guard let copy = proj_clone(context.pointer, base) else {
      throw GeometryError("\(reference.label): \(context.removeMessage("PROJ cannot copy it"))")
    }
    defer { proj_destroy(copy) }
    var isDerived = false
    // In PROJ, the base of a projected or rotated-pole CRS is its source CRS.
    while let below = proj_get_source_crs(context.pointer, base) {
      proj_destroy(base)
      base = below
      isDerived = true
    }
    guard
      [PJ_TYPE_GEOGRAPHIC_2D_CRS, PJ_TYPE_GEOGRAPHIC_3D_CRS].contains(proj_get_type(base)),
      let unit = SpatialReference.unit(of: base, context)
    else { throw GeometryError("\(reference.label) has no geographic base reference") }
    let ratio = unit.factor / SpatialReference.Unit.degree.factor
    degreesPerUnit = (ratio - 1).magnitude < 1e-12 ? 1 : ratio
    definition =
      isDerived
      ? proj_as_wkt(context.pointer, base, PJ_WKT2_2019, nil).map { String(cString: $0) } : nil
    operation = isDerived ? try Self.operation(from: copy, to: base, context, reference) : nil
  }

  deinit {
    if let operation { proj_destroy(operation) }
    if case .some(.some(let continuation)) = continuation { proj_destroy(continuation) }
  }

  private static func operation(
    from source: OpaquePointer, to target: OpaquePointer, _ context: ProjContext,
    _ reference: SpatialReference
  ) throws(GeometryError) -> OpaquePointer {
    let raw = proj_create_crs_to_crs_from_pj(context.pointer, source, target, nil, nil)
    defer { if let raw { proj_destroy(raw) } }
    guard let raw, let operation = proj_normalize_for_visualization(context.pointer, raw) else {
      throw GeometryError(
        "no transformation from \(reference.label) to degrees: "
          + "\(context.removeMessage("PROJ finds none"))")
    }
    return operation
  }

  /// Whether coordinates are already degrees.
  var isIdentity: Bool { operation == nil && degreesPerUnit == 1 }

  /// Whether coordinates are longitudes and latitudes, in any unit.
  var isUnprojected: Bool { operation == nil }

  /// The geographic base as a separate CRS, in its own unit; nil if this CRS would lack the
  /// transformation to other datums.
  func unprojectedReference() throws(GeometryError) -> SpatialReference? {
    if isBound { return nil }
    if isUnprojected { return reference }
    return try definition.map { text throws(GeometryError) in try SpatialReference(text) }
  }

  /// Longitude and latitude in degrees of each point.
  ///
  /// - Throws: for a point that is not finite or cannot be transformed, and a latitude beyond 90°.
  func toDegrees(_ points: [SIMD2<Double>]) throws(GeometryError) -> [SIMD2<Double>] {
    var result = points
    if let operation { try apply(operation, PJ_FWD, &result, points) }
    if degreesPerUnit != 1 {
      for index in result.indices {
        result[index] *= degreesPerUnit
        // A latitude converted from grads may be beyond 90° by a rounding error.
        if (result[index].y.magnitude - 90).magnitude < 1e-12 {
          result[index].y = result[index].y < 0 ? -90 : 90
        }
      }
    }
    for index in result.indices {
      guard result[index].x.isFinite, result[index].y.isFinite else {
        throw GeometryError("a coordinate is not a finite number")
      }
      guard result[index].y.magnitude <= 90 else {
        throw GeometryError("\(points[index].y) in \(label) is a latitude beyond the pole")
      }
    }
    return result
  }

  /// Converts points to degrees in place, without throwing: a point that is not finite, cannot be
  /// transformed or is beyond a pole becomes NaN.
  func toDegreesOrNaN(_ points: UnsafeMutableBufferPointer<SIMD2<Double>>) {
    if let operation, let first = points.baseAddress {
      let stride = MemoryLayout<SIMD2<Double>>.stride
      let x = UnsafeMutableRawPointer(first).assumingMemoryBound(to: Double.self)
      proj_errno_reset(operation)
      proj_trans_generic(
        operation, PJ_FWD, x, stride, points.count, x + 1, stride, points.count, nil, 0, 0, nil, 0,
        0)
    }
    for index in points.indices {
      var point = points[index]
      if degreesPerUnit != 1 {
        point *= degreesPerUnit
        if (point.y.magnitude - 90).magnitude < 1e-12 { point.y = point.y < 0 ? -90 : 90 }
      }
      let isThere = point.x.isFinite && point.y.magnitude <= 90
      points[index] = isThere ? point : SIMD2(repeating: .nan)
    }
  }

  func toDegreesOrNaN(_ point: SIMD2<Double>) -> SIMD2<Double> {
    var point = point
    withUnsafeMutablePointer(to: &point) {
      toDegreesOrNaN(UnsafeMutableBufferPointer(start: $0, count: 1))
    }
    return point
  }

  func toDegrees(_ point: SIMD2<Double>) throws(GeometryError) -> SIMD2<Double> {
    try toDegrees([point])[0]
  }

  /// Converts points from longitude and latitude in degrees to the coordinates of the CRS.
  ///
  /// - Throws: for a point that cannot be transformed.
  func fromDegrees(_ points: [SIMD2<Double>]) throws(GeometryError) -> [SIMD2<Double>] {
    guard !isIdentity else { return points }
    var result = points
    if degreesPerUnit != 1 {
      for index in result.indices { result[index] /= degreesPerUnit }
    }
    if let operation { try apply(operation, PJ_INV, &result, points) }
    return result
  }

  func fromDegrees(_ point: SIMD2<Double>) throws(GeometryError) -> SIMD2<Double> {
    try fromDegrees([point])[0]
  }

  /// Converts a point from longitude and latitude in degrees to the coordinates of the CRS. The result
  /// is NaN if the point cannot be transformed.
  ///
  /// - Parameter shifts: the number of times that 360° is added to the longitude, for projections
  ///   that continue beyond the meridian at which the plane is cut. If nil, the coordinates that
  ///   PROJ returns are used for any longitude.
  func fromDegreesOrNaN(_ degrees: SIMD2<Double>, shifts: Int? = nil) -> SIMD2<Double> {
    guard let shifts else {
      guard let operation else { return degrees / degreesPerUnit }
      return inverse(operation, degrees)
    }
    let turned = degrees + SIMD2(360 * Double(shifts), 0)
    guard let operation else { return turned / degreesPerUnit }
    guard let continuation = preparedContinuation else { return SIMD2(repeating: .nan) }
    let point = inverse(continuation, turned)
    guard !point.x.isNaN else { return point }
    // Beyond the cut, some projections return arbitrary points.
    let back = proj_trans(operation, PJ_FWD, proj_coord(point.x, point.y, 0, 0)).xy
    let difference = SIMD2(back.x, back.y) * degreesPerUnit - degrees
    let isSame = difference.y.magnitude < 1e-6 && difference.x.wrappedDegrees.magnitude < 1e-5
    return isSame ? point : SIMD2(repeating: .nan)
  }

  private func inverse(_ operation: OpaquePointer, _ degrees: SIMD2<Double>) -> SIMD2<Double> {
    let location = degrees / degreesPerUnit
    let point = proj_trans(operation, PJ_INV, proj_coord(location.x, location.y, 0, 0)).xy
    return point.x.isFinite && point.y.isFinite
      ? SIMD2(point.x, point.y) : SIMD2(repeating: .nan)
  }

  private var preparedContinuation: OpaquePointer? {
    if let continuation { return continuation }
    var made: OpaquePointer?
    if let text = operation.flatMap({ proj_pj_info($0).definition }).map({ String(cString: $0) }),
      text.hasPrefix("proj=pipeline ")
    {
      let words = text.split(separator: " ").map { $0 == "step" ? "step over" : $0 }
      made = proj_create(context.pointer, words.joined(separator: " "))
    }
    continuation = .some(made)
    return made
  }

  private func apply(
    _ operation: OpaquePointer, _ direction: PJ_DIRECTION, _ points: inout [SIMD2<Double>],
    _ inputPoints: [SIMD2<Double>]
  ) throws(GeometryError) {
    let count = points.count
    let stride = MemoryLayout<SIMD2<Double>>.stride
    proj_errno_reset(operation)
    points.withUnsafeMutableBytes { bytes in
      guard let x = bytes.baseAddress?.assumingMemoryBound(to: Double.self) else { return }
      proj_trans_generic(
        operation, direction, x, stride, count, x + 1, stride, count, nil, 0, 0, nil, 0, 0)
    }
    for index in 0..<count {
      guard points[index].x.isFinite, points[index].y.isFinite else {
        let point = inputPoints[index]
        throw GeometryError(
          "\(point.x), \(point.y) cannot be transformed "
            + (direction == PJ_FWD ? "to degrees from \(label)" : "to \(label)"))
      }
    }
  }
}
