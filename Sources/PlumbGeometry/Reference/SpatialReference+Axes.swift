import CPROJ
import PlumbCore

extension SpatialReference {
  /// Whether the authority of the CRS defines northing or latitude as the first axis, as EPSG does
  /// for most geographic CRSs. Plumb's own coordinates always have x first.
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
}
