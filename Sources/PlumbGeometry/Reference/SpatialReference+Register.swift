import CPROJ
import PlumbCore

extension SpatialReference {
  /// The area of use of a reference in degrees; `west` exceeds `east` if the area crosses 180
  /// degrees.
  package struct AreaOfUse: Sendable, Hashable {
    package var west: Double
    package var south: Double
    package var east: Double
    package var north: Double
  }

  /// The reference's name and area of use in its registry, such as EPSG; the area is nil for an
  /// unregistered reference.
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
}
