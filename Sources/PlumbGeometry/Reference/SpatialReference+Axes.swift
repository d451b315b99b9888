import CPROJ
import PlumbCore

extension SpatialReference {
  /// Whether the register that defines the reference writes northings or latitudes first, as EPSG does
  /// for most geographic references. Plumb's own coordinates never do.
  package var isNorthingFirst: Bool {
    if let common = Self.common(definition) { return common.isGeographic }
    guard let context = try? ProjContext(),
      let crs = proj_create(context.pointer, definition)
    else { return false }
    defer { proj_destroy(crs) }
    guard let system = proj_crs_get_coordinate_system(context.pointer, crs) else { return false }
    defer { proj_destroy(system) }
    let directions = (0..<2).map { (index: Int32) -> String in
      var direction: UnsafePointer<CChar>?
      proj_cs_get_axis_info(
        context.pointer, system, index, nil, nil, &direction, nil, nil, nil, nil)
      return direction.map { String(cString: $0).lowercased() } ?? ""
    }
    return ["north", "south"].contains(directions[0]) && ["east", "west"].contains(directions[1])
  }

  /// The part of the Earth that the reference is for, in degrees, as its register says; west of east where
  /// it goes across 180 degrees. Nil where it says none.
  package var areaOfUse: (west: Double, south: Double, east: Double, north: Double)? {
    guard let context = try? ProjContext(), let crs = proj_create(context.pointer, definition)
    else { return nil }
    defer { proj_destroy(crs) }
    var (west, south, east, north) = (0.0, 0.0, 0.0, 0.0)
    // What PROJ does not know it gives as -1000.
    guard proj_get_area_of_use(context.pointer, crs, &west, &south, &east, &north, nil) != 0,
      west >= -180, south >= -90
    else { return nil }
    return (west, south, east, north)
  }
}
