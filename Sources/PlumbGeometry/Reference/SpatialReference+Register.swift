import CPROJ
import PlumbCore

extension SpatialReference {
  /// The part of the Earth that a reference is for, in degrees; west of east where it goes across 180
  /// degrees.
  package struct AreaOfUse: Sendable, Hashable {
    package var west: Double
    package var south: Double
    package var east: Double
    package var north: Double
  }

  /// The reference's name and where it is for, as its register says; no area where that says none.
  package var registerEntry: (name: String, area: AreaOfUse?) {
    guard let context = try? ProjContext(), let crs = proj_create(context.pointer, definition)
    else { return (label, nil) }
    defer { proj_destroy(crs) }
    let name = proj_get_name(crs).map { String(cString: $0) } ?? label
    var area = AreaOfUse(west: 0, south: 0, east: 0, north: 0)
    let isKnown = proj_get_area_of_use(
      context.pointer, crs, &area.west, &area.south, &area.east, &area.north, nil)
    // What PROJ does not know it gives as -1000.
    return (name, isKnown != 0 && area.west >= -180 && area.south >= -90 ? area : nil)
  }
}
