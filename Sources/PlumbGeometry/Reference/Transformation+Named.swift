import CPROJ
import PlumbCore

extension Transformation {
  /// Creates a transformation that uses the operation named by the user instead of the operation
  /// that PROJ would choose.
  ///
  /// - Parameters:
  ///   - source: the source CRS.
  ///   - target: the target CRS.
  ///   - name: a code such as `EPSG:1173`, the name of a registered transformation, or a PROJ
  ///     pipeline. A registered transformation must be between the datums of the two CRSs, in
  ///     either direction; the projections of the CRSs are applied before and after it. A pipeline
  ///     receives x and y of the source unchanged, or in radians if PROJ requires radians, and
  ///     returns x and y of the target.
  /// - Throws: if PROJ does not find the operation or cannot perform it (for example because of a
  ///   missing grid), or if the operation is between other datums.
  public convenience init(
    from source: SpatialReference, to target: SpatialReference, operation name: String
  ) throws(GeometryError) {
    let context = try ProjContext()
    let operation = try Self.operation(name, context)
    defer { proj_destroy(operation) }
    var steps: [Step] = []
    do throws(GeometryError) {
      if let from = proj_get_source_crs(context.pointer, operation) {
        defer { proj_destroy(from) }
        guard let to = proj_get_target_crs(context.pointer, operation) else {
          throw GeometryError("\(name.printable) has no target CRS")
        }
        defer { proj_destroy(to) }
        try Self.join(operation, name, from, to, context, source, target, &steps)
      } else {
        guard let copy = proj_clone(context.pointer, operation) else {
          throw GeometryError("\(name.printable): \(context.removeMessage("PROJ cannot copy it"))")
        }
        var step = Step(operation: copy)
        if proj_angular_input(copy, PJ_FWD) != 0 { step.before = source.unit.factor }
        if proj_angular_output(copy, PJ_FWD) != 0 { step.after = 1 / target.unit.factor }
        steps.append(step)
      }
    } catch {
      for step in steps { proj_destroy(step.operation) }
      throw error
    }
    self.init(named: steps, context, from: source, to: target)
  }

  /// Creates the operation with a name or definition; the caller destroys it.
  private static func operation(
    _ text: String, _ context: ProjContext
  ) throws(GeometryError) -> OpaquePointer {
    let name = text.printable
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw GeometryError("the transformation's name is empty")
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let isCode = parts.count == 2 && !text.contains("=") && !text.contains("[")
    let found =
      isCode
      ? proj_create_from_database(
        context.pointer, String(parts[0]), String(parts[1]), PJ_CATEGORY_COORDINATE_OPERATION, 0,
        nil)
      : proj_create(context.pointer, text)
    guard let found else {
      throw GeometryError(
        "unknown transformation \(name): " + context.removeMessage("PROJ does not know it"))
    }
    let known = proj_get_name(found).map { String(cString: $0).printable } ?? ""
    let problem: String?
    if ![
      PJ_TYPE_CONVERSION, PJ_TYPE_TRANSFORMATION, PJ_TYPE_CONCATENATED_OPERATION,
      PJ_TYPE_OTHER_COORDINATE_OPERATION,
    ].contains(proj_get_type(found)) {
      problem = "is not a transformation but \(known); use one such as EPSG:1173"
    } else if !isCode, !text.contains("="), !text.contains("["), !text.contains(":"), known != text
    {
      // PROJ also accepts a part of a name.
      problem = "is unknown; \(known) is similar"
    } else if let grid = missingGrid(found, context) {
      problem = "needs the grid \(grid), which is not installed"
    } else {
      problem = nil
    }
    if let problem {
      proj_destroy(found)
      throw GeometryError("the transformation \(name) \(problem)")
    }
    return found
  }

  private static func missingGrid(_ operation: OpaquePointer, _ context: ProjContext) -> String? {
    for index in 0..<max(0, proj_coordoperation_get_grid_used_count(context.pointer, operation)) {
      var name: UnsafePointer<CChar>?
      var isAvailable: Int32 = 0
      let found = proj_coordoperation_get_grid_used(
        context.pointer, operation, index, &name, nil, nil, nil, nil, nil, &isAvailable)
      if found != 0, isAvailable == 0 {
        return name.map { String(cString: $0).printable } ?? "(unnamed)"
      }
    }
    return nil
  }

  /// Adds a registered operation between two CRSs, together with the conversions to and from the
  /// CRSs of the operation.
  private static func join(
    _ operation: OpaquePointer, _ name: String, _ from: OpaquePointer, _ to: OpaquePointer,
    _ context: ProjContext, _ source: SpatialReference, _ target: SpatialReference,
    _ steps: inout [Step]
  ) throws(GeometryError) {
    let pointer = context.pointer
    guard let first = proj_create(pointer, source.definition) else {
      throw GeometryError("\(source.label): \(context.removeMessage("PROJ does not know it"))")
    }
    defer { proj_destroy(first) }
    guard let last = proj_create(pointer, target.definition) else {
      throw GeometryError("\(target.label): \(context.removeMessage("PROJ does not know it"))")
    }
    defer { proj_destroy(last) }
    let leads = isSameDatum(first, from, context) && isSameDatum(last, to, context)
    let leadsBack = isSameDatum(first, to, context) && isSameDatum(last, from, context)
    guard leads || leadsBack else {
      let start = proj_get_name(from).map { String(cString: $0).printable } ?? "somewhere"
      let end = proj_get_name(to).map { String(cString: $0).printable } ?? "somewhere"
      throw GeometryError(
        "the transformation \(name.printable) is from \(start) to \(end), not from "
          + "\(source.label) to \(target.label)")
    }
    func append(_ raw: OpaquePointer?, _ direction: PJ_DIRECTION) throws(GeometryError) {
      guard let raw, let turned = proj_normalize_for_visualization(pointer, raw) else {
        throw GeometryError(
          "the transformation \(name.printable): "
            + context.removeMessage("PROJ cannot carry it out"))
      }
      steps.append(Step(operation: turned, direction: direction))
    }
    let way = proj_create_crs_to_crs_from_pj(pointer, first, leads ? from : to, nil, nil)
    defer { if let way { proj_destroy(way) } }
    try append(way, PJ_FWD)
    try append(operation, leads ? PJ_FWD : PJ_INV)
    let rest = proj_create_crs_to_crs_from_pj(pointer, leads ? to : from, last, nil, nil)
    defer { if let rest { proj_destroy(rest) } }
    try append(rest, PJ_FWD)
  }

  /// Whether two CRSs have the same geodetic CRS, apart from the order of its axes.
  private static func isSameDatum(
    _ crs: OpaquePointer, _ other: OpaquePointer, _ context: ProjContext
  ) -> Bool {
    guard let a = proj_crs_get_geodetic_crs(context.pointer, crs) else { return false }
    defer { proj_destroy(a) }
    guard let b = proj_crs_get_geodetic_crs(context.pointer, other) else { return false }
    defer { proj_destroy(b) }
    return proj_is_equivalent_to_with_ctx(
      context.pointer, a, b, PJ_COMP_EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS) != 0
  }
}
