import CPROJ
import PlumbCore

extension SpatialReference {
  /// - Parameter text: `EPSG:32734`, `32734`, `ESRI:102100`, `102100`, WKT, PROJJSON, or a PROJ
  ///   string.
  /// - Throws: if PROJ does not recognize the definition, or the definition is not a CRS.
  public init(_ text: String) throws(GeometryError) {
    let trimmed = text.trimmingASCIISpace()
    guard !trimmed.isEmpty else { throw GeometryError("the coordinate reference system is empty") }
    if let reason = Self.reasonUnreadable(trimmed) { throw GeometryError(reason) }
    var definition = trimmed
    if let code = Int(trimmed) {
      definition = Self.esriAliases[code].map { "EPSG:\($0)" } ?? "EPSG:\(code)"
    } else if trimmed.uppercased().hasPrefix("ESRI:"),
      let code = Int(trimmed.dropFirst(5)), let alias = Self.esriAliases[code]
    {
      definition = "EPSG:\(alias)"
    } else if trimmed.uppercased() == "CRS84" {
      definition = "OGC:CRS84"
    } else if trimmed.contains("+proj="), !trimmed.contains("+type=crs"),
      !trimmed.contains("+proj=pipeline")
    {
      // The suffix makes the string a CRS. A pipeline gets no suffix, because it is an operation and
      // is rejected below.
      definition = trimmed + " +type=crs"
    }
    if let known = Self.common(definition) {
      self = known
      return
    }
    let context = try ProjContext()
    var created = proj_create(context.pointer, definition)
    // A bare number above EPSG's range is an Esri code.
    if created == nil, let code = Int(trimmed), code > 32767 {
      definition = "ESRI:\(code)"
      created = proj_create(context.pointer, definition)
    }
    guard var crs = created else {
      throw GeometryError(
        "unknown coordinate reference system \(text.printable): "
          + context.removeMessage("PROJ does not know it"))
    }
    defer { proj_destroy(crs) }
    // Heights are not transformed, so use only the horizontal part of a compound CRS, which needs
    // no vertical grids.
    if proj_get_type(crs) == PJ_TYPE_COMPOUND_CRS,
      let horizontal = proj_crs_get_sub_crs(context.pointer, crs, 0),
      let wkt = proj_as_wkt(context.pointer, horizontal, PJ_WKT2_2019, nil)
    {
      definition = String(cString: wkt)
      proj_destroy(crs)
      crs = horizontal
    }
    guard proj_is_crs(crs) != 0 else {
      throw GeometryError(
        "\(text.printable) is not a coordinate reference system; use one such as EPSG:4326")
    }
    // PROJ matches a bare word with any name that contains it: "foo" matches Amersfoort.
    let isName = !definition.contains { ":[{+".contains($0) }
    let name = proj_get_name(crs).map { String(cString: $0) } ?? ""
    guard !isName || Self.letters(of: name) == Self.letters(of: definition) else {
      throw GeometryError(
        "unknown coordinate reference system \(text.printable); "
          + "\(name.printable) is similar, but use a code such as EPSG:4326")
    }
    let horizontal = Self.horizontalType(of: crs, context)
    guard
      ![PJ_TYPE_GEOCENTRIC_CRS, PJ_TYPE_VERTICAL_CRS, PJ_TYPE_TEMPORAL_CRS].contains(horizontal)
    else {
      throw GeometryError(
        "\(text.printable) is not a horizontal reference; "
          + "use one such as EPSG:4326")
    }
    let isGeographic =
      horizontal == PJ_TYPE_GEOGRAPHIC_2D_CRS || horizontal == PJ_TYPE_GEOGRAPHIC_3D_CRS
      || horizontal == PJ_TYPE_GEOGRAPHIC_CRS
    self.init(
      Facts(
        definition: definition, label: Self.label(of: crs, definition: definition, context),
        isGeographic: isGeographic,
        isGeoreferenced: horizontal != PJ_TYPE_ENGINEERING_CRS && horizontal != PJ_TYPE_OTHER_CRS,
        unit: Self.unit(of: crs, context) ?? (isGeographic ? .degree : .metre),
        ellipsoid: Self.ellipsoid(of: crs, context)))
  }

  /// The unit of a CRS's first axis; nil if PROJ does not provide it.
  static func unit(of crs: OpaquePointer, _ context: ProjContext) -> Unit? {
    if proj_get_type(crs) == PJ_TYPE_BOUND_CRS,
      let part = proj_get_source_crs(context.pointer, crs)
    {
      defer { proj_destroy(part) }
      return unit(of: part, context)
    }
    guard let system = proj_crs_get_coordinate_system(context.pointer, crs) else { return nil }
    defer { proj_destroy(system) }
    var factor = 0.0
    var name: UnsafePointer<CChar>?
    guard
      proj_cs_get_axis_info(
        context.pointer, system, 0, nil, nil, nil, &factor, &name, nil, nil) != 0, factor > 0
    else { return nil }
    return Unit(name: name.map { String(cString: $0).printable } ?? "unit", factor: factor)
  }

  private static func ellipsoid(of crs: OpaquePointer, _ context: ProjContext) -> Ellipsoid? {
    guard let ellipsoid = proj_get_ellipsoid(context.pointer, crs) else { return nil }
    defer { proj_destroy(ellipsoid) }
    var axis = 0.0
    var minor = 0.0
    var inverse = 0.0
    guard
      proj_ellipsoid_get_parameters(context.pointer, ellipsoid, &axis, &minor, nil, &inverse) != 0,
      axis > 0
    else { return nil }
    return Ellipsoid(semiMajorAxis: axis, flattening: inverse == 0 ? 0 : 1 / inverse)
  }

  private static func letters(of name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// Esri's and older codes of Web Mercator, which are treated as EPSG:3857.
  private static let esriAliases = [102_100: 3857, 102_113: 3857, 900_913: 3857]

  private static func label(
    of crs: OpaquePointer, definition: String, _ context: ProjContext
  ) -> String {
    if let (authority, code) = registeredID(of: crs, definition: definition, context) {
      return "\(authority):\(code)".printable
    }
    if definition.count <= 40, definition.contains(":") { return definition.printable }
    let name = proj_get_name(crs).map { String(cString: $0) } ?? ""
    guard name.isEmpty || ["unknown", "unnamed"].contains(name.lowercased()) else {
      return name.printable
    }
    if definition.hasPrefix("+") { return definition.printable }
    let conversion = proj_crs_get_coordoperation(context.pointer, crs)
    defer { if let conversion { proj_destroy(conversion) } }
    let method = conversion.flatMap { proj_get_name($0) }.map { String(cString: $0) }
    return "an unnamed reference" + (method.map { " (\($0.printable))" } ?? "")
  }

  private static func horizontalType(of crs: OpaquePointer, _ context: ProjContext) -> PJ_TYPE {
    let type = proj_get_type(crs)
    if type == PJ_TYPE_COMPOUND_CRS, let part = proj_crs_get_sub_crs(context.pointer, crs, 0) {
      defer { proj_destroy(part) }
      return horizontalType(of: part, context)
    }
    if type == PJ_TYPE_BOUND_CRS, let part = proj_get_source_crs(context.pointer, crs) {
      defer { proj_destroy(part) }
      return horizontalType(of: part, context)
    }
    return type
  }

  /// Whether the same coordinates denote the same points in both CRSs, regardless of axis order.
  public func isEquivalent(to other: SpatialReference) -> Bool {
    if definition == other.definition { return true }
    return EquivalentReferences.shared.isEquivalent(definition, other.definition) {
      isEquivalentByPROJ(to: other)
    }
  }

  private func isEquivalentByPROJ(to other: SpatialReference) -> Bool {
    guard let context = try? ProjContext(), let a = proj_create(context.pointer, definition) else {
      return false
    }
    defer { proj_destroy(a) }
    guard let b = proj_create(context.pointer, other.definition) else { return false }
    defer { proj_destroy(b) }
    return proj_is_equivalent_to_with_ctx(
      context.pointer, a, b, PJ_COMP_EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS) != 0
  }
}
