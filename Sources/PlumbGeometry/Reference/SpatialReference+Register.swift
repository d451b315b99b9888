import CPROJ
import PlumbCore

extension SpatialReference {
  /// The area of use of a CRS in degrees; `west` exceeds `east` if the area crosses 180 degrees.
  package struct AreaOfUse: Sendable, Hashable {
    package var west: Double
    package var south: Double
    package var east: Double
    package var north: Double
  }

  /// The CRS's name and area of use in its registry, such as EPSG; the area is nil for an
  /// unregistered CRS.
  package var registerEntry: (name: String, area: AreaOfUse?) {
    guard let context = try? ProjContext(), let crs = proj_create(context.pointer, definition)
    else { return (label, nil) }
    defer { proj_destroy(crs) }
    let name = proj_get_name(crs).map { String(cString: $0) } ?? label
    var area = AreaOfUse(west: 0, south: 0, east: 0, north: 0)
    let isKnown = proj_get_area_of_use(
      context.pointer, crs, &area.west, &area.south, &area.east, &area.north, nil)
    // PROJ returns -1000 for unknown bounds.
    return (name, isKnown != 0 && area.west >= -180 && area.south >= -90 ? area : nil)
  }

  /// The authority and the code of a CRS. A definition may contain a code although it differs from
  /// the CRS with this code, for example in the false easting; the result is then nil.
  static func registeredID(
    of crs: OpaquePointer, definition: String, _ context: ProjContext
  ) -> (authority: String, code: String)? {
    guard let authority = proj_get_id_auth_name(crs, 0).map({ String(cString: $0) }),
      let code = proj_get_id_code(crs, 0).map({ String(cString: $0) })
    else { return nil }
    // A definition that is only a code cannot differ from the CRS with this code, and a code that
    // is not in PROJ's database cannot belong to another CRS.
    guard definition.contains(where: { "[{".contains($0) }),
      let registered = proj_create_from_database(
        context.pointer, authority, code, PJ_CATEGORY_CRS, 0, nil)
    else { return (authority, code) }
    defer { proj_destroy(registered) }
    let isEqual = proj_is_equivalent_to_with_ctx(
      context.pointer, crs, registered, PJ_COMP_EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS)
    return isEqual == 0 ? nil : (authority, code)
  }
}
